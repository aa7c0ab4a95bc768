-- As list.sql; of every context and reporter only the newest.
WITH latest AS (
    SELECT DISTINCT ON (s.context, s.creator_id) s.id, s.sha, s.context, s.state, s.description, s.target_url,
           s.creator_id, s.created_at
    FROM commit_statuses s WHERE s.repository_id = $1::bigint AND s.sha = $2::text
    ORDER BY s.context, s.creator_id, s.id DESC
)
SELECT s.id, s.sha, s.context, s.state, s.description, s.target_url,
       s.creator_id, u.login AS creator_login, u.kind AS creator_kind,
       (extract(epoch FROM s.created_at) * 1000)::bigint AS created_at_ms
FROM latest s JOIN users u ON u.id = s.creator_id
WHERE $3::bigint IS NULL OR s.id < $3::bigint
ORDER BY s.id DESC LIMIT $4::bigint OFFSET $5::bigint
