SELECT EXISTS (SELECT FROM queue_entries e JOIN queues q ON q.id = e.queue_id
               WHERE q.repository_id = $1::bigint AND q.base_branch = $2::text AND e.finished_at IS NULL) AS has_entries
