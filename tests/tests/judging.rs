//! What counts when a merge is judged.

use g1t_tests::{Server, WorkTree};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_is_set_again_replaces_the_one_before() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    server.protect_main(false).await;
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    server.report(&head, "success").await;
    server.report(&head, "pending").await;
    let told = server
        .merge(number, json!({}))
        .await
        .expect_problem(405, "not_mergeable");
    assert!(told.contains("no result yet"), "{told}");
    server.report(&head, "success").await;
    server.merge(number, json!({})).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_passes_for_approved_by_code_owners_that_nobody_knows() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    let ruleset = json!({
        "name": "owners", "enforcement": "active",
        "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
        "rules": [{ "type": "pull_request", "parameters": { "require_code_owner_review": true } }],
    });
    server
        .post("/repos/acme/site/rulesets", ruleset)
        .await
        .expect(201);
    tree.branch("feature");
    let number = server.open("feature").await;
    let told = server
        .merge(number, json!({}))
        .await
        .expect_problem(405, "not_mergeable");
    assert!(told.contains("code owners"), "{told}");
}
