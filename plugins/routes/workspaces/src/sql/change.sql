UPDATE workspaces SET base_permission = $2::text, updated_at = now() WHERE id = $1::bigint
