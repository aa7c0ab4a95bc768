INSERT INTO check_runs (workspace_id, repository_id, sha, name, status, conclusion, external_id, details_url, output,
                        reporter_id, started_at, completed_at)
VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::jsonb, $10::bigint,
        coalesce(to_timestamp($11::bigint / 1000.0), clock_timestamp()), to_timestamp($12::bigint / 1000.0))
RETURNING id
