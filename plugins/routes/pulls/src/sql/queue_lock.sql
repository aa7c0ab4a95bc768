-- The queue of the base branch, and any other the pull request is still in; always in this order, so that two who join do
-- not wait for each other in a circle.
SELECT q.id, q.base_branch FROM queues q
WHERE q.repository_id = $1::bigint
  AND (q.base_branch = $2::text
       OR q.id IN (SELECT e.queue_id FROM queue_entries e WHERE e.pull_id = $3::bigint AND e.finished_at IS NULL))
ORDER BY q.id FOR UPDATE
