-- Two that open pull requests in one repository wait for each other here.
SELECT last_pull_number FROM repositories WHERE id = $1::bigint FOR UPDATE
