UPDATE queue_entries SET state = $2::text, reason_code = $3::text, reason = $4::text
WHERE id = $1::text AND finished_at IS NULL
