SELECT a.id, a.number, a.state, a.branch, a.head_sha, a.candidate_sha, a.onto_sha, a.detail, a.conflict_files,
       onto_pull.number AS onto_number,
       (extract(epoch FROM a.created_at) * 1000)::bigint AS created_at_ms,
       (extract(epoch FROM a.built_at) * 1000)::bigint AS built_at_ms
FROM queue_attempts a
LEFT JOIN queue_attempts onto ON onto.id = a.onto_attempt_id
LEFT JOIN queue_entries onto_entry ON onto_entry.id = onto.entry_id
LEFT JOIN pulls onto_pull ON onto_pull.id = onto_entry.pull_id
WHERE a.entry_id = $1::text
ORDER BY a.number DESC
LIMIT 100
