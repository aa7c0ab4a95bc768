-- Whoever sets another intent waits until this transaction is over.
SELECT id FROM pulls WHERE id = $1::bigint AND state = 'open' AND merge_intent_sha = $2::text FOR UPDATE
