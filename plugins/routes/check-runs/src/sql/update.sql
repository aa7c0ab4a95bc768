UPDATE check_runs
SET name = $3::text, status = $4::text, conclusion = $5::text, external_id = $6::text, details_url = $7::text,
    output = $8::jsonb, started_at = coalesce(to_timestamp($9::bigint / 1000.0), started_at),
    completed_at = to_timestamp($10::bigint / 1000.0)
WHERE repository_id = $1::bigint AND id = $2::bigint
