-- Two ticks of one queue wait for each other here.
SELECT id FROM queues WHERE repository_id = $1::bigint AND base_branch = $2::text FOR UPDATE
