-- As list.sql.
SELECT count(*) AS total FROM check_runs c
WHERE c.repository_id = $1::bigint AND c.sha = $2::text
  AND (NOT $3::boolean OR NOT EXISTS (
        SELECT FROM check_runs n
        WHERE n.repository_id = c.repository_id AND n.sha = c.sha AND n.name = c.name AND n.reporter_id = c.reporter_id
          AND n.id > c.id))
  AND ($4::text IS NULL OR c.name = $4::text) AND ($5::text IS NULL OR c.status = $5::text)
