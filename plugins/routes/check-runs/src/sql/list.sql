-- $1 repository, $2 commit, $3 only the newest of every name and reporter, $4 name or NULL, $5 status or NULL, $6 last id of
-- the page before or NULL, $7 how many, $8 how many to skip.
SELECT c.id, c.sha, c.name, c.status, c.conclusion, c.external_id, c.details_url, c.output, c.reporter_id,
       u.login AS reporter_login, u.name AS reporter_name,
       (SELECT min(o.id) FROM check_runs o
        WHERE o.repository_id = c.repository_id AND o.sha = c.sha AND o.reporter_id = c.reporter_id) AS suite_id,
       (extract(epoch FROM c.started_at) * 1000)::bigint AS started_at_ms,
       (extract(epoch FROM c.completed_at) * 1000)::bigint AS completed_at_ms
FROM check_runs c JOIN users u ON u.id = c.reporter_id
WHERE c.repository_id = $1::bigint AND c.sha = $2::text
  AND (NOT $3::boolean OR NOT EXISTS (
        SELECT FROM check_runs n
        WHERE n.repository_id = c.repository_id AND n.sha = c.sha AND n.name = c.name AND n.reporter_id = c.reporter_id
          AND n.id > c.id))
  AND ($4::text IS NULL OR c.name = $4::text) AND ($5::text IS NULL OR c.status = $5::text)
  AND ($6::bigint IS NULL OR c.id < $6::bigint)
ORDER BY c.id DESC LIMIT $7::bigint OFFSET $8::bigint
