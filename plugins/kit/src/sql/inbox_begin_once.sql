INSERT INTO inbox (event_id, handler, workspace_id) VALUES (($1::text)::uuid, $2::text, $3::bigint) ON CONFLICT DO NOTHING
