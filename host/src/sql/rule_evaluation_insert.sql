INSERT INTO rule_evaluations (workspace_id, repository_id, actor_id, moment, ref_name, old_sha, new_sha, outcome, bypassed,
                              verdicts, facts_digest, judge_digest)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
