UPDATE pulls SET state = 'closed', closed_at = now(), updated_at = now(),
    merge_intent_sha = NULL, merge_intent_method = NULL, merge_intent_actor_id = NULL
WHERE id = $1::bigint AND state IN ('open', 'draft')
RETURNING number, base_branch, head_branch, head_sha
