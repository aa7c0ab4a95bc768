SELECT id, workspace_id, repository_id, actor_id, ref_name, old_sha, new_sha, data,
       extract(epoch FROM clock_timestamp() - created_at)::float8 AS age_s
FROM push_intents ORDER BY id
