-- Nothing for a repository of another workspace, which a component may have named.
INSERT INTO rule_evaluations (workspace_id, repository_id, actor_id, moment, ref_name, old_sha, new_sha, outcome, bypassed,
                              verdicts, facts_digest, judge_digest, facts)
SELECT workspace_id, id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13
FROM repositories WHERE workspace_id = $1 AND id = $2
