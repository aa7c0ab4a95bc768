-- Waits for a tick of that queue; none when there is no such entry.
SELECT q.id, q.base_branch FROM queues q JOIN queue_entries e ON e.queue_id = q.id
WHERE q.repository_id = $1::bigint AND e.id = $2::text
FOR UPDATE OF q
