-- True when the queue is landing it: the tick records that itself, with who queued it and how.
SELECT EXISTS (SELECT FROM queue_entries e JOIN queue_attempts a ON a.entry_id = e.id
               WHERE e.pull_id = $1::bigint AND e.finished_at IS NULL AND a.state = 'landing') AS is_landing
