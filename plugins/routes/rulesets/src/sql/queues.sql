-- $1 workspace, $2 repository or NULL for all.
SELECT q.repository_id, q.base_branch FROM queues q
WHERE q.workspace_id = $1::bigint AND ($2::bigint IS NULL OR q.repository_id = $2::bigint)
ORDER BY q.id
