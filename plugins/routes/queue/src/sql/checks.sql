-- The newest report of each name and reporter on some commits.
SELECT sha, name, state, url, reported_at_ms FROM (
    (SELECT DISTINCT ON (sha, context, creator_id) sha, context AS name, state, target_url AS url,
            (extract(epoch FROM created_at) * 1000)::bigint AS reported_at_ms
     FROM commit_statuses WHERE repository_id = $1::bigint AND sha = ANY ($2::text[])
     ORDER BY sha, context, creator_id, id DESC)
    UNION ALL
    (SELECT DISTINCT ON (sha, name, reporter_id) sha, name, coalesce(conclusion, status) AS state, details_url AS url,
            (extract(epoch FROM coalesce(completed_at, started_at)) * 1000)::bigint AS reported_at_ms
     FROM check_runs WHERE repository_id = $1::bigint AND sha = ANY ($2::text[])
     ORDER BY sha, name, reporter_id, id DESC)
) AS reports
ORDER BY sha, name, reported_at_ms
