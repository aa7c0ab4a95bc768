//! A component may say to the database what it likes: it stays in its request's workspace and within its grant.

#[path = "support/stage.rs"]
#[expect(dead_code, reason = "the stage has more than this story needs")]
mod stage;

use g1t_work::capability::postgres::{GivenLogins, GuestLogins, LoginError};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool};
use stage::{Ask, Came, Database, Stage};

const NAMES: &str = "SELECT name FROM repositories ORDER BY name";

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_component_says_it_stays_in_its_workspace() {
    let stage = Stage::open().await;
    let acme = stage.database.workspace("acme", "site").await;
    let other = stage.database.workspace("other", "secret").await;
    // Each goes through, and changes nothing.
    for harmless in [
        "SELECT set_config('role', 'none', false)".to_owned(),
        format!("SELECT set_config('g1t.workspace_id', '{other}', false)"),
        "BEGIN READ WRITE".to_owned(),
        "SELECT set_config('row_security', 'on', false)".to_owned(),
    ] {
        let came = stage.sql(Some(acme), &format!("{harmless}\n{NAMES}")).await;
        assert_eq!(came, Came::ok("site"), "{harmless}");
    }
    let denied = "42501: permission denied for ";
    for (forbidden, why) in [
        ("SELECT secret FROM guest_access".to_owned(), denied),
        ("SELECT pid FROM guest_sessions".to_owned(), denied),
        (
            format!("UPDATE guest_sessions SET workspace_id = {other}"),
            denied,
        ),
        (
            format!("SELECT g1t_enter('x', {other}, 1)"),
            "42501: only the host says",
        ),
        (
            "SELECT set_config('session_authorization', 'postgres', false)".to_owned(),
            "42501: permission denied",
        ),
        (
            "SELECT 'mine' AS name INTO TEMP repositories".to_owned(),
            "42501: permission denied",
        ),
        (
            "SELECT 'mine' AS name INTO planted".to_owned(),
            "42501: permission denied",
        ),
        (
            "SELECT set_config('row_security', 'off', false)\nSELECT name FROM repositories"
                .to_owned(),
            "42501: query would be affected by row-level security",
        ),
    ] {
        let error = stage.sql(Some(acme), &forbidden).await.error();
        assert!(error.starts_with(why), "{forbidden}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_that_would_stay_with_the_connection_are_refused() {
    let stage = Stage::open().await;
    for statement in [
        "RESET ROLE",
        "SET search_path = pg_catalog",
        "PREPARE poison AS SELECT 1",
        "DEALLOCATE ALL",
        "LISTEN g1t_outbox",
        "COPY users TO STDOUT",
        "DO $$ BEGIN END $$",
    ] {
        let error = stage.sql(None, statement).await.error();
        assert!(error.contains("begins with one of"), "{statement}: {error}");
    }
    assert_eq!(stage.sql(None, "SELECT 'ok'").await, Came::ok("ok"));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_read_has_no_right_to_write() {
    let stage = Stage::open().await;
    let acme = stage.database.workspace("acme", "site").await;
    for body in [
        "BEGIN READ WRITE\nUPDATE repositories SET description = 'taken'".to_owned(),
        format!("INSERT INTO repositories (workspace_id, name) VALUES ({acme}, 'planted')"),
        "BEGIN READ WRITE\nSELECT create_workspace('mine', 1)".to_owned(),
    ] {
        let ask = Ask {
            path: "/sql",
            body: &body,
        };
        let error = stage.ask("reader", Some(acme), ask).await.error();
        assert!(
            error.starts_with("42501: permission denied for "),
            "{body}: {error}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_becomes_the_system_or_makes_others_owners() {
    let stage = Stage::open().await;
    let acme = stage.database.workspace("acme", "site").await;
    let system = "(SELECT id FROM users WHERE kind = 'system')";
    for statement in [
        "INSERT INTO users (login, kind) VALUES ('root', 'system')".to_owned(),
        format!("INSERT INTO users (login, kind, acts_for) VALUES ('bot', 'agent', {system})"),
        "UPDATE users SET kind = 'system'".to_owned(),
        "UPDATE users SET login = 'taken'".to_owned(),
        "DELETE FROM users".to_owned(),
        format!(
            "INSERT INTO tokens (id, user_id, workspace_id, hash, scopes) \
             VALUES ('tok_x', {system}, {acme}, sha256('x'), '{{}}')"
        ),
        format!("SELECT create_workspace('mine', {system})"),
    ] {
        let error = stage.sql(Some(acme), &statement).await.error();
        assert!(error.starts_with("42501: "), "{statement}: {error}");
    }
    let person = "INSERT INTO users (login, kind) VALUES ('ann', 'person')\nSELECT login FROM users WHERE login = 'ann'";
    assert_eq!(stage.sql(Some(acme), person).await, Came::ok("ann"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_still_answered_keeps_its_workspace() {
    let stage = Stage::open().await;
    let acme = stage.database.workspace("acme", "site").await;
    let other = stage.database.workspace("other", "secret").await;
    let mut gate = stage.database.pool.acquire().await.expect("a connection");
    gate.execute("SELECT pg_advisory_lock(77)")
        .await
        .expect("closed");
    let body = format!("SELECT 'open' FROM pg_advisory_lock(77)\n{NAMES}");
    let ask = Ask {
        path: "/answer-then-sql",
        body: &body,
    };
    // The head of the answer is here; the component waits for the gate, and then asks the database again.
    let reply = stage.begin("patient", Some(acme), ask).await;
    let waiting = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 77
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    while sqlx::query(waiting)
        .fetch_optional(&mut *gate)
        .await
        .expect("locks")
        .is_none()
    {}
    assert_eq!(stage.sql(Some(other), NAMES).await, Came::ok("secret"));
    gate.execute("SELECT pg_advisory_unlock(77)")
        .await
        .expect("opened");
    assert_eq!(Came::of(reply).await, Came::ok("site"));
    // And when it is done the instance is used again.
    assert_eq!(stage.sql(Some(acme), NAMES).await, Came::ok("site"));
}

/// Rows that a login sees when it has said all it can to be somebody else.
async fn seen_by(login: &PgConnectOptions, workspace: i64) -> i64 {
    let mut connection = PgConnection::connect_with(login).await.expect("let in");
    for statement in [
        "RESET ROLE".to_owned(),
        "RESET SESSION AUTHORIZATION".to_owned(),
        format!("SET g1t.workspace_id = '{workspace}'"),
        "SET g1t.actor_id = '1'".to_owned(),
    ] {
        connection
            .execute(AssertSqlSafe(statement))
            .await
            .expect("no harm in it");
    }
    sqlx::query_scalar("SELECT count(*) FROM repositories")
        .fetch_one(&mut connection)
        .await
        .expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_logins_themselves_see_nothing_and_cannot_become_the_host() {
    let database = Database::create().await;
    let acme = database.workspace("acme", "site").await;
    let logins = GuestLogins::prepare(&database.pool, &database.options, None)
        .await
        .expect("logins");
    let again = GuestLogins::prepare(&database.pool, &database.options, None).await;
    assert_eq!(
        again.expect("the same ones").writer.get_username(),
        logins.writer.get_username()
    );
    assert_eq!(seen_by(&logins.writer, acme).await, 0);
    assert_eq!(seen_by(&logins.reader, acme).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_may_more_than_a_guest_is_not_taken() {
    let database = Database::create().await;
    let logins = GuestLogins::prepare(&database.pool, &database.options, None)
        .await
        .expect("logins");
    let prepare = |writer: &PgConnectOptions, reader: &PgConnectOptions| {
        let given = GivenLogins {
            writer: writer.clone(),
            reader: reader.clone(),
        };
        GuestLogins::prepare(&database.pool, &database.options, Some(given))
    };
    let owner = prepare(&database.options, &logins.reader).await;
    assert!(matches!(owner, Err(LoginError::Unfit { .. })));
    let writing_reader = prepare(&logins.writer, &logins.writer).await;
    assert!(matches!(writing_reader, Err(LoginError::Unfit { .. })));
    assert!(prepare(&logins.writer, &logins.reader).await.is_ok());
}

/// A database of a role that is no superuser; both are dropped at the end of `story`.
async fn with_ordinary_host(may: &str, story: impl AsyncFnOnce(PgConnectOptions)) {
    let database = Database::create().await;
    let name = format!("ordinary_{}", uuid::Uuid::now_v7().simple());
    let mut admin = PgConnection::connect_with(&database.options)
        .await
        .expect("Postgres answers");
    for statement in [
        format!("CREATE ROLE {name} LOGIN {may}"),
        format!("CREATE DATABASE {name} OWNER {name}"),
    ] {
        admin
            .execute(AssertSqlSafe(statement))
            .await
            .expect("allowed");
    }
    story(database.options.clone().username(&name).database(&name)).await;
    let number: i64 = sqlx::query_scalar("SELECT oid::bigint FROM pg_database WHERE datname = $1")
        .bind(&name)
        .fetch_one(&mut admin)
        .await
        .expect("a number");
    for statement in [
        format!("DROP DATABASE {name} WITH (FORCE)"),
        format!("DROP ROLE IF EXISTS g1t_guest_{number}, g1t_reader_{number}, {name}"),
    ] {
        admin
            .execute(AssertSqlSafe(statement))
            .await
            .expect("allowed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_no_superuser_lets_guests_in_or_says_what_it_lacks() {
    with_ordinary_host("CREATEROLE", async |options| {
        let pool = PgPool::connect_with(options.clone()).await.expect("let in");
        sqlx::migrate!("./migrations")
            .run(&pool)
            .await
            .expect("migrated");
        let logins = GuestLogins::prepare(&pool, &options, None)
            .await
            .expect("logins");
        assert_eq!(seen_by(&logins.writer, 1).await, 0);
    })
    .await;
    with_ordinary_host("", async |options| {
        let pool = PgPool::connect_with(options.clone()).await.expect("let in");
        // Both groups are there: another database of this server made them.
        sqlx::migrate!("./migrations")
            .run(&pool)
            .await
            .expect("migrated");
        let Err(error) = GuestLogins::prepare(&pool, &options, None).await else {
            panic!("it made logins");
        };
        assert!(error.to_string().contains("CREATEROLE"), "{error}");
    })
    .await;
}
