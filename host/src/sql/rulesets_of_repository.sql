-- The repository's own and its workspace's; which of them cover a ref, the judge says.
SELECT s.id, s.name, s.repository_id IS NULL AS of_workspace, s.target, s.enforcement, s.include, s.exclude,
       s.repositories, s.bypass, s.rules
FROM rulesets s
WHERE s.workspace_id = $1 AND (s.repository_id = $2 OR s.repository_id IS NULL) AND s.enforcement <> 'disabled'
ORDER BY s.repository_id IS NULL, s.id
