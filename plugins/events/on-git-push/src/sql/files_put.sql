INSERT INTO pull_files (workspace_id, repository_id, pull_id, path, previous_path, status)
SELECT $1::bigint, $2::bigint, $3::bigint, f.path, nullif(f.previous_path, ''), f.status
FROM unnest($4::text[], $5::text[], $6::text[]) AS f (path, previous_path, status)
ON CONFLICT (pull_id, path) DO NOTHING
