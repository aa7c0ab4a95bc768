-- What git has landed has landed, also when the entry was taken out at the same moment.
UPDATE queue_entries SET state = 'landed', reason_code = CASE WHEN reason_code = 'nothing_required' THEN reason_code ELSE '' END,
    reason = CASE WHEN reason_code = 'nothing_required' THEN reason ELSE '' END,
    finished_at = coalesce(finished_at, now())
WHERE id = $1::text AND state <> 'landed'
RETURNING reason, reason_code
