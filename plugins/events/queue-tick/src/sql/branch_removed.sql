UPDATE queue_attempts SET branch_removed_at = now()
WHERE id = $1::text AND branch_removed_at IS NULL AND state IN ('unbuildable', 'void', 'landed')
