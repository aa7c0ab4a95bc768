SELECT workspace_role($1::bigint, $2::bigint) AS role
