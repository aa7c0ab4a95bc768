UPDATE queue_attempts SET state = 'unbuildable', detail = $2::text, conflict_files = $3::text[], branch_removed_at = now()
WHERE id = $1::text AND state = 'intended'
