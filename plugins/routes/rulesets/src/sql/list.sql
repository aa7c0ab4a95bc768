-- $1 workspace, $2 repository or NULL for the workspace's own, $3 whether a repository shows its workspace's too, $4 last
-- id of the page before or NULL, $5 how many, $6 how many to skip.
SELECT s.id, s.name, s.repository_id IS NULL AS of_workspace, s.target, s.enforcement, s.include, s.exclude, s.repositories,
       s.bypass, s.rules,
       (extract(epoch FROM s.created_at) * 1000)::bigint AS created_at_ms,
       (extract(epoch FROM s.updated_at) * 1000)::bigint AS updated_at_ms
FROM rulesets s
WHERE s.workspace_id = $1::bigint
  AND (s.repository_id = $2::bigint OR (s.repository_id IS NULL AND ($3::boolean OR $2::bigint IS NULL)))
  AND ($4::bigint IS NULL OR s.id > $4::bigint)
ORDER BY s.id LIMIT $5::bigint OFFSET $6::bigint
