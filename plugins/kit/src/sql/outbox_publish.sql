INSERT INTO outbox (id, workspace_id, repository_id, actor_id, kind, subject, data, not_before)
VALUES ($1::uuid, $2::bigint, $3::bigint, $4::bigint, $5::text, $6::text, $7::jsonb,
        to_timestamp($8::bigint / 1000.0))
