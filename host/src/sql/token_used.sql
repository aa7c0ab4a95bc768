-- Once a minute is enough to know, and keeps reads from writing.
UPDATE tokens SET last_used_at = now()
WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
