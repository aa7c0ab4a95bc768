SELECT id, name FROM workspaces WHERE lower(name) = lower($1)
