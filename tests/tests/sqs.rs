//! The main job with SQS for a queue: what goes through it is the same.

use g1t_tests::{Server, WorkTree};
use serde_json::{Value, json};

/// A setting that lasts as long as the test's process.
fn kept(text: String) -> &'static str {
    text.leak()
}

/// Makes a queue of the test's own by the protocol itself; gives the settings that lead a server there.
async fn settings(name: &str) -> [(&'static str, &'static str); 4] {
    let endpoint = std::env::var("G1T_TEST_SQS_ENDPOINT")
        .expect("run the tests by `cargo xtask test`, or set G1T_TEST_SQS_ENDPOINT");
    let name = format!("{}{name}", uuid::Uuid::now_v7().simple());
    let mut asked = json!({ "QueueName": name });
    if name.ends_with(".fifo") {
        asked["Attributes"] = json!({ "FifoQueue": "true" });
    }
    let answer = reqwest::Client::new()
        .post(&endpoint)
        .header("x-amz-target", "AmazonSQS.CreateQueue")
        .header("content-type", "application/x-amz-json-1.0")
        .body(asked.to_string())
        .send()
        .await
        .expect("an SQS-protocol server");
    let made: Value = answer.json().await.expect("a queue");
    let url = made["QueueUrl"].as_str().expect("its address").to_owned();
    [
        ("SQS_QUEUE_URL", kept(url)),
        ("AWS_ENDPOINT_URL", kept(endpoint)),
        ("AWS_ACCESS_KEY_ID", "tests"),
        ("AWS_SECRET_ACCESS_KEY", "tests"),
    ]
}

/// A push updates a pull request, which is queued, tested and landed: each step is an event that went over the queue.
async fn the_main_job_over(name: &str) {
    let server = Server::start_with(&settings(name).await).await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    server.protect_main(true).await;
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    server.report(&head, "success").await;
    server.merge(number, json!({})).await.expect(202);
    let candidate = server.candidate(number).await;
    server.report(&candidate, "success").await;
    let merged = |pull: &Value| pull["merged"] == true;
    server
        .until(&format!("/repos/acme/site/pulls/{number}"), merged)
        .await;
    assert_eq!(server.head("main").await, candidate);
    // Nothing of it went through the queue that Postgres has.
    let through_postgres: i64 = sqlx::query_scalar("SELECT count(*) FROM queue_deduplication")
        .fetch_one(&server.database.pool().await)
        .await
        .expect("a count");
    assert_eq!(through_postgres, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fifo_queue_does_the_main_job() {
    the_main_job_over(".fifo").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standard_queue_does_the_main_job() {
    the_main_job_over("").await;
}
