UPDATE queue_entries SET gathered_at = now()
WHERE id = ANY ($1::text[]) AND gathered_at IS NULL AND finished_at IS NULL
