-- One whose landing is decided is not taken out any more: git may have it already.
UPDATE queue_entries e SET state = 'removed', reason_code = $2::text, reason = $3::text, finished_at = now()
WHERE id = $1::text AND finished_at IS NULL
  AND NOT EXISTS (SELECT FROM queue_attempts a WHERE a.entry_id = e.id AND a.state = 'landing')
