-- $1 pull request: who pushed its head last (whoever opened it, when nobody pushed since) and when.
SELECT coalesce(pusher.login, author.login) AS last_pusher, coalesce(p.last_pusher_id, p.author_id) AS last_pusher_id,
       author.acts_for AS author_acts_for,
       (extract(epoch FROM p.last_push_at) * 1000)::bigint AS last_push_ms
FROM pulls p
JOIN users author ON author.id = p.author_id
LEFT JOIN users pusher ON pusher.id = p.last_pusher_id
WHERE p.id = $1::bigint
