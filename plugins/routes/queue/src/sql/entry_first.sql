UPDATE queue_entries SET position =
    (SELECT min(o.position) - 1 FROM queue_entries o WHERE o.queue_id = queue_entries.queue_id AND o.finished_at IS NULL)
WHERE id = $1::text AND finished_at IS NULL
