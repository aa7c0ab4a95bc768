INSERT INTO check_runs (workspace_id, repository_id, sha, name, status, conclusion, external_id, output, reporter_id, completed_at)
VALUES ($1::bigint, $2::bigint, $3::text, 'g1t / merge queue', 'completed', 'failure', $4::text, $5::jsonb,
        (SELECT id FROM users WHERE kind = 'system' ORDER BY id LIMIT 1), clock_timestamp())
RETURNING id
