SELECT id, login, kind, acts_for FROM users WHERE lower(login) = lower($1::text)
