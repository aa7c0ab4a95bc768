SELECT id, workspace_id, repository_id, actor_id, ref_name, old_sha, new_sha, data
FROM push_intents WHERE push_id = $1 ORDER BY id
