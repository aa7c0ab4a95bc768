-- $1 workspace, $2 login of the last one on the page before, in small letters, or NULL, $3 how many, $4 how many to skip.
SELECT u.id AS user_id, u.login AS user_login, u.kind AS user_kind, m.role
FROM workspace_members m JOIN users u ON u.id = m.user_id
WHERE m.workspace_id = $1::bigint AND ($2::text IS NULL OR lower(u.login) > $2::text)
ORDER BY lower(u.login) LIMIT $3::bigint OFFSET $4::bigint
