WITH next AS (
    SELECT coalesce(max(number), 0) + 1 AS number FROM queue_attempts WHERE entry_id = $4::text
)
INSERT INTO queue_attempts (id, workspace_id, repository_id, entry_id, number, branch, head_sha, onto_sha, onto_attempt_id)
SELECT $1::text, $2::bigint, $3::bigint, $4::text, next.number, 'g1t-queue/' || $4::text || '-' || next.number,
       $5::text, $6::text, $7::text
FROM next
