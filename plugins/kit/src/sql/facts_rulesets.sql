-- $1 workspace, $2 repository: its own rulesets and its workspace's.
SELECT s.id, s.name, s.repository_id IS NULL AS of_workspace, s.target, s.enforcement, s.include, s.exclude,
       s.repositories, s.bypass, s.rules
FROM rulesets s
WHERE s.workspace_id = $1::bigint AND (s.repository_id = $2::bigint OR s.repository_id IS NULL)
  AND s.enforcement <> 'disabled'
ORDER BY s.repository_id IS NULL, s.id
