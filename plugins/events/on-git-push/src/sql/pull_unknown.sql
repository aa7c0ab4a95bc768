UPDATE pulls SET mergeable = 'unknown', conflict_files = '{}'
WHERE id = $1::bigint AND state IN ('open', 'draft')
