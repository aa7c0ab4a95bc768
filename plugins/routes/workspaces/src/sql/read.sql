SELECT id, name, base_permission, (extract(epoch FROM created_at) * 1000)::bigint AS created_at_ms
FROM workspaces WHERE id = $1::bigint
