-- Row-level security: a guest sees the rows of its request's workspace, so a forgotten WHERE in one component cannot show
-- another workspace's. Guests log in as roles that own nothing, so that nothing a guest may say brings back more than it
-- was given: the host makes two logins for each database when it starts, members of g1t_guest (reads and writes) and of
-- g1t_reader (reads). Whose request a connection serves stands in a table that only g1t_enter writes, and that asks for a
-- secret.

DO $$
DECLARE
    r text;
BEGIN
    FOREACH r IN ARRAY ARRAY['g1t_guest', 'g1t_reader'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', r);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            -- Roles belong to the whole server: another database's migration may have made it at the same moment.
            NULL;
        END;
    END LOOP;
END
$$;

-- A temporary table would hide the real one of its name, also from whoever gets the connection next; and before
-- Postgres 15 everybody could make tables.
DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
END
$$;

-- One row: what the host needs to let guests in. No guest may read it.
CREATE TABLE guest_access (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    -- 32 bytes: what g1t_enter asks for.
    secret bytea NOT NULL CHECK (length(secret) = 32),
    -- Password of both logins.
    password text NOT NULL CHECK (length(password) = 64)
);
INSERT INTO guest_access (secret, password)
SELECT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')),
       encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex');

-- Whose request each guest connection serves. Unlogged: after a crash there are no connections. Half-empty pages keep the
-- updates of every request in place.
CREATE UNLOGGED TABLE guest_sessions (
    -- Process of the server.
    pid integer PRIMARY KEY,
    -- NULL: no workspace's rows.
    workspace_id bigint,
    -- NULL: the system.
    actor_id bigint
) WITH (fillfactor = 50);

-- Restricted, not safe: a parallel worker has another pid than the connection it works for.
CREATE FUNCTION g1t_workspace() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path FROM CURRENT
    RETURN (SELECT workspace_id FROM guest_sessions WHERE pid = pg_backend_pid());

CREATE FUNCTION g1t_actor() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path FROM CURRENT
    RETURN (SELECT actor_id FROM guest_sessions WHERE pid = pg_backend_pid());

-- Says whose request the connection serves from now on. The host calls it before it hands a connection out.
CREATE FUNCTION g1t_enter(presented bytea, workspace bigint, actor bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM guest_access WHERE secret = presented) THEN
        RAISE insufficient_privilege USING MESSAGE = 'only the host says whose request a connection serves';
    END IF;
    INSERT INTO guest_sessions (pid, workspace_id, actor_id) VALUES (pg_backend_pid(), workspace, actor)
    ON CONFLICT (pid) DO UPDATE SET workspace_id = excluded.workspace_id, actor_id = excluded.actor_id;
END
$$;

-- SECURITY DEFINER: policies of users ask it, and may not read users themselves.
CREATE FUNCTION is_system(who bigint) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
    RETURN EXISTS (SELECT FROM users WHERE id = who AND kind = 'system');

-- Makes a workspace with its first owner and its counter. SECURITY DEFINER: the row is in no workspace that the
-- connection is in yet. The owner is the caller's actor: a component cannot make somebody else an owner. Whoever may act as this function's
-- owner, as the host may, is no guest.
CREATE FUNCTION create_workspace(workspace_name text, owner bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    made bigint;
BEGIN
    IF owner IS DISTINCT FROM g1t_actor() AND NOT pg_has_role(session_user, current_user, 'MEMBER') THEN
        RAISE insufficient_privilege USING MESSAGE = 'a workspace is made for the actor of the request';
    END IF;
    INSERT INTO workspaces (name) VALUES (workspace_name) RETURNING id INTO made;
    INSERT INTO workspace_members (workspace_id, user_id, role) VALUES (made, owner, 'owner');
    INSERT INTO work_counters (workspace_id) VALUES (made);
    RETURN made;
END
$$;
REVOKE EXECUTE ON FUNCTION create_workspace FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_workspace TO g1t_guest;

-- Temporary tables come last when these look for theirs, where without a word they come first.
DO $$
DECLARE
    f text;
BEGIN
    FOREACH f IN ARRAY ARRAY['g1t_workspace()', 'g1t_actor()', 'g1t_enter(bytea, bigint, bigint)', 'is_system(bigint)',
        'create_workspace(text, bigint)', 'repository_role(bigint, bigint)', 'workspace_role(bigint, bigint)']
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', f, current_schema());
    END LOOP;
END
$$;

-- The workspace is asked for once a statement, not once a row.
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY[
        'workspace_members', 'work_counters', 'repositories', 'repository_collaborators', 'pulls', 'pull_files',
        'overlap_pairs', 'reviews', 'commit_statuses', 'check_runs', 'rulesets', 'queues', 'queue_entries',
        'queue_attempts', 'outbox', 'inbox', 'dead_letters', 'tokens']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY workspace ON %I TO g1t_guest, g1t_reader
                        USING (workspace_id = (SELECT g1t_workspace()))
                        WITH CHECK (workspace_id = (SELECT g1t_workspace()))', t);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO g1t_guest', t);
        EXECUTE format('GRANT SELECT ON %I TO g1t_reader', t);
    END LOOP;
END
$$;
-- Kept by the host alone, for the decisions of its judge: a component can read them and cannot make one up.
ALTER TABLE rule_evaluations ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON rule_evaluations FOR SELECT TO g1t_guest, g1t_reader
    USING (workspace_id = (SELECT g1t_workspace()));
GRANT SELECT ON rule_evaluations TO g1t_guest, g1t_reader;
-- Answers are given again to whoever got them, and to nobody else.
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY actor ON idempotency_keys TO g1t_guest
    USING (actor_id = (SELECT g1t_actor()) AND workspace_id IS NOT DISTINCT FROM (SELECT g1t_workspace()))
    WITH CHECK (actor_id = (SELECT g1t_actor()) AND workspace_id IS NOT DISTINCT FROM (SELECT g1t_workspace()));
GRANT SELECT, INSERT ON idempotency_keys TO g1t_guest;
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON workspaces TO g1t_guest, g1t_reader
    USING (id = (SELECT g1t_workspace()) OR workspace_role((SELECT g1t_actor()), id) IS NOT NULL)
    WITH CHECK (id = (SELECT g1t_workspace()));
GRANT SELECT, UPDATE ON workspaces TO g1t_guest;
GRANT SELECT ON workspaces TO g1t_reader;

-- Nobody gets a token of the system.
CREATE POLICY no_system ON tokens AS RESTRICTIVE TO g1t_guest USING (true) WITH CHECK (NOT is_system(user_id));

-- Everybody's name is seen; a guest adds people and agents, never the system or an agent of it, and changes nobody.
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON users FOR SELECT TO g1t_guest, g1t_reader USING (true);
CREATE POLICY added ON users FOR INSERT TO g1t_guest WITH CHECK (kind <> 'system' AND NOT coalesce(is_system(acts_for), false));
GRANT SELECT ON users TO g1t_guest;
GRANT INSERT (login, name, email, kind, acts_for) ON users TO g1t_guest;
GRANT SELECT ON users TO g1t_reader;
