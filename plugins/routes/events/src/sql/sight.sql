-- $1 actor, $2 workspace.
SELECT workspace_role($1::bigint, $2::bigint) IS NOT NULL AS is_member,
       ARRAY(SELECT r.id FROM repositories r
             WHERE r.workspace_id = $2::bigint AND repository_role($1::bigint, r.id) >= 1) AS repositories
