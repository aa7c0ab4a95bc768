-- $2 base branch; $3 true: entries in the queue, in order; false: those that left last, newest first. $4 one entry's id,
-- or NULL.
SELECT e.id, e.state, e.reason, e.reason_code, e.method, e.head_sha, e.position, q.base_branch,
       e.queued_by_id, queuer.login AS queued_by_login, queuer.kind AS queued_by_kind,
       (extract(epoch FROM e.queued_at) * 1000)::bigint AS queued_at_ms,
       (extract(epoch FROM e.finished_at) * 1000)::bigint AS finished_at_ms,
       p.number, p.title, p.head_branch, p.author_id,
       CASE WHEN e.finished_at IS NULL THEN
            (SELECT count(*) FROM queue_entries o
             WHERE o.queue_id = e.queue_id AND o.finished_at IS NULL AND (o.position, o.id) <= (e.position, e.id)) END AS place,
       a.id AS attempt_id, a.number AS attempt_number, a.state AS attempt_state, a.branch AS attempt_branch,
       a.candidate_sha, a.onto_sha, a.detail, a.conflict_files, onto_pull.number AS onto_number,
       (extract(epoch FROM a.built_at) * 1000)::bigint AS built_at_ms
FROM queue_entries e
JOIN queues q ON q.id = e.queue_id
JOIN users queuer ON queuer.id = e.queued_by_id
JOIN pulls p ON p.id = e.pull_id
LEFT JOIN LATERAL (SELECT * FROM queue_attempts a WHERE a.entry_id = e.id ORDER BY a.number DESC LIMIT 1) a ON true
LEFT JOIN queue_attempts onto ON onto.id = a.onto_attempt_id
LEFT JOIN queue_entries onto_entry ON onto_entry.id = onto.entry_id
LEFT JOIN pulls onto_pull ON onto_pull.id = onto_entry.pull_id
WHERE q.repository_id = $1::bigint
  AND ($4::text IS NOT NULL OR (q.base_branch = $2::text AND (e.finished_at IS NULL) = $3::boolean))
  AND ($4::text IS NULL OR e.id = $4::text)
ORDER BY e.finished_at DESC NULLS FIRST, e.position, e.id
LIMIT CASE WHEN $3::boolean THEN 1000 ELSE 30 END
