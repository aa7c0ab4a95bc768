INSERT INTO queues (workspace_id, repository_id, base_branch) VALUES ($1::bigint, $2::bigint, $3::text)
ON CONFLICT (repository_id, base_branch) DO NOTHING
