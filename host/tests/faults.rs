//! A component that does everything wrong harms the request it does it in, and nothing else.

#[path = "support/stage.rs"]
mod stage;

use std::time::{Duration, Instant};

use g1t_work::limits;
use sqlx::postgres::PgConnectOptions;
use stage::{Ask, Came, Stage};

/// Names that sort; a query without WHERE.
const NAMES: &str = "SELECT name FROM repositories ORDER BY name";

fn insert(workspace: i64, name: &str) -> String {
    format!("INSERT INTO repositories (workspace_id, name) VALUES ({workspace}, '{name}')")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_ends_at_its_deadline_and_the_next_request_is_answered() {
    let stage = Stage::open().await;
    assert_eq!(stage.faults("/loop").await, Came::TimedOut);
    assert_eq!(stage.faults("/ok").await, Came::ok("ok"));
    stage.expect_all_given_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_time_out_after_another_is_caught() {
    let stage = Stage::open().await;
    for _ in 0..3 {
        assert_eq!(stage.faults("/loop").await, Came::TimedOut);
    }
    assert_eq!(stage.faults("/ok").await, Came::ok("ok"));
    stage.expect_all_given_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn others_are_answered_while_several_loop() {
    let stage = Stage::open().await;
    let looping = futures::future::join_all((0..4).map(|_| stage.faults("/loop")));
    let others = async {
        let mut answered = Vec::new();
        for _ in 0..10 {
            answered.push(stage.sql(None, "SELECT 'ok'").await);
        }
        (answered, Instant::now())
    };
    let loops = async { (looping.await, Instant::now()) };
    let ((looped, loops_ended), (answered, others_ended)) = tokio::join!(loops, others);
    assert_eq!(looped, vec![Came::TimedOut; 4]);
    assert_eq!(answered, vec![Came::ok("ok"); 10]);
    assert!(
        others_ended < loops_ended,
        "the others had to wait for the loops"
    );
    stage.expect_all_given_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_without_end_is_refused_at_the_limit_and_given_back() {
    let stage = Stage::open().await;
    for _ in 0..3 {
        let cause = stage.faults("/alloc").await.cause();
        assert!(
            cause.contains(&format!("{} allowed", 64 << 20)),
            "the cause names the limit: {cause}"
        );
    }
    assert_eq!(stage.faults("/ok").await, Came::ok("ok"));
    stage.expect_all_given_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trap_fails_its_request_alone() {
    let stage = Stage::open().await;
    let (trapped, answered) = tokio::join!(stage.faults("/trap"), stage.faults("/ok"));
    let cause = trapped.cause();
    assert!(cause.contains("unreachable"), "the cause is told: {cause}");
    assert_eq!(answered, Came::ok("ok"));
    assert_eq!(stage.faults("/ok").await, Came::ok("ok"));
    stage.expect_all_given_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_the_database_ends_at_the_deadline() {
    let stage = Stage::open().await;
    for path in ["/hang", "/hang-holding-the-store"] {
        let begun = Instant::now();
        assert_eq!(stage.faults(path).await, Came::TimedOut, "{path}");
        assert!(
            begun.elapsed() < limits::STATEMENT,
            "{path}: it was the database that gave up"
        );
        assert_eq!(stage.faults("/ok").await, Came::ok("ok"));
    }
    stage.expect_all_given_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_takes_too_long_is_an_error_for_the_component() {
    let stage = Stage::open().await;
    let ask = |path| Ask { path, body: "" };
    let (concurrent, holding) = tokio::join!(
        stage.ask("patient", None, ask("/hang")),
        stage.ask("patient", None, ask("/hang-holding-the-store")),
    );
    let cancelled = "57014: canceling statement due to statement timeout";
    assert_eq!(concurrent.error(), cancelled);
    assert_eq!(holding.error(), cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_in_a_statement_is_an_error_and_the_next_one_works() {
    let stage = Stage::open().await;
    let ask = Ask {
        path: "/hang",
        body: "",
    };
    let broken = async {
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND query LIKE '%pg_sleep(60)%'
                   AND state = 'active' AND pid <> pg_backend_pid() AND $1 = 0";
        while stage.database.execute(end, 0).await == 0 {
            tokio::task::yield_now().await;
        }
    };
    let (hung, ()) = tokio::join!(stage.ask("patient", None, ask), broken);
    assert_eq!(
        hung.error(),
        "57P01: terminating connection due to administrator command"
    );
    assert_eq!(stage.sql(None, "SELECT 'back'").await, Came::ok("back"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_after_the_database_was_started_again_is_answered() {
    let stage = Stage::open().await;
    // Several connections, all back in the pool.
    let held = (0..4).map(|_| stage.sql(None, "SELECT 1 FROM pg_sleep(0.1)"));
    futures::future::join_all(held).await;
    let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
               WHERE datname = current_database() AND usename LIKE 'g1t\\_guest\\_%' AND $1 = 0";
    assert!(stage.database.execute(end, 0).await >= 4);
    for _ in 0..4 {
        assert_eq!(stage.sql(None, "SELECT 'back'").await, Came::ok("back"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_says_nothing_is_an_error_and_not_a_hang() {
    // Takes connections and never speaks.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    expect_connection_failed(port).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_not_there_is_an_error_and_not_a_hang() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = gone.local_addr().expect("an address").port();
    drop(gone);
    expect_connection_failed(port).await;
}

async fn expect_connection_failed(port: u16) {
    let guests = PgConnectOptions::new_without_pgpass()
        .host("127.0.0.1")
        .port(port)
        .username("nobody");
    let stage = Stage::with_guests_at(guests).await;
    let begun = Instant::now();
    let error = stage.sql(None, "SELECT 'ok'").await.error();
    assert!(error.starts_with("Error::ConnectionFailed"), "{error}");
    assert!(begun.elapsed() < limits::CONNECT_WAIT + Duration::from_secs(10));
    let ask = Ask {
        path: "/ok",
        body: "",
    };
    assert_eq!(stage.ask("patient", None, ask).await, Came::ok("ok"));
}

#[tokio::test(flavor = "multi_thread")]
async fn none_one_and_many_rows_arrive() {
    let stage = Stage::open().await;
    for (path, said) in [
        ("/rows?n=0", "0 rows, sum 0"),
        ("/rows?n=1", "1 rows, sum 1"),
        ("/rows?n=65", "65 rows, sum 2145"),
        ("/rows?n=20000", "20000 rows, sum 200010000"),
    ] {
        let ask = Ask { path, body: "" };
        assert_eq!(stage.ask("patient", None, ask).await, Came::ok(said));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_may_be_left_and_the_connection_used_again() {
    let stage = Stage::open().await;
    let ask = Ask {
        path: "/drop-rows?n=20000",
        body: "",
    };
    assert_eq!(
        stage.ask("patient", None, ask).await,
        Came::ok("Some(1) Some(7)")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_larger_than_the_limit_are_an_error_that_names_it() {
    let stage = Stage::open().await;
    let large = "SELECT repeat('x', 1048576) FROM generate_series(1, 80)";
    let error = stage.sql(None, large).await.error();
    assert!(error.contains("larger than 64 MiB"), "{error}");
    assert_eq!(stage.sql(None, "SELECT 'ok'").await, Came::ok("ok"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_component_leaves_open_is_rolled_back_however_it_ends() {
    let stage = Stage::open().await;
    let acme = stage.database.workspace("acme", "site").await;
    let begin = format!("BEGIN\n{}", insert(acme, "left-open"));
    let ask = |path| Ask {
        path,
        body: begin.as_str(),
    };
    assert_eq!(
        stage.ask("faults", Some(acme), ask("/sql")).await,
        Came::ok("")
    );
    let trapped = stage
        .ask("faults", Some(acme), ask("/open-transaction-and-trap"))
        .await;
    assert!(trapped.cause().contains("unreachable"));
    let timed_out = stage
        .ask("faults", Some(acme), ask("/open-transaction-and-loop"))
        .await;
    assert_eq!(timed_out, Came::TimedOut);
    // Its name is free: this would wait for a transaction that is still open, and fail after one that was committed.
    let begun = Instant::now();
    let again = "INSERT INTO repositories (workspace_id, name) VALUES ($1, 'left-open')";
    assert_eq!(stage.database.execute(again, acme).await, 1);
    assert!(
        begun.elapsed() < limits::IDLE_IN_TRANSACTION / 2,
        "it was the database that ended the transaction"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_component_commits_is_there_when_it_traps_later() {
    let stage = Stage::open().await;
    let acme = stage.database.workspace("acme", "site").await;
    let body = format!("BEGIN\n{}\nCOMMIT", insert(acme, "kept"));
    let ask = Ask {
        path: "/open-transaction-and-trap",
        body: &body,
    };
    stage.ask("faults", Some(acme), ask).await.cause();
    assert_eq!(stage.sql(Some(acme), NAMES).await, Came::ok("kept\nsite"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_without_where_sees_only_the_workspace_of_the_call() {
    let stage = Stage::open().await;
    let acme = stage.database.workspace("acme", "site").await;
    let other = stage.database.workspace("other", "secret").await;
    assert_eq!(stage.sql(Some(acme), NAMES).await, Came::ok("site"));
    assert_eq!(stage.sql(Some(other), NAMES).await, Came::ok("secret"));
    assert_eq!(stage.sql(None, NAMES).await, Came::ok(""));
    let foreign = stage.sql(Some(acme), &insert(other, "planted")).await;
    assert_eq!(
        foreign.error(),
        "42501: new row violates row-level security policy for table \"repositories\""
    );
    let everything = "UPDATE repositories SET description = 'taken'";
    assert_eq!(stage.sql(Some(acme), everything).await, Came::ok(""));
    let untouched =
        "UPDATE repositories SET name = name WHERE workspace_id = $1 AND description = ''";
    assert_eq!(stage.database.execute(untouched, other).await, 1);
    assert_eq!(stage.database.execute(untouched, acme).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_component_sets_does_not_reach_the_next_request() {
    let stage = Stage::open().await;
    let acme = stage.database.workspace("acme", "site").await;
    let other = stage.database.workspace("other", "secret").await;
    let left = "SELECT set_config('search_path', 'pg_catalog', false)\n\
                SELECT set_config('statement_timeout', '0', false)";
    stage.sql(Some(acme), left).await.text();
    for _ in 0..3 {
        assert_eq!(stage.sql(Some(other), NAMES).await, Came::ok("secret"));
        let timeout = stage.sql(Some(other), "SELECT current_setting('statement_timeout')");
        assert_eq!(timeout.await, Came::ok("10s"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_read_cannot_write() {
    let stage = Stage::open().await;
    let acme = stage.database.workspace("acme", "site").await;
    let body = insert(acme, "written");
    let path = "/sql";
    let written = stage.ask("reader", Some(acme), Ask { path, body: &body });
    assert_eq!(
        written.await.error(),
        "42501: permission denied for table repositories"
    );
    let read = stage.ask("reader", Some(acme), Ask { path, body: NAMES });
    assert_eq!(read.await, Came::ok("site"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_is_had_by_whom_it_is_granted() {
    let stage = Stage::open().await;
    assert_eq!(stage.faults("/variables?greeting").await, Came::ok("hello"));
    for (name, why) in [
        ("secret", "'secret' is not granted to this component"),
        ("unset", "'unset' has no value"),
        ("Greeting", "a name has lower-case letters, digits and '_'"),
    ] {
        let error = stage.faults(&format!("/variables?{name}")).await.error();
        assert!(error.contains(why), "{name}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_granted_stops_the_start_with_the_line_and_the_remedy() {
    let without = "[judge]\nsource = \"JUDGE\"\n\n[component.faults]\nsource = \"FAULTS\"\nroutes = [\"GET /ok\"]\n";
    let refusal = Stage::refusal(without).await.to_string();
    assert!(
        refusal.contains("app.toml:4: component 'faults'"),
        "{refusal}"
    );
    assert!(refusal.contains("to its grants"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_of_the_older_http_reads_and_answers() {
    let stage = Stage::open().await;
    let ask = Ask {
        path: "/door?open",
        body: "four",
    };
    for _ in 0..3 {
        let came = stage.ask("older", None, ask).await;
        assert_eq!(came, Came::ok("hello /door?open, 4 bytes"));
    }
    stage.expect_all_given_back().await;
}
