-- $1 pull request; oldest first.
SELECT u.id AS reviewer_id, u.login, u.kind, u.acts_for, repository_role(u.id, r.repository_id) AS role_rank, r.state, r.head_sha,
       (extract(epoch FROM r.submitted_at) * 1000)::bigint AS submitted_ms
FROM reviews r JOIN users u ON u.id = r.reviewer_id
WHERE r.pull_id = $1::bigint ORDER BY r.id
