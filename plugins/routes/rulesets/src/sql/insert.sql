INSERT INTO rulesets AS s (workspace_id, repository_id, name, target, enforcement, include, exclude, repositories, bypass,
                           rules)
VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::text[], $7::text[], $8::text[], $9::jsonb, $10::jsonb)
RETURNING s.id, s.name, s.repository_id IS NULL AS of_workspace, s.target, s.enforcement, s.include, s.exclude, s.repositories,
       s.bypass, s.rules,
       (extract(epoch FROM s.created_at) * 1000)::bigint AS created_at_ms,
       (extract(epoch FROM s.updated_at) * 1000)::bigint AS updated_at_ms
