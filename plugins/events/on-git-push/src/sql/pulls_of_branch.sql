-- Open pull requests that come from a branch or want to merge into it.
SELECT id FROM pulls
WHERE repository_id = $1::bigint AND state IN ('open', 'draft')
  AND (head_branch = $2::text OR base_branch = $2::text)
ORDER BY id
