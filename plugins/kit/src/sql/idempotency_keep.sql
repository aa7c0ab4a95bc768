INSERT INTO idempotency_keys (workspace_id, actor_id, key, request_digest, status, body)
VALUES ($1::bigint, $2::bigint, $3::text, $4::bytea, $5::integer, $6::text)
