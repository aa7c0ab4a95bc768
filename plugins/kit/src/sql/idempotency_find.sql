SELECT request_digest, status, body FROM idempotency_keys
WHERE workspace_id = $1::bigint AND actor_id = $2::bigint AND key = $3::text
