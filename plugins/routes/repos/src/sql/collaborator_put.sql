INSERT INTO repository_collaborators (workspace_id, repository_id, user_id, role)
VALUES ($1::bigint, $2::bigint, $3::bigint, $4::text)
ON CONFLICT (repository_id, user_id) DO UPDATE SET role = excluded.role
