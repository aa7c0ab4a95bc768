//! What GitHub's clients read of shapes that one look at a row does not give.

use g1t_tests::{Server, WorkTree};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_pull_request_have_their_blobs_and_lines() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    tree.git(&["checkout", "--quiet", "-b", "feature"]);
    tree.git(&["mv", "README", "README.md"]);
    tree.commit("code", "one\ntwo\n");
    let blob = tree.git(&["rev-parse", "HEAD:code"]);
    tree.push("feature").expect("a branch");
    let number = server.open("feature").await;
    let path = format!("/repos/acme/site/pulls/{number}/files");
    let files = server.get(&path).await.expect(200);
    let [moved, code] = files.as_array().map(Vec::as_slice).unwrap_or_default() else {
        panic!("two files: {files}")
    };
    assert_eq!(moved["filename"], "README.md");
    assert_eq!(moved["previous_filename"], "README");
    assert_eq!(
        (&moved["status"], &moved["changes"]),
        (&json!("renamed"), &json!(0))
    );
    assert_eq!(
        (&code["filename"], &code["sha"]),
        (&json!("code"), &json!(blob))
    );
    assert_eq!(code["status"], "added");
    let lines = ["additions", "deletions", "changes"].map(|field| &code[field]);
    assert_eq!(lines, [&json!(2), &json!(0), &json!(2)]);
    assert_eq!(code.get("previous_filename"), None::<&Value>);
    let second = server
        .get(&format!("{path}?per_page=1&page=2"))
        .await
        .expect(200);
    assert_eq!(second, json!([code]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_is_protected_where_an_active_ruleset_covers_it() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    for branch in ["release/1", "tried", "free"] {
        tree.push(&format!("main:refs/heads/{branch}"))
            .expect("a branch");
    }
    let ruleset = |name: &str, enforcement: &str, pattern: &str| {
        json!({
            "name": name, "target": "branch", "enforcement": enforcement, "rules": [{ "type": "deletion" }],
            "conditions": { "ref_name": { "include": [pattern], "exclude": [] } },
        })
    };
    server.protect_main(false).await;
    let tried = ruleset("tried", "evaluate", "refs/heads/tried");
    server
        .post("/repos/acme/site/rulesets", tried)
        .await
        .expect(201);
    let of_all = ruleset("releases", "active", "refs/heads/release/*");
    server.post("/orgs/acme/rulesets", of_all).await.expect(201);
    let branches = server.get("/repos/acme/site/branches").await.expect(200);
    let told: Vec<_> = branches
        .as_array()
        .into_iter()
        .flatten()
        .map(|branch| (branch["name"].as_str(), branch["protected"].as_bool()))
        .collect();
    let expected = [
        ("free", false),
        ("main", true),
        ("release/1", true),
        ("tried", false),
    ];
    assert_eq!(told, expected.map(|(name, is)| (Some(name), Some(is))));
    for (name, is_protected) in expected {
        let branch = server
            .get(&format!("/repos/acme/site/branches/{name}"))
            .await
            .expect(200);
        assert_eq!(branch["protected"], is_protected, "{name}");
    }
}
