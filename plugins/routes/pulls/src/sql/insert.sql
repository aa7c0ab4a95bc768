INSERT INTO pulls (workspace_id, repository_id, number, title, body, state, author_id, base_branch, head_branch, head_sha,
                   base_sha, ahead, behind, last_pusher_id)
VALUES ($1::bigint, $2::bigint, $3::bigint, $4::text, $5::text, $6::text, $7::bigint, $8::text, $9::text, $10::text,
        $11::text, $12::integer, $13::integer, $7::bigint)
RETURNING id
