UPDATE pulls SET merge_intent_sha = NULL, merge_intent_method = NULL, merge_intent_actor_id = NULL
WHERE id = $1::bigint AND merge_intent_sha = $2::text
