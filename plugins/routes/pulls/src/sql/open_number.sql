SELECT number FROM pulls
WHERE repository_id = $1::bigint AND head_branch = $2::text AND base_branch = $3::text AND state IN ('open', 'draft')
