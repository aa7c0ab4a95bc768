-- Two owners who demote each other at one moment wait for each other here.
SELECT user_id FROM workspace_members WHERE workspace_id = $1::bigint AND role = 'owner' ORDER BY user_id FOR UPDATE
