-- A token that was revoked since bypasses nothing any more.
SELECT e.id, e.pull_id, e.state, e.method, e.head_sha, e.queued_by_id, e.reason, e.reason_code,
       CASE WHEN NOT EXISTS (SELECT FROM tokens t WHERE t.id = e.queued_by_token AND t.revoked_at IS NOT NULL)
            THEN e.queued_by_token END AS token,
       (extract(epoch FROM e.queued_at) * 1000)::bigint AS queued_at_ms, e.gathered_at IS NOT NULL AS is_gathered,
       p.number, p.state AS pull_state, p.base_branch AS pull_base, p.head_branch
FROM queue_entries e JOIN pulls p ON p.id = e.pull_id
WHERE e.queue_id = $1::bigint AND e.finished_at IS NULL
ORDER BY e.position, e.id
