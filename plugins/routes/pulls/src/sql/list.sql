SELECT p.id, p.number, p.title, p.body, p.state,
       p.author_id, author.login AS author_login, author.kind AS author_kind, author.name AS author_name,
       author.email AS author_email,
       p.base_branch, p.head_branch, p.head_sha, p.base_sha, p.behind, p.ahead, p.changed_files, p.mergeable,
       p.conflict_files, p.last_pusher_id, p.merge_intent_sha, p.merge_intent_method, p.merge_intent_actor_id,
       p.merged_by_id, merger.login AS merged_by_login, merger.kind AS merged_by_kind, p.merge_commit_sha,
       (extract(epoch FROM p.merged_at) * 1000)::bigint AS merged_at_ms,
       (extract(epoch FROM p.closed_at) * 1000)::bigint AS closed_at_ms,
       (extract(epoch FROM p.created_at) * 1000)::bigint AS created_at_ms,
       (extract(epoch FROM p.updated_at) * 1000)::bigint AS updated_at_ms
FROM pulls p
JOIN users author ON author.id = p.author_id
LEFT JOIN users merger ON merger.id = p.merged_by_id
WHERE p.repository_id = $1::bigint
  AND CASE $2::text WHEN 'open' THEN p.state IN ('open', 'draft') WHEN 'closed' THEN p.state IN ('merged', 'closed') ELSE true END
  AND ($3::text IS NULL OR p.head_branch = $3::text)
  AND ($4::text IS NULL OR p.base_branch = $4::text)
  -- Keys of the last row of the page before: what it is sorted by, then its number.
  AND ($7::bigint IS NULL OR CASE
        WHEN $6::boolean THEN
            (CASE $5::text WHEN 'updated' THEN (extract(epoch FROM p.updated_at) * 1000)::bigint ELSE p.number END, p.number)
            > ($7::bigint, $8::bigint)
        ELSE
            (CASE $5::text WHEN 'updated' THEN (extract(epoch FROM p.updated_at) * 1000)::bigint ELSE p.number END, p.number)
            < ($7::bigint, $8::bigint) END)
ORDER BY
    CASE WHEN $6::boolean THEN
        CASE $5::text WHEN 'updated' THEN (extract(epoch FROM p.updated_at) * 1000)::bigint ELSE p.number END END ASC,
    CASE WHEN NOT $6::boolean THEN
        CASE $5::text WHEN 'updated' THEN (extract(epoch FROM p.updated_at) * 1000)::bigint ELSE p.number END END DESC,
    CASE WHEN $6::boolean THEN p.number END ASC,
    CASE WHEN NOT $6::boolean THEN p.number END DESC
OFFSET $9::bigint LIMIT $10::bigint
