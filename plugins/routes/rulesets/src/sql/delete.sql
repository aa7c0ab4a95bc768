DELETE FROM rulesets WHERE workspace_id = $1::bigint AND id = $2::bigint
