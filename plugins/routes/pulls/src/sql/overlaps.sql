-- Other open pull requests that change the same files.
SELECT p.number, p.title, array_agg(mine.path ORDER BY mine.path) AS files
FROM pull_files mine
JOIN pull_files other ON other.repository_id = mine.repository_id AND other.path = mine.path AND other.pull_id <> mine.pull_id
JOIN pulls p ON p.id = other.pull_id AND p.state IN ('open', 'draft')
WHERE mine.pull_id = $1::bigint
GROUP BY p.number, p.title
ORDER BY p.number
LIMIT 100
