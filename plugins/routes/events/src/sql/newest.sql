-- The newest event, and the newest that is older than transactions last.
SELECT coalesce((SELECT o.seq FROM outbox o WHERE o.workspace_id = $1::bigint ORDER BY o.seq DESC LIMIT 1), 0) AS newest,
       coalesce((SELECT o.seq FROM outbox o
                 WHERE o.workspace_id = $1::bigint AND o.created_at < now() - interval '2 seconds'
                 ORDER BY o.seq DESC LIMIT 1), 0) AS newest_old
