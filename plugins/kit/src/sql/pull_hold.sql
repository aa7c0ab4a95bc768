-- Whoever merges, closes or changes it waits until this transaction is over.
SELECT id FROM pulls WHERE id = $1::bigint FOR UPDATE
