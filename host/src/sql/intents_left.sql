SELECT DISTINCT repository_id FROM push_intents ORDER BY repository_id
