UPDATE pulls SET merge_intent_sha = $2::text, merge_intent_method = $3::text, merge_intent_actor_id = $4::bigint
WHERE id = $1::bigint AND state = 'open'
