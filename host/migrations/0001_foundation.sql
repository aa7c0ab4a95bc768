-- The database g1t-work. Stored words are lower_snake with a CHECK. Every table that a workspace's requests reach carries
-- workspace_id. Who may see and write what stands in 0002.

-- People, agents, the system. Not of one workspace.
CREATE TABLE users (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    login text NOT NULL CHECK (login ~ '^[a-zA-Z0-9][a-zA-Z0-9._-]{0,38}$'),
    name text NOT NULL DEFAULT '' CHECK (length(name) <= 200),
    email text NOT NULL DEFAULT '' CHECK (length(email) <= 254),
    kind text NOT NULL CHECK (kind IN ('person', 'agent', 'system')),
    -- The person an agent acts for: the agent never has a role that this person lacks.
    acts_for bigint REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((kind = 'agent') = (acts_for IS NOT NULL))
);
CREATE UNIQUE INDEX users_login ON users (lower(login));

CREATE TABLE workspaces (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL CHECK (name ~ '^[a-zA-Z0-9][a-zA-Z0-9-]{0,38}$'),
    -- Role that every member has on every repository.
    base_permission text NOT NULL DEFAULT 'write' CHECK (base_permission IN ('none', 'read', 'write', 'admin')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX workspaces_name ON workspaces (lower(name));

CREATE TABLE workspace_members (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id bigint NOT NULL REFERENCES users,
    role text NOT NULL CHECK (role IN ('owner', 'member')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX workspace_members_user ON workspace_members (user_id);

CREATE TABLE tokens (
    -- 'tok_' and a UUIDv7: names the token without being it.
    id text PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users,
    -- NULL: every workspace of the user.
    workspace_id bigint REFERENCES workspaces ON DELETE CASCADE,
    -- SHA-256 of the token: 32 bytes. Tokens are 256 random bits, so no slow hash is needed.
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    note text NOT NULL DEFAULT '' CHECK (length(note) <= 200),
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX tokens_workspace ON tokens (workspace_id);

-- One sequence of numbers per workspace, for work items and pull requests.
CREATE TABLE work_counters (
    workspace_id bigint PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    last_number bigint NOT NULL DEFAULT 0 CHECK (last_number >= 0)
);

CREATE TABLE repositories (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL CHECK (name ~ '^[a-zA-Z0-9._-]{1,100}$' AND name NOT IN ('.', '..') AND name NOT LIKE '%.git'),
    description text NOT NULL DEFAULT '' CHECK (length(description) <= 350),
    private boolean NOT NULL DEFAULT true,
    default_branch text NOT NULL DEFAULT 'main' CHECK (length(default_branch) BETWEEN 1 AND 255),
    topics text[] NOT NULL DEFAULT '{}',
    allow_merge_commit boolean NOT NULL DEFAULT true,
    allow_squash_merge boolean NOT NULL DEFAULT true,
    allow_rebase_merge boolean NOT NULL DEFAULT true,
    -- Highest pull request number the repository has ever had: a new one is above it and above the workspace's counter.
    last_pull_number bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    pushed_at timestamptz
);
CREATE UNIQUE INDEX repositories_name ON repositories (workspace_id, lower(name));

CREATE TABLE repository_collaborators (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    user_id bigint NOT NULL REFERENCES users,
    role text NOT NULL CHECK (role IN ('read', 'triage', 'write', 'maintain', 'admin')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (repository_id, user_id)
);

CREATE TABLE pulls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    number bigint NOT NULL CHECK (number > 0),
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 256),
    body text NOT NULL DEFAULT '' CHECK (octet_length(body) <= 262144),
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('draft', 'open', 'merged', 'closed')),
    author_id bigint NOT NULL REFERENCES users,
    base_branch text NOT NULL,
    head_branch text NOT NULL,
    -- Last head the queue of events brought: the commit, whether the base is ahead of it, how merging would go.
    head_sha text NOT NULL,
    base_sha text NOT NULL,
    behind integer NOT NULL DEFAULT 0,
    ahead integer NOT NULL DEFAULT 0,
    changed_files integer NOT NULL DEFAULT 0,
    mergeable text NOT NULL DEFAULT 'checking' CHECK (mergeable IN ('clean', 'conflicting', 'checking', 'unknown')),
    conflict_files text[] NOT NULL DEFAULT '{}',
    last_pusher_id bigint REFERENCES users,
    last_push_at timestamptz NOT NULL DEFAULT now(),
    -- A merge without the queue that was decided and may not be recorded yet: what the base branch is moved to, by whom,
    -- how. Whoever sees the base branch contain merge_intent_sha finishes it, so a crash in between loses nothing.
    merge_intent_sha text,
    merge_intent_method text CHECK (merge_intent_method IN ('merge', 'squash', 'rebase', 'fast_forward')),
    merge_intent_actor_id bigint REFERENCES users,
    merged_at timestamptz,
    merged_by_id bigint REFERENCES users,
    merge_commit_sha text,
    closed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (repository_id, number),
    CHECK ((state = 'merged') = (merged_at IS NOT NULL)),
    CHECK ((merge_intent_sha IS NULL) = (merge_intent_method IS NULL))
);
CREATE UNIQUE INDEX pulls_open_head ON pulls (repository_id, head_branch, base_branch) WHERE state IN ('draft', 'open');
CREATE INDEX pulls_base ON pulls (repository_id, base_branch) WHERE state IN ('draft', 'open');
CREATE INDEX pulls_head_sha ON pulls (repository_id, head_sha) WHERE state IN ('draft', 'open');

-- Files an open pull request changes: what overlaps are found by.
CREATE TABLE pull_files (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    pull_id bigint NOT NULL REFERENCES pulls ON DELETE CASCADE,
    path text NOT NULL,
    previous_path text,
    status text NOT NULL CHECK (status IN ('added', 'modified', 'removed', 'renamed', 'mode_changed')),
    PRIMARY KEY (pull_id, path)
);
CREATE INDEX pull_files_path ON pull_files (repository_id, path);

-- Pairs of open pull requests changing the same files, announced once per pair: the row is the announcement.
CREATE TABLE overlap_pairs (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    pull_id bigint NOT NULL REFERENCES pulls ON DELETE CASCADE,
    other_pull_id bigint NOT NULL REFERENCES pulls ON DELETE CASCADE,
    files text[] NOT NULL,
    announced_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (pull_id, other_pull_id),
    CHECK (pull_id < other_pull_id)
);

CREATE TABLE reviews (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    pull_id bigint NOT NULL REFERENCES pulls ON DELETE CASCADE,
    reviewer_id bigint NOT NULL REFERENCES users,
    state text NOT NULL CHECK (state IN ('approved', 'changes_requested', 'commented', 'dismissed')),
    body text NOT NULL DEFAULT '' CHECK (octet_length(body) <= 262144),
    head_sha text NOT NULL,
    submitted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX reviews_pull ON reviews (pull_id, id);

-- Setting a context again on a commit adds a row; the newest of a context and a reporter counts.
CREATE TABLE commit_statuses (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    sha text NOT NULL,
    context text NOT NULL DEFAULT 'default' CHECK (length(context) BETWEEN 1 AND 100),
    state text NOT NULL CHECK (state IN ('pending', 'success', 'failure', 'error')),
    description text NOT NULL DEFAULT '' CHECK (length(description) <= 140),
    target_url text NOT NULL DEFAULT '',
    creator_id bigint NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX commit_statuses_sha ON commit_statuses (repository_id, sha, id DESC);

CREATE TABLE check_runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    sha text NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'in_progress', 'completed')),
    conclusion text CHECK (conclusion IN ('success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required', 'stale')),
    external_id text NOT NULL DEFAULT '' CHECK (length(external_id) <= 200),
    details_url text NOT NULL DEFAULT '',
    -- {title, summary, text, annotations[]}
    output jsonb NOT NULL DEFAULT '{}',
    reporter_id bigint NOT NULL REFERENCES users,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    completed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((status = 'completed') = (conclusion IS NOT NULL))
);
CREATE INDEX check_runs_sha ON check_runs (repository_id, sha, id DESC);

CREATE TABLE rulesets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    -- NULL: a ruleset of the workspace.
    repository_id bigint REFERENCES repositories ON DELETE CASCADE,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    target text NOT NULL DEFAULT 'branch' CHECK (target IN ('branch', 'tag', 'push')),
    enforcement text NOT NULL CHECK (enforcement IN ('active', 'evaluate', 'disabled')),
    include text[] NOT NULL DEFAULT '{}',
    exclude text[] NOT NULL DEFAULT '{}',
    -- Patterns of repository names, for a ruleset of the workspace.
    repositories text[] NOT NULL DEFAULT '{}',
    -- [{actor_type, actor_id, bypass_mode}]
    bypass jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(bypass) = 'array'),
    -- [{type, parameters, applies_to}], as they were written: fields we do not have are kept.
    rules jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(rules) = 'array'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX rulesets_name ON rulesets (workspace_id, coalesce(repository_id, 0), lower(name));

-- One queue per repository and base branch; the row is what a tick locks.
CREATE TABLE queues (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    base_branch text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (repository_id, base_branch)
);

CREATE TABLE queue_entries (
    -- 'qe_' and a UUIDv7.
    id text PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    queue_id bigint NOT NULL REFERENCES queues ON DELETE CASCADE,
    pull_id bigint NOT NULL REFERENCES pulls ON DELETE CASCADE,
    state text NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'testing', 'passed', 'failed', 'landed', 'removed')),
    -- Order in the queue: lower is nearer to landing.
    position double precision NOT NULL,
    method text NOT NULL CHECK (method IN ('merge', 'squash', 'rebase', 'fast_forward')),
    -- The head the entry was queued with or rebuilt from: a candidate of another head does not land.
    head_sha text NOT NULL,
    queued_by_id bigint NOT NULL REFERENCES users,
    -- The token it was queued with (NULL: none was told): a bypass list may name it.
    queued_by_token text,
    queued_at timestamptz NOT NULL DEFAULT now(),
    -- When it became one of a group that lands together: it waits for no others any more.
    gathered_at timestamptz,
    -- Why it is where it is, for people: the reason of a failure or a removal, or what it waits for.
    reason text NOT NULL DEFAULT '',
    reason_code text NOT NULL DEFAULT '',
    finished_at timestamptz,
    CHECK ((state IN ('failed', 'landed', 'removed')) = (finished_at IS NOT NULL))
);
CREATE UNIQUE INDEX queue_entries_live ON queue_entries (pull_id) WHERE finished_at IS NULL;
CREATE INDEX queue_entries_queue ON queue_entries (queue_id, position) WHERE finished_at IS NULL;
CREATE INDEX queue_entries_finished ON queue_entries (queue_id, finished_at DESC) WHERE finished_at IS NOT NULL;

-- What was built for an entry. The newest attempt is the entry's candidate; older ones are history.
CREATE TABLE queue_attempts (
    -- 'qa_' and a UUIDv7.
    id text PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    entry_id text NOT NULL REFERENCES queue_entries ON DELETE CASCADE,
    -- 1 for the first of an entry.
    number integer NOT NULL CHECK (number > 0),
    -- 'g1t-queue/<entry>-<number>': a name of its own for every build, so that no report is taken for another's.
    branch text NOT NULL,
    head_sha text NOT NULL,
    -- The state it is landed on, and the attempt that state comes from (NULL: the base branch itself).
    onto_sha text NOT NULL,
    onto_attempt_id text REFERENCES queue_attempts,
    -- intended: to be built. built: candidate_sha is there to be tested. unbuildable: conflict and the like, in `detail`.
    -- void: something it stood on changed. landing: to be landed, or landed and not recorded. landed: done.
    state text NOT NULL DEFAULT 'intended'
        CHECK (state IN ('intended', 'built', 'unbuildable', 'void', 'landing', 'landed')),
    candidate_sha text,
    detail text NOT NULL DEFAULT '',
    conflict_files text[] NOT NULL DEFAULT '{}',
    -- Goes into the commits that are made, so that building again gives the same ids.
    created_at timestamptz NOT NULL DEFAULT now(),
    built_at timestamptz,
    branch_removed_at timestamptz,
    UNIQUE (entry_id, number),
    CHECK (state NOT IN ('built', 'landing', 'landed') OR candidate_sha IS NOT NULL)
);
CREATE INDEX queue_attempts_candidate ON queue_attempts (repository_id, candidate_sha);
CREATE INDEX queue_attempts_left ON queue_attempts (repository_id) WHERE branch_removed_at IS NULL;

-- Every judged push and merge: who wanted what, what the judge said, and by which facts and judge.
CREATE TABLE rule_evaluations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    actor_id bigint REFERENCES users,
    moment text NOT NULL CHECK (moment IN ('push', 'merge', 'queue')),
    ref_name text NOT NULL,
    old_sha text NOT NULL,
    new_sha text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('pass', 'fail', 'waiting')),
    bypassed boolean NOT NULL DEFAULT false,
    -- [{ruleset_id, ruleset_name, rule, enforcement, outcome, why, remedy, bypassable}]: those that do not pass.
    verdicts jsonb NOT NULL,
    -- SHA-256 of the facts and rulesets as judged, and of the judge's bytes.
    facts_digest bytea NOT NULL,
    judge_digest bytea NOT NULL,
    -- {facts, rulesets}: the very text that facts_digest is of, so that the decision can be judged again. Text and not
    -- jsonb, which would reorder it and refuses U+0000. NULL: larger than the host keeps.
    facts text,
    evaluated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX rule_evaluations_evaluated ON rule_evaluations (evaluated_at);
CREATE INDEX rule_evaluations_repository ON rule_evaluations (repository_id, id DESC);

-- Events: published by inserting here in the transaction that makes them happen. Rows stay: they are the timeline.
CREATE TABLE outbox (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- UUIDv7: the event's id for ever.
    id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint,
    actor_id bigint,
    kind text NOT NULL CHECK (kind ~ '^[a-z_]+(\.[a-z_]+)+$'),
    subject text NOT NULL DEFAULT '',
    version integer NOT NULL DEFAULT 1,
    data jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Not to be sent before: how time-outs wake up.
    not_before timestamptz,
    sent_at timestamptz
);
CREATE INDEX outbox_unsent ON outbox (seq) WHERE sent_at IS NULL;
CREATE INDEX outbox_workspace ON outbox (workspace_id, seq DESC);

CREATE FUNCTION outbox_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('g1t_outbox', '');
    RETURN NULL;
END
$$;
CREATE TRIGGER outbox_notify AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION outbox_notify();

-- Which handler has done which event: written in the handler's own transaction.
CREATE TABLE inbox (
    event_id uuid NOT NULL,
    handler text NOT NULL,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    handled_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (event_id, handler)
);

-- The queue client `postgres`: what SQS is for an installation that has none.
CREATE TABLE queue_messages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text NOT NULL,
    group_id text NOT NULL,
    deduplication_id text NOT NULL,
    body text NOT NULL,
    receive_count integer NOT NULL DEFAULT 0,
    -- Hidden until then: while somebody works on it, or by a delay.
    visible_at timestamptz NOT NULL DEFAULT now(),
    -- Proves that who deletes or extends is who received last.
    receipt uuid,
    -- Key of the advisory lock that the receiver's process holds while it lives; NULL: only visible_at counts.
    holder bigint,
    sent_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX queue_messages_group ON queue_messages (queue, group_id, id);
CREATE INDEX queue_messages_visible ON queue_messages (queue, visible_at, id);

-- Ids that were sent in the last minutes, as SQS keeps them for FIFO queues: sending one again does nothing.
CREATE TABLE queue_deduplication (
    queue text NOT NULL,
    deduplication_id text NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (queue, deduplication_id)
);

-- Events that no try could handle, with the reason; people list them and send them again.
CREATE TABLE dead_letters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id bigint REFERENCES workspaces ON DELETE CASCADE,
    event_id uuid,
    body text NOT NULL,
    reason text NOT NULL,
    receive_count integer NOT NULL,
    died_at timestamptz NOT NULL DEFAULT now(),
    resent_at timestamptz
);
CREATE INDEX dead_letters_workspace ON dead_letters (workspace_id, id DESC);

-- Ref moves that git is about to store: written before git may, removed with the event in the outbox when it has. What
-- is left at start is settled by looking at the refs.
CREATE TABLE push_intents (
    -- UUIDv7; becomes the id of the git.push event, so settling one twice publishes it once.
    id uuid PRIMARY KEY,
    -- All refs of one push.
    push_id uuid NOT NULL,
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    actor_id bigint REFERENCES users,
    ref_name text NOT NULL,
    old_sha text NOT NULL,
    new_sha text NOT NULL,
    -- The rest of the event's data.
    data jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX push_intents_repository ON push_intents (repository_id);

-- Answers of creates, by the Idempotency-Key they came with; kept for a day.
CREATE TABLE idempotency_keys (
    -- NULL: of a request whose path names no workspace, such as the one that makes one.
    workspace_id bigint REFERENCES workspaces ON DELETE CASCADE,
    actor_id bigint NOT NULL REFERENCES users,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    -- SHA-256 of method, path and body: the same key for something else is refused.
    request_digest bytea NOT NULL,
    status integer NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX idempotency_keys_key ON idempotency_keys (coalesce(workspace_id, 0), actor_id, key);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

-- Rank of a role: 0 none, 1 read, 2 triage, 3 write, 4 maintain, 5 admin.
CREATE FUNCTION role_rank(role text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(array_position(ARRAY['read', 'triage', 'write', 'maintain', 'admin'], role), 0);

-- The one place that says which role an actor has on a repository: host and components ask here. SECURITY DEFINER: it
-- reads memberships that the asker may not see.
CREATE FUNCTION repository_role(actor bigint, repository bigint) RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    who users;
    repo repositories;
    member text;
    rank integer;
BEGIN
    SELECT * INTO repo FROM repositories WHERE id = repository;
    IF NOT FOUND THEN RETURN 0; END IF;
    rank := CASE WHEN repo.private THEN 0 ELSE 1 END;
    SELECT * INTO who FROM users WHERE id = actor;
    IF NOT FOUND THEN RETURN rank; END IF;
    IF who.kind = 'system' THEN RETURN 5; END IF;
    IF who.kind = 'agent' THEN
        -- Never more than write, never more than the person it acts for.
        RETURN least(3, repository_role(who.acts_for, repository));
    END IF;
    SELECT role INTO member FROM workspace_members WHERE workspace_id = repo.workspace_id AND user_id = actor;
    IF member = 'owner' THEN RETURN 5; END IF;
    IF member = 'member' THEN
        rank := greatest(rank, (SELECT role_rank(base_permission) FROM workspaces WHERE id = repo.workspace_id));
    END IF;
    RETURN greatest(rank, coalesce((SELECT role_rank(role) FROM repository_collaborators
                                    WHERE repository_id = repository AND user_id = actor), 0));
END
$$;

-- 'owner', 'member' or NULL. An agent is a member where its person is one, and never an owner.
CREATE FUNCTION workspace_role(actor bigint, workspace bigint) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
    RETURN (SELECT CASE WHEN u.kind = 'agent' THEN 'member' ELSE m.role END
            FROM users u JOIN workspace_members m ON m.user_id = coalesce(u.acts_for, u.id)
            WHERE u.id = actor AND m.workspace_id = workspace);

-- The next number of the workspace, above every number the repository already has. The row lock makes two callers wait
-- for each other, so no number is given twice.
CREATE FUNCTION next_number(workspace bigint, at_least bigint) RETURNS bigint LANGUAGE sql AS $$
    UPDATE work_counters SET last_number = greatest(last_number, at_least) + 1
    WHERE workspace_id = workspace RETURNING last_number
$$;

INSERT INTO users (login, name, kind) VALUES ('g1t', 'g1t', 'system');
