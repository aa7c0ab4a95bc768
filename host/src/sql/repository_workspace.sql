SELECT workspace_id, default_branch FROM repositories WHERE id = $1
