-- Reopened or pointed at another base: what follows from that is found out by the event.
UPDATE pulls SET base_branch = $2::text, base_sha = $3::text, head_sha = $4::text, ahead = $5::integer,
    behind = $6::integer, mergeable = 'checking', conflict_files = '{}', updated_at = now(),
    -- A merge that was about to land was for another base.
    merge_intent_sha = NULL, merge_intent_method = NULL, merge_intent_actor_id = NULL
WHERE id = $1::bigint
