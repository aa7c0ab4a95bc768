-- $1 user, $2 repository, $3 workspace.
SELECT u.login, u.kind, u.acts_for, repository_role(u.id, $2::bigint) AS role_rank,
       coalesce(workspace_role(u.id, $3::bigint) = 'owner', false) AS owner
FROM users u WHERE u.id = $1::bigint
