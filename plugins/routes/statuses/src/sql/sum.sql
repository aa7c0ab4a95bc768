-- One failure fails it all; else one that is pending, or nothing at all, is pending.
WITH latest AS (
    SELECT DISTINCT ON (s.context, s.creator_id) s.state
    FROM commit_statuses s WHERE s.repository_id = $1::bigint AND s.sha = $2::text
    ORDER BY s.context, s.creator_id, s.id DESC
)
SELECT count(*) AS total,
       CASE WHEN bool_or(state IN ('failure', 'error')) THEN 'failure'
            WHEN bool_and(state = 'success') THEN 'success'
            ELSE 'pending' END AS state
FROM latest
