INSERT INTO rule_evaluations (workspace_id, repository_id, actor_id, moment, ref_name, old_sha, new_sha, outcome, bypassed,
                              verdicts, facts_digest, judge_digest)
VALUES ($1::bigint, $2::bigint, $3::bigint, 'merge', $4::text, $5::text, $6::text, $7::text, $8::boolean, $9::jsonb,
        $10::bytea, $11::bytea)
