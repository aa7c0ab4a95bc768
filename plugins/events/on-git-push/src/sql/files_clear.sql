DELETE FROM pull_files WHERE pull_id = $1::bigint
