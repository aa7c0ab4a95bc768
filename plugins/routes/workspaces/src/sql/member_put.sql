INSERT INTO workspace_members (workspace_id, user_id, role) VALUES ($1::bigint, $2::bigint, $3::text)
ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role
