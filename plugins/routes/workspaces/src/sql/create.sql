SELECT create_workspace($1::text, $2::bigint) AS id
