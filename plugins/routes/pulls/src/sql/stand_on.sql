-- Reopened or pointed at another base: what follows from that is found out by the event.
UPDATE pulls SET base_branch = $2::text, base_sha = $3::text, head_sha = $4::text, ahead = $5::integer,
    behind = $6::integer, mergeable = 'checking', conflict_files = '{}', updated_at = now()
WHERE id = $1::bigint
