UPDATE queue_attempts SET state = 'landing' WHERE id = $1::text AND state = 'built'
