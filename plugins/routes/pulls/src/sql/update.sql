UPDATE pulls SET title = $2::text, body = $3::text, state = $4::text, updated_at = now(),
    closed_at = CASE WHEN $4::text = 'closed' THEN coalesce(closed_at, now()) END
WHERE id = $1::bigint AND state <> 'merged'
