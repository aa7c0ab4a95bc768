-- The live entry of a pull request, with its place in the queue.
SELECT e.id, e.state, e.reason, e.reason_code, q.base_branch,
       (SELECT count(*) FROM queue_entries o
        WHERE o.queue_id = e.queue_id AND o.finished_at IS NULL AND (o.position, o.id) <= (e.position, e.id)) AS place
FROM queue_entries e JOIN queues q ON q.id = e.queue_id
WHERE e.pull_id = $1::bigint AND e.finished_at IS NULL
