-- The row is the announcement: a pair that is there has been announced, and never is again.
INSERT INTO overlap_pairs (workspace_id, repository_id, pull_id, other_pull_id, files)
SELECT $1::bigint, $2::bigint, least($3::bigint, other.pull_id), greatest($3::bigint, other.pull_id),
       (array_agg(DISTINCT mine.path ORDER BY mine.path))[1:100]
FROM pull_files mine
JOIN pull_files other ON other.repository_id = mine.repository_id AND other.path = mine.path AND other.pull_id <> mine.pull_id
JOIN pulls p ON p.id = other.pull_id AND p.state IN ('open', 'draft')
WHERE mine.pull_id = $3::bigint
GROUP BY other.pull_id
ON CONFLICT (pull_id, other_pull_id) DO NOTHING
RETURNING files, (SELECT number FROM pulls p WHERE p.id = overlap_pairs.pull_id) AS number,
          (SELECT number FROM pulls p WHERE p.id = overlap_pairs.other_pull_id) AS other_number
