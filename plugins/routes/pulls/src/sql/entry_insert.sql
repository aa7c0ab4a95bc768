-- One that is in a queue stays where it is.
INSERT INTO queue_entries (id, workspace_id, repository_id, queue_id, pull_id, position, method, head_sha, queued_by_id,
                           queued_by_token)
SELECT $1::text, $2::bigint, $3::bigint, $4::bigint, p.id,
       coalesce((SELECT max(position) FROM queue_entries WHERE queue_id = $4::bigint AND finished_at IS NULL), 0) + 1,
       $6::text, $7::text, $8::bigint, $9::text
FROM pulls p WHERE p.id = $5::bigint AND p.state = 'open' AND p.base_branch = (SELECT q.base_branch FROM queues q WHERE q.id = $4::bigint)
ON CONFLICT (pull_id) WHERE finished_at IS NULL DO NOTHING
