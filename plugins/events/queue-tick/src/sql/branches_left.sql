-- Queue branches of builds that are over.
SELECT a.id, a.branch FROM queue_attempts a
WHERE a.repository_id = $1::bigint AND a.branch_removed_at IS NULL AND a.state IN ('unbuildable', 'void', 'landed')
ORDER BY a.created_at LIMIT 100
