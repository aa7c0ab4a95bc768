SELECT a.id, a.entry_id, a.number, a.branch, a.head_sha, a.onto_sha, a.state, a.candidate_sha,
       (extract(epoch FROM a.created_at) * 1000)::bigint AS created_at_ms,
       e.method, e.pull_id, e.queued_by_id, e.finished_at IS NULL AS is_live,
       p.number AS pull_number, p.head_branch, p.state AS pull_state, p.base_branch AS pull_base
FROM queue_attempts a
JOIN queue_entries e ON e.id = a.entry_id
JOIN pulls p ON p.id = e.pull_id
WHERE a.id = $1::text
