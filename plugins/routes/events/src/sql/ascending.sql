-- As descending.sql, from the oldest on; $7 the last that is settled.
SELECT o.seq, o.id, o.kind, o.repository_id, o.subject, o.version, o.data, u.login AS actor,
       w.name || '/' || r.name AS repository, (extract(epoch FROM o.created_at) * 1000)::bigint AS created_at_ms
FROM outbox o
JOIN workspaces w ON w.id = o.workspace_id
LEFT JOIN repositories r ON r.id = o.repository_id
LEFT JOIN users u ON u.id = o.actor_id
WHERE o.workspace_id = $1::bigint
  AND (o.repository_id = ANY ($2::bigint[]) OR (o.repository_id IS NULL AND $3::boolean))
  AND ($4::text[] IS NULL OR o.kind = ANY ($4::text[]))
  AND (o.not_before IS NULL OR o.not_before <= now())
  AND ($5::bigint IS NULL OR o.seq > $5::bigint) AND o.seq <= $7::bigint
ORDER BY o.seq LIMIT $6::bigint
