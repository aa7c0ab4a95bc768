-- A head that comes back with the same commit is no push.
UPDATE pulls SET head_sha = $2::text, base_sha = $3::text, ahead = $4::integer, behind = $5::integer,
    mergeable = $6::text, conflict_files = $7::text[],
    changed_files = coalesce($8::integer, changed_files),
    last_pusher_id = CASE WHEN head_sha <> $2::text THEN coalesce($9::bigint, last_pusher_id) ELSE last_pusher_id END,
    last_push_at = CASE WHEN head_sha <> $2::text THEN now() ELSE last_push_at END,
    updated_at = CASE WHEN head_sha <> $2::text THEN now() ELSE updated_at END
WHERE id = $1::bigint AND state IN ('open', 'draft')
