WITH made AS (
    INSERT INTO commit_statuses (workspace_id, repository_id, sha, context, state, description, target_url, creator_id)
    VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint)
    RETURNING id, sha, context, state, description, target_url, creator_id, created_at
)
SELECT s.id, s.sha, s.context, s.state, s.description, s.target_url,
       s.creator_id, u.login AS creator_login, u.kind AS creator_kind,
       (extract(epoch FROM s.created_at) * 1000)::bigint AS created_at_ms
FROM made s JOIN users u ON u.id = s.creator_id
