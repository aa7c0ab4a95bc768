UPDATE repositories SET last_pull_number = next_number($2::bigint, $3::bigint) WHERE id = $1::bigint
RETURNING last_pull_number AS number
