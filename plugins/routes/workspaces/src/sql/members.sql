SELECT u.id AS user_id, u.login AS user_login, u.kind AS user_kind, m.role
FROM workspace_members m JOIN users u ON u.id = m.user_id
WHERE m.workspace_id = $1::bigint ORDER BY lower(u.login)
