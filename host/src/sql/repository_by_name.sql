SELECT r.id, r.workspace_id, r.name, r.default_branch, r.private, r.topics, w.name AS workspace,
       repository_role($3, r.id) AS role, coalesce(workspace_role($3, w.id) = 'owner', false) AS owner
FROM repositories r JOIN workspaces w ON w.id = r.workspace_id
WHERE lower(w.name) = lower($1) AND lower(r.name) = lower($2)
