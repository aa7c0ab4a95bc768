-- $1 repository, $2 commit, $3 last id of the page before or NULL, $4 how many, $5 how many to skip.
SELECT s.id, s.sha, s.context, s.state, s.description, s.target_url,
       s.creator_id, u.login AS creator_login, u.kind AS creator_kind,
       (extract(epoch FROM s.created_at) * 1000)::bigint AS created_at_ms
FROM commit_statuses s JOIN users u ON u.id = s.creator_id
WHERE s.repository_id = $1::bigint AND s.sha = $2::text AND ($3::bigint IS NULL OR s.id < $3::bigint)
ORDER BY s.id DESC LIMIT $4::bigint OFFSET $5::bigint
