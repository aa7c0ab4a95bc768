-- What git holds is the truth: a pull request that was closed in the meantime is merged all the same.
UPDATE pulls SET state = 'merged', merged_at = now(), merged_by_id = $3::bigint, merge_commit_sha = $2::text,
    closed_at = now(), updated_at = now(), mergeable = 'unknown', conflict_files = '{}',
    merge_intent_sha = NULL, merge_intent_method = NULL, merge_intent_actor_id = NULL
WHERE id = $1::bigint AND state <> 'merged'
RETURNING number, base_branch, head_branch, head_sha
