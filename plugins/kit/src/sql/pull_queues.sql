-- Base branches of the queues that a pull request is in.
SELECT q.base_branch FROM queue_entries e JOIN queues q ON q.id = e.queue_id
WHERE e.pull_id = $1::bigint AND e.finished_at IS NULL
