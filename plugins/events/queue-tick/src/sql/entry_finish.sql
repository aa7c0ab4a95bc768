UPDATE queue_entries SET state = $2::text, reason_code = $3::text, reason = $4::text, finished_at = now()
WHERE id = $1::text AND finished_at IS NULL
RETURNING head_sha
