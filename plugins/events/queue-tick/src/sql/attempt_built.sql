-- The clock of the database, as that of the checks, so that the two can be compared.
UPDATE queue_attempts SET state = 'built', candidate_sha = $2::text, built_at = clock_timestamp()
WHERE id = $1::text AND state = 'intended'
