//! Bad input and those who may not: a problem each time, and nothing changed.

use g1t_tests::{Server, WorkTree};
use reqwest::Method;
use serde_json::{Value, json};

async fn site() -> Server {
    let server = Server::start().await;
    server.make_site().await;
    server
}

/// A token of a new member with these scopes.
async fn member(server: &Server, login: &str, scopes: &[&str]) -> String {
    let path = format!("/workspaces/acme/members/{login}");
    server
        .put(&path, json!({ "role": "member" }))
        .await
        .expect(200);
    let body = json!({ "login": login, "scopes": scopes });
    let token = server
        .post("/workspaces/acme/tokens", body)
        .await
        .expect(201);
    token["token"].as_str().expect("a token").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_cannot_be_taken_are_refused_and_change_nothing() {
    let server = site().await;
    let repos = "/orgs/acme/repos";
    let send = |body: &'static str, kind: &'static str| {
        let request = server
            .request(Method::POST, repos)
            .bearer_auth(&server.token);
        server.send(request.header("content-type", kind).body(body))
    };
    send("{\"name\": ", "application/json")
        .await
        .expect_problem(400, "bad_request");
    send("name=x", "application/x-www-form-urlencoded")
        .await
        .expect_problem(415, "unsupported_media_type");
    let long = "n".repeat(101);
    server
        .post(repos, json!({ "name": long }))
        .await
        .expect_problem(422, "validation_failed");
    server
        .post(repos, json!({ "name": "site" }))
        .await
        .expect_problem(422, "validation_failed");
    let told = server
        .post("/workspaces", json!({ "name": "b", "colour": "red" }))
        .await;
    assert_eq!(told.status, 422);
    assert!(told.body.to_string().contains("colour"), "{}", told.body);
    let big = server
        .request(Method::POST, repos)
        .bearer_auth(&server.token);
    let big = big
        .header("content-type", "application/json")
        .body(vec![b' '; (10 << 20) + 1]);
    server.send(big).await.expect_problem(413, "too_large");
    let all = server.get(repos).await.expect(200);
    assert_eq!(all.as_array().map(Vec::len), Some(1));
    server
        .get("/workspaces/b")
        .await
        .expect_problem(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_not_found() {
    let server = site().await;
    for path in [
        "/repos/acme/other",
        "/repos/acme/site/pulls/7",
        "/repos/other/site",
        "/nothing",
        "/repos/acme/site/rulesets/9",
    ] {
        server.get(path).await.expect_problem(404, "not_found");
    }
    let answer = server.call(Method::DELETE, "/user", None).await;
    assert_eq!(answer.status, 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_gets_in_without_a_good_token() {
    let server = site().await;
    let send = |request: reqwest::RequestBuilder| server.send(request);
    send(server.request(Method::GET, "/user"))
        .await
        .expect_problem(401, "unauthorized");
    let wrong = format!("g1tw_{}", "A".repeat(43));
    server
        .call_as(&wrong, Method::GET, "/user", None)
        .await
        .expect_problem(401, "bad_token");
    // An identity that a client makes up is thrown away.
    let forged = server
        .request(Method::GET, "/user")
        .header("g1t-actor-id", "1")
        .header("g1t-actor-kind", "system");
    send(forged).await.expect_problem(401, "unauthorized");
    let forged = server
        .request(Method::GET, "/user")
        .bearer_auth(&server.token);
    let who = send(forged.header("g1t-actor-login", "somebody"))
        .await
        .expect(200);
    assert_eq!(who["login"], "owner");
    let token = member(&server, "ada", &["repo:read"]).await;
    server
        .call_as(&token, Method::GET, "/repos/acme/site", None)
        .await
        .expect(200);
    let pool = server.database.pool().await;
    let over = "UPDATE tokens SET expires_at = now() - interval '1 second' WHERE user_id = (SELECT id FROM users WHERE login = 'bob')";
    let token = member(&server, "bob", &["repo:read"]).await;
    sqlx::query(over).execute(&pool).await.expect("an update");
    server
        .call_as(&token, Method::GET, "/user", None)
        .await
        .expect_problem(401, "bad_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_workspace_reads_like_none() {
    let server = site().await;
    server
        .post("/workspaces", json!({ "name": "other" }))
        .await
        .expect(201);
    server
        .put("/workspaces/other/members/eve", json!({ "role": "member" }))
        .await
        .expect(200);
    let body = json!({ "login": "eve", "scopes": ["repo:read", "repo:write", "checks:write"] });
    let token = server
        .post("/workspaces/other/tokens", body)
        .await
        .expect(201);
    let token = token["token"].as_str().expect("a token").to_owned();
    for (method, path, body) in [
        (Method::GET, "/repos/acme/site", None),
        (Method::GET, "/repos/acme/site/pulls", None),
        (Method::GET, "/workspaces/acme", None),
        (
            Method::POST,
            "/repos/acme/site/pulls",
            Some(json!({ "title": "t", "head": "a", "base": "main" })),
        ),
    ] {
        server
            .call_as(&token, method, path, body)
            .await
            .expect_problem(404, "not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_lacks_the_role_or_the_scope_is_told_which() {
    let server = site().await;
    let tree = WorkTree::begin(&server);
    let head = tree.branch("feature");
    let reader = member(&server, "ada", &["repo:read"]).await;
    let ruleset = json!({ "name": "x", "enforcement": "active", "rules": [] });
    let status = format!("/repos/acme/site/statuses/{head}");
    let refused = |answer: g1t_tests::Answer, word: &str| {
        let told = answer.expect_problem(403, "forbidden");
        assert!(told.contains(word), "{told}");
    };
    let call = |token: &str, path: &str, body: Value| {
        let (token, path) = (token.to_owned(), path.to_owned());
        let server = &server;
        async move {
            server
                .call_as(&token, Method::POST, &path, Some(body))
                .await
        }
    };
    refused(
        call(&reader, &status, json!({ "state": "success" })).await,
        "checks:write",
    );
    let writer = member(&server, "bob", &["repo:admin", "checks:write"]).await;
    refused(
        call(&writer, "/repos/acme/site/rulesets", ruleset.clone()).await,
        "maintain",
    );
    call(&writer, &status, json!({ "state": "success" }))
        .await
        .expect(201);
    let body = json!({ "login": "robot", "agent": true, "scopes": ["repo:write"] });
    let agent = server
        .post("/workspaces/acme/tokens", body)
        .await
        .expect(201);
    let agent = agent["token"].as_str().expect("a token").to_owned();
    // Even with a token that no route gives out.
    let more = "UPDATE tokens SET scopes = '{repo:admin,checks:write,workspace:admin}'
                WHERE user_id = (SELECT id FROM users WHERE login = 'robot')";
    let pool = server.database.pool().await;
    sqlx::query(more).execute(&pool).await.expect("an update");
    let site = "/repos/acme/site/rulesets";
    refused(
        call(&agent, &status, json!({ "state": "success" })).await,
        "agents may not report checks",
    );
    refused(call(&agent, site, ruleset).await, "agents may not change");
    let pull = json!({ "title": "by an agent", "head": "feature", "base": "main" });
    call(&agent, "/repos/acme/site/pulls", pull)
        .await
        .expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_asks_too_often_is_told_when_to_ask_again() {
    let server = Server::start_with(&[("G1T_REQUESTS_PER_HOUR", "3")]).await;
    let ask = || {
        server
            .request(Method::GET, "/user")
            .bearer_auth(&server.token)
    };
    for left in ["2", "1", "0"] {
        let answer = ask().send().await.expect("the server answers");
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["x-ratelimit-remaining"], left);
        assert_eq!(answer.headers()["x-ratelimit-limit"], "3");
    }
    let answer = ask().send().await.expect("the server answers");
    assert_eq!(answer.headers()["x-ratelimit-remaining"], "0");
    let wait = answer.headers()["retry-after"].to_str().expect("a number");
    let wait: u64 = wait.parse().expect("seconds");
    assert!((1..=3_600).contains(&wait), "{wait}");
    server.send(ask()).await.expect_problem(429, "rate_limited");
    // Who has no good token is not counted, and not told.
    let stranger = server.request(Method::GET, "/user").send().await;
    let stranger = stranger.expect("the server answers");
    assert_eq!(stranger.status(), 401);
    assert!(!stranger.headers().contains_key("x-ratelimit-limit"));
}

/// An answer without what differs from call to call, with one name for another.
fn told(answer: g1t_tests::Answer, name: &str, instead: &str) -> (u16, String, String) {
    let mut body = answer.body;
    body["request_id"] = Value::Null;
    let text = body.to_string().replace(name, instead);
    (answer.status, answer.kind, text)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_member_may_not_see_reads_to_the_letter_like_what_is_not_there() {
    let server = site().await;
    WorkTree::begin(&server);
    let none = json!({ "base_permission": "none" });
    server
        .call(Method::PATCH, "/workspaces/acme", Some(none))
        .await
        .expect(200);
    let dan = member(&server, "dan", &["repo:admin", "checks:write"]).await;
    // A token for wherever dan belongs, so that not the token but the membership decides.
    let wide = "UPDATE tokens SET workspace_id = NULL WHERE user_id = (SELECT id FROM users WHERE login = 'dan')";
    let pool = server.database.pool().await;
    sqlx::query(wide).execute(&pool).await.expect("an update");
    for (method, rest) in [
        (Method::GET, ""),
        (Method::GET, "/pulls"),
        (Method::GET, "/pulls/1"),
        (Method::PUT, "/pulls/1/merge"),
        (Method::GET, "/branches/main"),
        (Method::GET, "/commits"),
        (Method::GET, "/commits/main/status"),
        (Method::GET, "/commits/main/check-runs"),
        (Method::GET, "/rulesets"),
        (Method::GET, "/rules/branches/main"),
        (Method::GET, "/queue"),
        (Method::PATCH, ""),
    ] {
        let body = (method != Method::GET).then(|| json!({}));
        let ask = async |name: &str| {
            let path = format!("/repos/acme/{name}{rest}");
            let answer = server
                .call_as(&dan, method.clone(), &path, body.clone())
                .await;
            told(answer, name, "NAME")
        };
        let hidden = ask("site").await;
        assert_eq!(hidden.0, 404, "{method} {rest}: {hidden:?}");
        assert_eq!(hidden, ask("nosuch").await, "{method} {rest}");
    }
    server
        .post("/workspaces", json!({ "name": "other" }))
        .await
        .expect(201);
    for rest in ["", "/events", "/members", "/tokens"] {
        let ask = async |name: &str| {
            let path = format!("/workspaces/{name}{rest}");
            told(
                server.call_as(&dan, Method::GET, &path, None).await,
                name,
                "NAME",
            )
        };
        let hidden = ask("other").await;
        assert_eq!(hidden.0, 404, "{rest}: {hidden:?}");
        assert_eq!(hidden, ask("nosuch").await, "{rest}");
    }
}
