-- $2 number of the pull request in its repository, or NULL; $3 its id, or NULL.
SELECT p.id, p.number, p.title, p.body, p.state,
       p.author_id, author.login AS author_login, author.kind AS author_kind, author.name AS author_name,
       author.email AS author_email,
       p.base_branch, p.head_branch, p.head_sha, p.base_sha, p.behind, p.ahead, p.changed_files, p.mergeable,
       p.conflict_files, p.last_pusher_id, p.merge_intent_sha, p.merge_intent_method, p.merge_intent_actor_id,
       p.merged_by_id, merger.login AS merged_by_login, merger.kind AS merged_by_kind, p.merge_commit_sha,
       (extract(epoch FROM p.merged_at) * 1000)::bigint AS merged_at_ms,
       (extract(epoch FROM p.closed_at) * 1000)::bigint AS closed_at_ms,
       (extract(epoch FROM p.created_at) * 1000)::bigint AS created_at_ms,
       (extract(epoch FROM p.updated_at) * 1000)::bigint AS updated_at_ms
FROM pulls p
JOIN users author ON author.id = p.author_id
LEFT JOIN users merger ON merger.id = p.merged_by_id
WHERE p.repository_id = $1::bigint AND ($2::bigint IS NULL OR p.number = $2::bigint)
  AND ($3::bigint IS NULL OR p.id = $3::bigint)
