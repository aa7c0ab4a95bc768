SELECT workspace_role($1::bigint, $2::bigint) IS NOT NULL AS is_member
