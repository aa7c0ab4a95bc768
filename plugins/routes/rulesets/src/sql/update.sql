UPDATE rulesets s
SET name = $3::text, target = $4::text, enforcement = $5::text, include = $6::text[], exclude = $7::text[],
    repositories = $8::text[], bypass = $9::jsonb, rules = $10::jsonb, updated_at = now()
WHERE s.workspace_id = $1::bigint AND s.id = $2::bigint
RETURNING s.id, s.name, s.repository_id IS NULL AS of_workspace, s.target, s.enforcement, s.include, s.exclude, s.repositories,
       s.bypass, s.rules,
       (extract(epoch FROM s.created_at) * 1000)::bigint AS created_at_ms,
       (extract(epoch FROM s.updated_at) * 1000)::bigint AS updated_at_ms
