-- The newest attempt of every live entry. `ahead`: numbers of the pull requests whose candidates it stands on and that had
-- not landed when it was intended, nearest to the base first.
WITH RECURSIVE newest AS (
    SELECT DISTINCT ON (a.entry_id) a.*
    FROM queue_attempts a JOIN queue_entries e ON e.id = a.entry_id
    WHERE e.queue_id = $1::bigint AND e.finished_at IS NULL
    ORDER BY a.entry_id, a.number DESC
), under AS (
    SELECT n.id AS attempt_id, n.created_at, n.onto_attempt_id AS at, 1 AS depth FROM newest n
    UNION ALL
    SELECT u.attempt_id, u.created_at, o.onto_attempt_id, u.depth + 1
    FROM under u JOIN queue_attempts o ON o.id = u.at
    WHERE u.depth < 100
)
SELECT n.id, n.entry_id, n.head_sha, n.onto_sha, n.state, n.candidate_sha, n.detail, n.conflict_files,
       (extract(epoch FROM n.built_at) * 1000)::bigint AS built_at_ms,
       (n.onto_attempt_id IS NULL OR onto.state = 'landed') AS onto_base,
       coalesce((SELECT array_agg(p.number ORDER BY u.depth DESC)
                 FROM under u
                 JOIN queue_attempts o ON o.id = u.at
                 JOIN queue_entries e ON e.id = o.entry_id
                 JOIN pulls p ON p.id = e.pull_id
                 WHERE u.attempt_id = n.id AND (e.finished_at IS NULL OR e.finished_at >= u.created_at)),
                '{}'::bigint[]) AS ahead
FROM newest n LEFT JOIN queue_attempts onto ON onto.id = n.onto_attempt_id
