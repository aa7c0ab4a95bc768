SELECT c.id FROM check_runs c WHERE c.repository_id = $1::bigint AND c.id = $2::bigint FOR UPDATE
