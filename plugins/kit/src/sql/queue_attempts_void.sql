UPDATE queue_attempts SET state = 'void', detail = 'entry_left'
WHERE entry_id = $1::text AND state IN ('intended', 'built')
RETURNING id, number, branch, candidate_sha, onto_sha
