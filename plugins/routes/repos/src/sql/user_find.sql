SELECT id AS user_id, login AS user_login, kind AS user_kind FROM users WHERE lower(login) = lower($1::text)
