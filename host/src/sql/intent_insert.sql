INSERT INTO push_intents (id, push_id, workspace_id, repository_id, actor_id, ref_name, old_sha, new_sha, data)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
