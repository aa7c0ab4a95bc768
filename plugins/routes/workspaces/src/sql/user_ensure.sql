-- $1 login, $2 kind, $3 the person an agent acts for.
INSERT INTO users (login, kind, acts_for) VALUES ($1::text, $2::text, $3::bigint) ON CONFLICT (lower(login)) DO NOTHING
