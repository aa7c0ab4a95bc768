//! Creates that are sent again with the same `Idempotency-Key`: one thing is made, and one answer given.

use g1t_tests::{Answer, Server, WorkTree};
use reqwest::Method;
use serde_json::{Value, json};

async fn create(server: &Server, path: &str, key: &str, body: &Value) -> Answer {
    let request = server
        .request(Method::POST, path)
        .bearer_auth(&server.token)
        .header("idempotency-key", key);
    server.send(request.json(body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_create_that_is_sent_again_gives_the_answer_it_gave() {
    let server = Server::start().await;
    let rule = json!({ "name": "own", "enforcement": "active", "rules": [] });
    let made_first = [
        ("/workspaces", json!({ "name": "acme" })),
        ("/orgs/acme/repos", json!({ "name": "site" })),
        ("/orgs/acme/rulesets", rule.clone()),
        ("/repos/acme/site/rulesets", rule),
    ];
    for (path, body) in made_first {
        twice(&server, path, body).await;
    }
    let tree = WorkTree::begin(&server);
    let head = tree.branch("feature");
    let pull = json!({ "title": "t", "head": "feature", "base": "main" });
    twice(&server, "/repos/acme/site/pulls", pull).await;
    let status = format!("/repos/acme/site/statuses/{head}");
    twice(
        &server,
        &status,
        json!({ "context": "ci", "state": "success" }),
    )
    .await;
    let run = json!({ "name": "ci", "head_sha": head });
    twice(&server, "/repos/acme/site/check-runs", run).await;
    // The key does not stand for another request.
    let named = json!({ "name": "b" });
    let other = create(&server, "/orgs/acme/repos", "/orgs/acme/repos", &named);
    other.await.expect_problem(422, "validation_failed");
    let all = server.get("/orgs/acme/repos").await.expect(200);
    assert_eq!(all.as_array().map(Vec::len), Some(1));
}

async fn twice(server: &Server, path: &str, body: Value) {
    let first = create(server, path, path, &body).await.expect(201);
    let again = create(server, path, path, &body).await.expect(201);
    assert_eq!(again, first, "{path}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_made_once_and_told_once() {
    let server = Server::start().await;
    server.make_site().await;
    let (path, body) = (
        "/workspaces/acme/tokens",
        json!({ "scopes": ["repo:read"] }),
    );
    let mut first = create(&server, path, "k", &body).await.expect(201);
    let again = create(&server, path, "k", &body).await.expect(201);
    assert!(first["token"].is_string());
    first["token"] = Value::Null;
    assert_eq!(again, first);
    let kept = "SELECT count(*) FROM idempotency_keys WHERE body LIKE '%g1tw_%'";
    let pool = server.database.pool().await;
    let kept: i64 = sqlx::query_scalar(kept)
        .fetch_one(&pool)
        .await
        .expect("a count");
    assert_eq!(kept, 0, "a token is kept as a hash only");
    // Another person's key of the same text is another key.
    let role = json!({ "role": "member" });
    server
        .put("/workspaces/acme/members/ada", role)
        .await
        .expect(200);
    let body = json!({ "login": "ada", "scopes": ["repo:admin"] });
    let token = server.post(path, body).await.expect(201);
    let request = server
        .request(Method::POST, "/orgs/acme/repos")
        .bearer_auth(token["token"].as_str().expect("a token"))
        .header("idempotency-key", "k");
    server
        .send(request.json(&json!({ "name": "b" })))
        .await
        .expect(201);
}
