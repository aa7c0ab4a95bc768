-- $1 repository, $2 commit, $3 earliest beginning in milliseconds or NULL.
-- Setting a status again replaces it; of check runs every one counts, for the judge weighs reruns itself. A reporter's own
-- clock may be behind ours: a run did not begin before it was first heard of.
WITH statuses AS (
    SELECT DISTINCT ON (s.context, s.creator_id) s.context, s.state, s.creator_id, s.target_url, s.created_at, s.id
    FROM commit_statuses s WHERE s.repository_id = $1::bigint AND s.sha = $2::text
    ORDER BY s.context, s.creator_id, s.id DESC
), reports AS (
    SELECT s.context AS name, s.state, s.creator_id AS integration, s.target_url AS url,
           (extract(epoch FROM s.created_at) * 1000)::bigint AS started_ms, s.id
    FROM statuses s
    UNION ALL
    SELECT c.name, coalesce(c.conclusion, c.status), c.reporter_id, c.details_url,
           (extract(epoch FROM greatest(c.started_at, c.created_at)) * 1000)::bigint, c.id
    FROM check_runs c WHERE c.repository_id = $1::bigint AND c.sha = $2::text
)
SELECT name, state, integration, url, started_ms FROM reports
WHERE $3::bigint IS NULL OR started_ms >= $3::bigint
ORDER BY started_ms, id
