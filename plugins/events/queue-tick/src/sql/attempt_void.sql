UPDATE queue_attempts SET state = 'void', detail = $2::text
WHERE id = $1::text AND state IN ('intended', 'built', 'landing')
RETURNING number, branch, candidate_sha, onto_sha
