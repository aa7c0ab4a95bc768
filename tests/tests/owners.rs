//! What a workspace's owner may not do either, and what nobody can store.

use g1t_tests::{Server, WorkTree};
use reqwest::Method;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_keeps_an_owner_and_tokens_their_bounds() {
    let server = Server::start().await;
    server.make_site().await;
    let tokens = "/workspaces/acme/tokens";
    let demote = json!({ "role": "member" });
    server
        .put("/workspaces/acme/members/owner", demote.clone())
        .await
        .expect_problem(409, "last_owner");
    let admin = json!({ "scopes": ["workspace:admin"] });
    let admin = server.post(tokens, admin).await.expect(201);
    let admin = admin["token"].as_str().expect("a token").to_owned();
    let make = async |token: &str, body| {
        server
            .call_as(token, Method::POST, tokens, Some(body))
            .await
    };
    let create = json!({ "scopes": ["workspace:create"] });
    let told = make(&admin, create.clone())
        .await
        .expect_problem(422, "validation_failed");
    assert!(told.contains("more than the token you ask with"), "{told}");
    make(&server.token, create).await.expect(201);
    let agent = json!({ "login": "robot", "agent": true, "scopes": ["repo:write"] });
    make(&admin, agent).await.expect(201);
    let as_person = json!({ "login": "robot", "scopes": ["repo:admin"] });
    let told = make(&admin, as_person)
        .await
        .expect_problem(422, "validation_failed");
    assert!(told.contains("is an agent's"), "{told}");
    // With a second owner the first may go.
    server
        .put("/workspaces/acme/members/zoe", json!({ "role": "owner" }))
        .await
        .expect(200);
    server
        .put("/workspaces/acme/members/owner", demote)
        .await
        .expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_a_workspace_come_in_pages() {
    let server = Server::start().await;
    server.make_site().await;
    for login in ["ann", "Bea", "cem"] {
        let path = format!("/workspaces/acme/members/{login}");
        server
            .put(&path, json!({ "role": "member" }))
            .await
            .expect(200);
        let body = json!({ "login": login, "scopes": ["repo:read"] });
        server
            .post("/workspaces/acme/tokens", body)
            .await
            .expect(201);
    }
    let rules = json!({ "name": "all", "enforcement": "active",
        "conditions": { "ref_name": { "include": ["~ALL"], "exclude": [] } },
        "rules": [{ "type": "deletion" }, { "type": "non_fast_forward" }, { "type": "creation" }] });
    server
        .post("/repos/acme/site/rulesets", rules)
        .await
        .expect(201);
    for (path, field, wanted) in [
        (
            "/workspaces/acme/members",
            "login",
            vec!["ann", "Bea", "cem", "owner"],
        ),
        (
            "/workspaces/acme/tokens",
            "login",
            vec!["cem", "Bea", "ann"],
        ),
        (
            "/repos/acme/site/rules/branches/main",
            "type",
            vec!["deletion", "non_fast_forward", "creation"],
        ),
    ] {
        assert_eq!(walk(&server, path, field).await, wanted, "{path}");
    }
}

/// A field of everything in a list, two a page, by the addresses of its `Link` headers.
async fn walk(server: &Server, path: &str, field: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut next = Some(format!("{path}?per_page=2"));
    while let Some(path) = next {
        let request = server
            .request(Method::GET, &path)
            .bearer_auth(&server.token);
        let answer = request.send().await.expect("an answer");
        let link = answer.headers().get("link").cloned();
        let items: Vec<serde_json::Value> = answer.json().await.expect("a list");
        assert!(items.len() <= 2, "{items:?}");
        found.extend(
            items
                .iter()
                .filter_map(|item| item[field].as_str().map(str::to_owned)),
        );
        next = link.and_then(|link| {
            let link = link.to_str().ok()?.to_owned();
            let address = link.strip_prefix('<')?.split_once(">; rel=\"next\"")?.0;
            Some(address.split_once("/api/v3")?.1.to_owned())
        });
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_is_made_whole_or_not_at_all() {
    let server = Server::start().await;
    server.make_site().await;
    let body = json!({ "name": "half", "default_branch": "no..branch" });
    server
        .post("/orgs/acme/repos", body)
        .await
        .expect_problem(422, "validation_failed");
    server
        .get("/repos/acme/half")
        .await
        .expect_problem(404, "not_found");
    let body = json!({ "name": "half", "default_branch": "trunk" });
    server.post("/orgs/acme/repos", body).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_that_cannot_be_stored_is_nobodys_fault_but_the_callers() {
    let server = Server::start().await;
    server.make_site().await;
    WorkTree::begin(&server);
    for path in [
        "/repos/acme/a%00b",
        "/repos/a%00b/site",
        "/workspaces/a%00b",
        "/repos/acme/site/branches/a%00b",
        "/repos/acme/site/queue/a%00b",
    ] {
        server.get(path).await.expect_problem(404, "not_found");
    }
    server
        .get("/repos/acme/site/pulls?head=a%00b")
        .await
        .expect_problem(422, "validation_failed");
    let bodies = [
        (
            "/orgs/acme/repos",
            json!({ "name": "a", "description": "b\0c" }),
            "description",
        ),
        (
            "/workspaces/acme/tokens",
            json!({ "scopes": ["repo:read"], "note": "\0" }),
            "note",
        ),
        (
            "/repos/acme/site/rulesets",
            json!({ "name": "a", "enforcement": "active", "rules": [{ "type": "deletion", "parameters": { "x": "\0" } }] }),
            "rules[0].parameters.x",
        ),
    ];
    for (path, body, field) in bodies {
        let answer = server.post(path, body).await;
        assert_eq!(answer.status, 422, "{path}: {}", answer.body);
        assert_eq!(answer.body["errors"][0]["field"], field, "{path}");
    }
}
