DELETE FROM push_intents WHERE push_id = $1
