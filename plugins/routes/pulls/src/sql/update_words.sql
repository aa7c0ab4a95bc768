UPDATE pulls SET title = $2::text, body = $3::text, updated_at = now() WHERE id = $1::bigint
