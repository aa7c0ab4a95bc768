//! One pull request that git can do nothing with is in nobody else's way.

use g1t_tests::{Server, WorkTree};
use serde_json::{Value, json};

async fn site() -> (Server, WorkTree) {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    (server, tree)
}

fn pull(number: i64) -> String {
    format!("/repos/acme/site/pulls/{number}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_of_another_history_cannot_be_proposed() {
    let (server, tree) = site().await;
    tree.orphan("stray");
    tree.push("stray").expect("a branch takes a push");
    let body = json!({ "title": "Stray", "head": "stray", "base": "main" });
    let refused = server.post("/repos/acme/site/pulls", body).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    let told = refused.body.to_string();
    assert!(told.contains("no commit in common"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_is_put_on_another_history_leaves_the_queue_alone() {
    let (server, tree) = site().await;
    server.protect_main(true).await;
    let (stray, good) = (tree.branch("stray"), tree.branch("good"));
    let (first, second) = (server.open("stray").await, server.open("good").await);
    for (head, number) in [(stray, first), (good, second)] {
        server.report(&head, "success").await;
        server.merge(number, json!({})).await.expect(202);
    }
    server.candidate(second).await;
    // Everybody's: the rules let the new head in, and only git does not.
    let orphan = tree.orphan("orphan");
    tree.push("+orphan:stray").expect("a branch takes a push");
    server.report(&orphan, "success").await;
    let left = |queue: &Value| queue["recent"][0]["pull_request"]["number"] == first;
    let queue = server.until("/repos/acme/site/queue", left).await;
    assert_eq!(queue["recent"][0]["reason_code"], "unrelated", "{queue}");
    // The queue reads heads itself; the handler of pushes may come later.
    server
        .until(&pull(first), |pull| pull["mergeable"] == false)
        .await;
    let refused = server.merge(first, json!({})).await;
    assert_eq!(refused.status, 405, "{}", refused.body);
    let candidate = server.candidate(second).await;
    server.report(&candidate, "success").await;
    let empty = |queue: &Value| queue["entries"].as_array().is_some_and(Vec::is_empty);
    server.until("/repos/acme/site/queue", empty).await;
    assert_eq!(server.head("main").await, candidate);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_git_cannot_read_keeps_no_other_from_being_looked_at() {
    let (server, tree) = site().await;
    tree.branch("lost");
    let lost_tree = tree.git(&["rev-parse", "lost^{tree}"]);
    tree.branch("good");
    let (lost, good) = (server.open("lost").await, server.open("good").await);
    let known = |pull: &Value| pull["mergeable"] == true;
    for number in [lost, good] {
        server.until(&pull(number), known).await;
    }
    let (folder, file) = lost_tree.split_at(2);
    let object = server.repository().join("objects").join(folder).join(file);
    std::fs::remove_file(object).expect("the tree was stored by itself");
    tree.commit("more", "on main\n");
    tree.push("main").expect("main takes a push");
    server.until(&pull(good), |pull| pull["behind"] == 1).await;
    let pool = server.database.pool().await;
    let word: String = sqlx::query_scalar("SELECT mergeable FROM pulls WHERE number = $1")
        .bind(lost)
        .fetch_one(&pool)
        .await
        .expect("a pull request");
    assert_eq!(word, "unknown");
}
