SELECT request_digest, status, body FROM idempotency_keys
WHERE coalesce(workspace_id, 0) = coalesce($1::bigint, 0) AND actor_id = $2::bigint AND key = $3::text
