DELETE FROM push_intents WHERE id = $1
