-- True when this queue is looked at by itself no later than that already.
SELECT EXISTS (SELECT FROM outbox WHERE workspace_id = $1::bigint AND repository_id = $2::bigint AND kind = 'queue.tick'
               AND subject = $3::text AND sent_at IS NULL AND not_before IS NOT NULL
               AND not_before <= to_timestamp($4::bigint / 1000.0)) AS is_set
