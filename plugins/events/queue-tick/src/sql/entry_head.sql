UPDATE queue_entries SET head_sha = $2::text WHERE id = $1::text AND finished_at IS NULL
