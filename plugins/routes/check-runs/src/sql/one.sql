-- A reporter's runs on a commit form its suite, which goes by the number of the first.
SELECT c.id, c.sha, c.name, c.status, c.conclusion, c.external_id, c.details_url, c.output, c.reporter_id,
       u.login AS reporter_login, u.name AS reporter_name,
       (SELECT min(o.id) FROM check_runs o
        WHERE o.repository_id = c.repository_id AND o.sha = c.sha AND o.reporter_id = c.reporter_id) AS suite_id,
       (extract(epoch FROM c.started_at) * 1000)::bigint AS started_at_ms,
       (extract(epoch FROM c.completed_at) * 1000)::bigint AS completed_at_ms
FROM check_runs c JOIN users u ON u.id = c.reporter_id
WHERE c.repository_id = $1::bigint AND c.id = $2::bigint
