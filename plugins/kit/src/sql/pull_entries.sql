-- Live entries of a pull request, but those of the queue $2.
SELECT e.id, p.number, q.base_branch
FROM queue_entries e JOIN queues q ON q.id = e.queue_id JOIN pulls p ON p.id = e.pull_id
WHERE e.pull_id = $1::bigint AND e.finished_at IS NULL AND ($2::bigint IS NULL OR e.queue_id <> $2::bigint)
