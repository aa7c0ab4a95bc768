INSERT INTO repositories (workspace_id, name, description, private, default_branch)
VALUES ($1::bigint, $2::text, $3::text, $4::boolean, $5::text) RETURNING id
