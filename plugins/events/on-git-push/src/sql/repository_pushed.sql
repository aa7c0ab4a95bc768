UPDATE repositories SET pushed_at = greatest(coalesce(pushed_at, '-infinity'), now()) WHERE id = $1::bigint
