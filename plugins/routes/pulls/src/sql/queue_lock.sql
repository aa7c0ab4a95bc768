SELECT id FROM queues WHERE repository_id = $1::bigint AND base_branch = $2::text FOR UPDATE
