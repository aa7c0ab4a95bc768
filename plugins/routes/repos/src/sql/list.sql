-- $1 workspace, $2 who asks, $3 name to begin after, $4 how many, $5 how many to leave out.
SELECT r.id, r.workspace_id, w.name AS workspace, r.name, r.description, r.private, r.default_branch, r.topics,
       r.allow_merge_commit, r.allow_squash_merge, r.allow_rebase_merge,
       (extract(epoch FROM r.created_at) * 1000)::bigint AS created_at_ms,
       (extract(epoch FROM r.updated_at) * 1000)::bigint AS updated_at_ms,
       (extract(epoch FROM r.pushed_at) * 1000)::bigint AS pushed_at_ms,
       repository_role($2::bigint, r.id) AS role_rank
FROM repositories r JOIN workspaces w ON w.id = r.workspace_id
WHERE r.workspace_id = $1::bigint AND repository_role($2::bigint, r.id) > 0 AND lower(r.name) > $3::text
ORDER BY lower(r.name) LIMIT $4::bigint OFFSET $5::bigint
