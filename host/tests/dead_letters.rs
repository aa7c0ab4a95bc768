//! An operator sees what died and sends it again.

#[path = "support/stage.rs"]
#[expect(dead_code, reason = "the stage has more than this story needs")]
mod stage;

use std::process::Command;

use sqlx::ConnectOptions;
use stage::Database;

/// Runs `dead-letters` and gives what it prints.
fn dead_letters(database: &Database, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_g1t-work"))
        .arg("dead-letters")
        .args(args)
        .env("DATABASE_URL", database.options.to_url_lossy().as_str())
        .env_remove("SQS_QUEUE_URL")
        .output()
        .expect("it runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_died_is_listed_with_its_reason_and_sent_again() {
    let database = Database::create().await;
    let bury = "INSERT INTO dead_letters (event_id, body, reason, receive_count)
                SELECT id, json_build_object('id', id, 'kind', 'pull.opened', 'workspace', $1::bigint, 'subject', '7', 'time', 0,
                                             'version', 1, 'data', json_build_object())::text, 'the database was down', 8
                FROM (SELECT gen_random_uuid() AS id) AS event";
    assert_eq!(database.execute(bury, 1).await, 1);

    let listed = dead_letters(&database, &["list"]);
    assert!(
        listed.contains("pull.opened 7: the database was down"),
        "{listed}"
    );
    let resent = dead_letters(&database, &["resend"]);
    assert!(resent.contains("1 sent again"), "{resent}");
    let waiting =
        "UPDATE queue_messages SET receive_count = 0 WHERE body LIKE '%pull.opened%' AND $1 = 0";
    assert_eq!(database.execute(waiting, 0).await, 1);
    assert_eq!(dead_letters(&database, &["list"]), "0 dead letters\n");
    let all = dead_letters(&database, &["list", "--all"]);
    assert!(all.contains("sent again"), "{all}");
}
