SELECT q.base_branch
FROM queue_attempts a JOIN queue_entries e ON e.id = a.entry_id JOIN queues q ON q.id = e.queue_id
WHERE a.repository_id = $1::bigint AND a.candidate_sha = $2::text AND a.state IN ('built', 'landing')
  AND e.finished_at IS NULL
UNION
SELECT q.base_branch
FROM pulls p JOIN queue_entries e ON e.pull_id = p.id JOIN queues q ON q.id = e.queue_id
WHERE p.repository_id = $1::bigint AND p.head_sha = $2::text AND p.state IN ('open', 'draft')
  AND e.finished_at IS NULL
