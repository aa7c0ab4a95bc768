SELECT repository_role($1::bigint, $2::bigint) AS role_rank
