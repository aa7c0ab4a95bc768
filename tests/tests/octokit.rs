//! GitHub's own client, pointed at a started server.

use std::process::Command;

use g1t_tests::{Server, WorkTree};
use serde_json::json;

fn octokit(server: &Server, args: &[&str]) {
    let output = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/js/octokit.mjs"))
        .arg(&server.url)
        .args(args)
        .env("G1T_TOKEN", &server.token)
        .output()
        .expect("node runs: `cargo xtask setup` installs it");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && told.contains("octokit: fine"),
        "{told}{wrong}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn octokit_creates_opens_reports_lists_and_merges() {
    let server = Server::start().await;
    server
        .post("/workspaces", json!({ "name": "acme" }))
        .await
        .expect(201);
    octokit(&server, &["create"]);
    let tree = WorkTree::begin(&server);
    let head = tree.branch("feature");
    octokit(&server, &["change", &head]);
    assert_ne!(tree.fetch("main"), head);
}
