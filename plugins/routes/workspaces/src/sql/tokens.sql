-- $1 workspace, $2 last id of the page before or NULL, $3 how many, $4 how many to skip. Ids of tokens grow with time.
SELECT t.id, u.login, u.kind, t.note, t.scopes, (extract(epoch FROM t.created_at) * 1000)::bigint AS created_at_ms,
       (extract(epoch FROM t.expires_at) * 1000)::bigint AS expires_at_ms,
       (extract(epoch FROM t.last_used_at) * 1000)::bigint AS last_used_at_ms,
       (extract(epoch FROM t.revoked_at) * 1000)::bigint AS revoked_at_ms
FROM tokens t JOIN users u ON u.id = t.user_id
WHERE t.workspace_id = $1::bigint AND ($2::text IS NULL OR t.id < $2::text)
ORDER BY t.id DESC LIMIT $3::bigint OFFSET $4::bigint
