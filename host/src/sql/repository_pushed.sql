UPDATE repositories SET pushed_at = now() WHERE id = $1
