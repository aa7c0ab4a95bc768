//! The description of the API: complete, valid, and held against every answer that a story gets.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use g1t_tests::{Exchange, Server};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// A route as the manifest writes it, with the component that answers it.
type Route = (String, String);

/// Routes of `plugins/app.toml`.
fn manifest() -> BTreeSet<Route> {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/app.toml"));
    let mut component = String::new();
    let mut routes = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("[component.") {
            component = name.trim_end_matches(']').to_owned();
        }
        // What stands between quotes, and is a method and a path.
        for quoted in line.split('"').skip(1).step_by(2) {
            let method = quoted.split(' ').next().unwrap_or_default().to_lowercase();
            if METHODS.contains(&method.as_str()) {
                routes.insert((component.clone(), quoted.to_owned()));
            }
        }
    }
    routes
}

/// Every operation: its path, its method and itself.
fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                found.push((path.as_str(), method, operation));
            }
        }
    }
    found
}

/// What a reference leads to; anything else is itself.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let Some(reference) = value["$ref"].as_str() else {
        return value;
    };
    let pointer = reference
        .strip_prefix('#')
        .expect("a place in this document");
    document
        .pointer(pointer)
        .unwrap_or_else(|| panic!("{reference} leads nowhere"))
}

/// Parameters in an operation's path: their names, and whether they may contain slashes.
fn path_parameters(document: &Value, operation: &Value) -> Vec<(String, bool)> {
    let all = operation["parameters"].as_array().into_iter().flatten();
    all.map(|parameter| resolved(document, parameter))
        .filter(|parameter| parameter["in"] == "path")
        .map(|parameter| {
            let name = parameter["name"].as_str().expect("a name");
            (name.to_owned(), parameter["x-g1t-rest"] == true)
        })
        .collect()
}

/// Routes that the description has, as the manifest would write them.
fn described(document: &Value) -> BTreeSet<Route> {
    let mut routes = BTreeSet::new();
    for (path, method, operation) in operations(document) {
        let tag = operation["tags"][0].as_str().expect("a tag");
        let mut path = path.to_owned();
        for (name, is_rest) in path_parameters(document, operation) {
            let found = format!("{{{name}}}");
            assert!(path.contains(&found), "{method} {path} has no {found}");
            if is_rest {
                path = path.replace(&found, &format!("{{{name}...}}"));
            }
        }
        routes.insert((tag.to_owned(), format!("{} {path}", method.to_uppercase())));
    }
    routes
}

/// Every reference within a document.
fn references<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(object) => {
            if object.get("$ref").is_some_and(Value::is_string) {
                found.push(value);
            }
            object.values().for_each(|value| references(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_has_the_routes_of_the_manifest_and_no_others() {
    let server = Server::start().await;
    let mut expected = manifest();
    assert!(expected.len() > 40, "{expected:?}");
    for path in ["/healthz", "/readyz", "/openapi.json"] {
        expected.insert(("host".to_owned(), format!("GET {path}")));
    }
    let found = described(&server.description().document);
    let lacking: Vec<_> = expected.difference(&found).collect();
    let others: Vec<_> = found.difference(&expected).collect();
    assert!(
        lacking.is_empty() && others.is_empty(),
        "not described: {lacking:?}; not there: {others:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_reference_leads_somewhere_and_every_operation_has_a_name_of_its_own() {
    let server = Server::start().await;
    let document = &server.description().document;
    let mut found = Vec::new();
    references(document, &mut found);
    assert!(found.len() > 100);
    for reference in found {
        resolved(document, reference);
    }
    let mut names = BTreeSet::new();
    for (path, method, operation) in operations(document) {
        let name = operation["operationId"].as_str().expect("an operationId");
        assert!(names.insert(name), "{name} is taken");
        let parameters = path_parameters(document, operation).len();
        assert_eq!(path.matches('{').count(), parameters, "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn anybody_may_read_the_description_and_it_is_valid() {
    let server = Server::start().await;
    for path in ["/healthz", "/readyz"] {
        let asked = server.request(Method::GET, path);
        server.send(asked).await.expect(200);
    }
    let document = server
        .send(server.request(Method::GET, "/openapi.json"))
        .await
        .expect(200);
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let again = server.request(Method::GET, "/openapi.json");
    server
        .send(again.header("if-none-match", "*"))
        .await
        .expect(304);
    let mut child = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/js/openapi.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node runs: `cargo xtask setup` installs it");
    let mut input = child.stdin.take().expect("its input");
    write!(input, "{document}").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("its end");
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(told.trim(), "openapi: fine");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_not_as_described_is_found() {
    let server = Server::start().await;
    let name = |value: &'static str| HeaderValue::from_static(value);
    let mut headers = HeaderMap::new();
    headers.insert("content-type", name("application/json"));
    headers.insert("x-request-id", name("01a22f7f-f4ad-77f9-8533-bc22a593c6e8"));
    let made = json!({
        "id": "tok_1", "login": "ada", "kind": "person", "note": "", "scopes": ["repo:read"],
        "created_at": "2026-01-31T12:00:00Z", "expires_at": null, "last_used_at": null, "revoked_at": null,
        "token": format!("g1tw_{}", "A".repeat(43)),
    });
    let complaints = |status: u16, sent: Value, body: &Value, headers: &HeaderMap| {
        let told = server.description().complaints(&Exchange {
            method: "POST",
            path: "/api/v3/workspaces/acme/tokens",
            sent: Some(&sent.to_string()),
            status,
            headers,
            body: &body.to_string(),
        });
        told.join("\n")
    };
    let sent = || json!({ "scopes": ["repo:read"] });
    assert_eq!(complaints(201, sent(), &made, &headers), "");
    let with = |field: &str, value: Value| {
        let mut changed = made.clone();
        changed[field] = value;
        complaints(201, sent(), &changed, &headers)
    };
    assert!(with("colour", json!("red")).contains("colour"));
    assert!(with("kind", json!("robot")).contains("/kind"));
    assert!(with("expires_at", json!("tomorrow")).contains("/expires_at"));
    assert!(complaints(201, sent(), &json!({}), &headers).contains("login"));
    assert!(complaints(299, sent(), &made, &headers).contains("the status 299 is not named"));
    let unknown = json!({ "scopes": ["repo:read"], "colour": "red" });
    assert!(complaints(201, unknown, &made, &headers).contains("request"));
    headers.insert("etag", name("W/\"0\""));
    assert!(complaints(201, sent(), &made, &headers).contains("the header ETag is not named"));
    headers.clear();
    headers.insert("content-type", name("text/html"));
    let told = complaints(201, sent(), &made, &headers);
    assert!(
        told.contains("the header X-Request-Id is missing"),
        "{told}"
    );
    assert!(told.contains("the type text/html is not named"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_is_answered_as_a_get_without_its_body() {
    let server = Server::start().await;
    let head = server.call(Method::HEAD, "/user", None).await;
    assert_eq!((head.status, head.body), (200, Value::Null));
    let nobody = server.request(Method::HEAD, "/user");
    assert_eq!(server.send(nobody).await.status, 401);
}
