-- Who a token is: nothing for one that is unknown, revoked or over.
SELECT t.id AS token_id, t.workspace_id, t.scopes, u.id AS user_id, u.login, u.kind, u.acts_for
FROM tokens t JOIN users u ON u.id = t.user_id
WHERE t.hash = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
