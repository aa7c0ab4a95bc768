//! `kill -9` at recorded steps: nothing lost, nothing landed twice, nothing landed untested.
//!
//! A [`Step`] is where the server waits and is killed.

use g1t_tests::{Server, Step, WorkTree};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_git_stored_has_its_event_whenever_the_server_dies() {
    let mut server = Server::start().await;
    server.make_site().await;
    let mut tree = WorkTree::begin(&server);
    // Git has stored the push; its event is not written yet.
    let mut step = Step::before(&server, "DELETE", "push_intents").await;
    tree.git(&["checkout", "--quiet", "-b", "feature"]);
    let head = tree.commit("feature", "new\n");
    let pushing = std::thread::scope(|scope| {
        let pushed = scope.spawn(|| tree.push("feature"));
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(step.reached());
        });
        server.kill();
        pushed.join().expect("git ended")
    });
    assert!(pushing.is_err(), "nobody was left to answer the push");
    step.clear().await;
    server.restart();
    tree.follow(&server);
    assert_eq!(server.head("feature").await, head);
    assert_eq!(server.pushes("refs/heads/feature").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_was_only_announced_is_not_stored() {
    let mut server = Server::start().await;
    server.make_site().await;
    let mut tree = WorkTree::begin(&server);
    let mut step = Step::before(&server, "INSERT", "push_intents").await;
    tree.git(&["checkout", "--quiet", "-b", "feature"]);
    tree.commit("feature", "new\n");
    std::thread::scope(|scope| {
        let pushed = scope.spawn(|| tree.push("feature"));
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(step.reached());
        });
        server.kill();
        assert!(pushed.join().expect("git ended").is_err());
    });
    step.clear().await;
    server.restart();
    tree.follow(&server);
    server
        .get("/repos/acme/site/branches/feature")
        .await
        .expect(404);
    assert_eq!(server.pushes("refs/heads/feature").await, 0);
    tree.push("feature").expect("the next try goes through");
    assert_eq!(server.pushes("refs/heads/feature").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_repeated_after_a_crash_is_told_once() {
    let mut server = Server::start().await;
    server.make_site().await;
    let mut tree = WorkTree::begin(&server);
    tree.git(&["checkout", "--quiet", "-b", "feature"]);
    let head = tree.commit("feature", "new\n");
    server.kill();
    // Recorded, and never stored.
    server
        .record_move("refs/heads/feature", &"0".repeat(40), &head)
        .await;
    server.restart();
    tree.follow(&server);
    tree.push("feature").expect("the next try goes through");
    server.until_settled().await;
    assert_eq!(server.pushes("refs/heads/feature").await, 1);
}

/// A queue with one pull request whose candidate is about to land, killed before `operation` on `table`.
async fn killed_while_landing(operation: &str, table: &str) {
    let mut server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    server.protect_main(true).await;
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    server.report(&head, "success").await;
    server.merge(number, json!({})).await.expect(202);
    let candidate = server.candidate(number).await;
    let mut step = Step::before(&server, operation, table).await;
    server.report(&candidate, "success").await;
    step.reached().await;
    server.kill();
    step.clear().await;
    server.restart();
    let empty = |queue: &Value| queue["entries"].as_array().is_some_and(Vec::is_empty);
    let queue = server.until("/repos/acme/site/queue", empty).await;
    assert_eq!(queue["recent"][0]["state"], "landed", "{queue}");
    assert_eq!(
        server.head("main").await,
        candidate,
        "main is at the very commit that was tested"
    );
    let merged = server
        .get("/workspaces/acme/events?kind=pull.merged")
        .await
        .expect(200);
    assert_eq!(merged.as_array().map(Vec::len), Some(1), "{merged}");
    // Once for the first push of main, once for the landing.
    assert_eq!(server.pushes("refs/heads/main").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_main_is_moved_it_lands_once_after_the_restart() {
    killed_while_landing("INSERT", "push_intents").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_main_was_moved_it_is_recorded_once_after_the_restart() {
    killed_while_landing("DELETE", "push_intents").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_main_was_moved_and_announced_the_pull_request_is_merged_once_after_the_restart()
 {
    killed_while_landing("UPDATE", "pulls").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_with_a_candidate_that_git_has_its_checks_are_asked_for_once_after_the_restart() {
    let mut server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    server.protect_main(true).await;
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    server.report(&head, "success").await;
    let mut step = Step::before(&server, "UPDATE", "queue_attempts").await;
    let joined = server.merge(number, json!({})).await.expect(202);
    step.reached().await;
    server.kill();
    step.clear().await;
    server.restart();
    let candidate = server.candidate(number).await;
    let asked = server
        .get("/workspaces/acme/events?kind=merge_group.checks_requested")
        .await
        .expect(200);
    assert_eq!(asked.as_array().map(Vec::len), Some(1), "{asked}");
    assert_eq!(asked[0]["data"]["head_sha"], candidate.as_str());
    let entry = joined["entry"].as_str().expect("an entry");
    let entry = server
        .get(&format!("/repos/acme/site/queue/entries/{entry}"))
        .await
        .expect(200);
    assert_eq!(
        entry["attempts"].as_array().map(Vec::len),
        Some(1),
        "{entry}"
    );
    server.report(&candidate, "success").await;
    let empty = |queue: &Value| queue["entries"].as_array().is_some_and(Vec::is_empty);
    server.until("/repos/acme/site/queue", empty).await;
    assert_eq!(server.head("main").await, candidate);
    let merged = server
        .get("/workspaces/acme/events?kind=pull.merged")
        .await
        .expect(200);
    assert_eq!(merged.as_array().map(Vec::len), Some(1), "{merged}");
}
