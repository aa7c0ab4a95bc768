UPDATE tokens SET revoked_at = now() WHERE workspace_id = $1::bigint AND id = $2::text AND revoked_at IS NULL
