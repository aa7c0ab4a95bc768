WITH made AS (
    INSERT INTO tokens (id, user_id, workspace_id, hash, note, scopes, expires_at)
    VALUES ($1::text, $2::bigint, $3::bigint, $4::bytea, $5::text, $6::text[], now() + make_interval(days => $7::bigint::int))
    RETURNING *
)
SELECT t.id, u.login, u.kind, t.note, t.scopes, (extract(epoch FROM t.created_at) * 1000)::bigint AS created_at_ms,
       (extract(epoch FROM t.expires_at) * 1000)::bigint AS expires_at_ms,
       (extract(epoch FROM t.last_used_at) * 1000)::bigint AS last_used_at_ms,
       (extract(epoch FROM t.revoked_at) * 1000)::bigint AS revoked_at_ms
FROM made t JOIN users u ON u.id = t.user_id
