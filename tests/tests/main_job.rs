//! The main job over the API and real pushes.

use g1t_tests::{Server, WorkTree};
use serde_json::{Value, json};

fn states(queue: &Value, list: &str) -> Vec<(i64, String)> {
    let all = queue[list].as_array().cloned().unwrap_or_default();
    all.iter()
        .map(|entry| {
            let number = entry["pull_request"]["number"].as_i64().unwrap_or_default();
            (
                number,
                entry["state"].as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_to_a_protected_branch_is_refused_and_nothing_is_stored() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    let before = server.head("main").await;
    server.protect_main(false).await;
    let refused = tree.commit("direct", "no\n");
    let told = tree.push("main").expect_err("main is protected");
    assert!(
        told.contains("remote: g1t: refs/heads/main: rule 'pull_request' of ruleset 'main'"),
        "{told}"
    );
    assert!(told.contains("open a pull request"), "{told}");
    assert_eq!(server.head("main").await, before);
    // Not even the objects are there.
    server
        .post(
            &format!("/repos/acme/site/statuses/{refused}"),
            json!({ "state": "success" }),
        )
        .await
        .expect(422);
    tree.push("HEAD:feature").expect("another branch takes it");
    assert_eq!(server.head("feature").await, refused);
    let events = server
        .get("/workspaces/acme/events?kind=git.push")
        .await
        .expect(200);
    let subjects: Vec<&str> = events
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|e| e["subject"].as_str())
        .collect();
    assert_eq!(subjects, ["refs/heads/feature", "refs/heads/main"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_to_the_head_updates_the_pull_request() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    tree.branch("feature");
    let number = server.open("feature").await;
    let path = format!("/repos/acme/site/pulls/{number}");
    server
        .until(&path, |pull| {
            pull["changed_files"] == 1 && pull["mergeable"] == true
        })
        .await;
    tree.git(&["checkout", "--quiet", "feature"]);
    let head = tree.commit("second", "more\n");
    tree.push("feature").expect("a push to the head");
    let pull = server
        .until(&path, |pull| pull["head"]["sha"] == head.as_str())
        .await;
    assert_eq!(pull["changed_files"], 2);
    tree.git(&["checkout", "--quiet", "main"]);
    tree.commit("feature", "something else\n");
    tree.push("main").expect("main is not protected");
    server
        .until(&path, |pull| {
            pull["mergeable"] == false && pull["behind"] == 1
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_queue_each_method_lands_what_git_makes() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    for (method, parents) in [("merge", 2), ("squash", 1), ("rebase", 1)] {
        let head = tree.branch(method);
        let number = server.open(method).await;
        let main = tree.fetch("main");
        let answer = server
            .merge(number, json!({ "merge_method": method }))
            .await
            .expect(200);
        let landed = answer["sha"].as_str().expect("a commit").to_owned();
        assert_eq!(answer["merged"], true);
        assert_eq!(tree.fetch("main"), landed);
        let told = tree.git(&["rev-list", "--parents", "-n", "1", &landed]);
        assert_eq!(told.split(' ').count() - 1, parents, "{method}");
        let expected = tree.git(&["merge-tree", "--write-tree", &main, &head]);
        assert_eq!(
            tree.git(&["rev-parse", &format!("{landed}^{{tree}}")]),
            expected,
            "{method}"
        );
        let path = format!("/repos/acme/site/pulls/{number}");
        let pull = server.get(&path).await.expect(200);
        assert_eq!(
            (&pull["state"], &pull["merged"]),
            (&json!("closed"), &json!(true))
        );
    }
    tree.git(&["checkout", "--quiet", "-B", "fast", "FETCH_HEAD"]);
    let head = tree.commit("fast", "forward\n");
    tree.push("fast").expect("a branch");
    let number = server.open("fast").await;
    let answer = server
        .merge(number, json!({ "merge_method": "fast-forward" }))
        .await
        .expect(200);
    assert_eq!(answer["sha"], head.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_waits_for_the_required_check() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    server.protect_main(false).await;
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    let main = server.head("main").await;
    let refused = server.merge(number, json!({})).await;
    assert_eq!(refused.status, 405, "{}", refused.body);
    assert!(
        refused.body["errors"][0]["message"]
            .as_str()
            .unwrap_or_default()
            .contains("`ci`"),
        "{}",
        refused.body
    );
    server.report(&head, "failure").await;
    assert_eq!(server.merge(number, json!({})).await.status, 405);
    assert_eq!(server.head("main").await, main);
    server.report(&head, "success").await;
    server.merge(number, json!({})).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_lands_the_very_commits_that_were_tested_and_ejects_what_fails() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    server.protect_main(true).await;
    let mut numbers = Vec::new();
    for name in ["one", "two", "three"] {
        let head = tree.branch(name);
        let number = server.open(name).await;
        server.report(&head, "success").await;
        let answer = server.merge(number, json!({})).await.expect(202);
        assert_eq!(answer["queued"], true);
        numbers.push(number);
    }
    let [one, two, three] = numbers[..] else {
        panic!("three pull requests")
    };
    let (first, second) = (server.candidate(one).await, server.candidate(two).await);
    let stale = server.candidate(three).await;
    let main = server.head("main").await;
    // The second fails while the first is still tested: held, and nothing lands.
    server.report(&second, "failure").await;
    server
        .until("/repos/acme/site/queue", |queue| {
            queue["entries"][1]["reason"]
                .as_str()
                .is_some_and(|why| why.contains("held"))
        })
        .await;
    assert_eq!(server.head("main").await, main);
    server.report(&first, "success").await;
    // The first lands as it was tested; then the second answers for its failure, and the third is built without it.
    let failed = |queue: &Value| states(queue, "recent").contains(&(two, "failed".into()));
    server.until("/repos/acme/site/queue", failed).await;
    assert_eq!(server.head("main").await, first);
    let rebuilt = server.candidate(three).await;
    assert_ne!(rebuilt, stale);
    // A pass for a commit that is nobody's candidate any more changes nothing.
    server.report(&stale, "success").await;
    server.report(&rebuilt, "success").await;
    let empty = |queue: &Value| queue["entries"].as_array().is_some_and(Vec::is_empty);
    let queue = server.until("/repos/acme/site/queue", empty).await;
    assert!(states(&queue, "recent").contains(&(three, "landed".into())));
    assert_eq!(server.head("main").await, rebuilt);
    let landed = tree.fetch("main");
    let files = tree.git(&["ls-tree", "--name-only", &landed]);
    assert_eq!(
        files.lines().collect::<Vec<_>>(),
        ["README", "one", "three"]
    );
    let pull = server
        .get(&format!("/repos/acme/site/pulls/{two}"))
        .await
        .expect(200);
    assert_eq!(pull["merged"], false);
    let head = pull["head"]["sha"].as_str().expect("a head").to_owned();
    let runs = server
        .get(&format!("/repos/acme/site/commits/{head}/check-runs"))
        .await
        .expect(200);
    assert_eq!(runs["check_runs"][0]["conclusion"], "failure", "{runs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_decision_is_kept_once_by_the_host_and_no_component_can_make_one_up() {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    let pool = server.database.pool().await;
    let kept = "SELECT count(*), count(DISTINCT judge_digest), bool_and(judge_digest <> decode(repeat('00', 32), 'hex'))
                FROM rule_evaluations WHERE moment = $1";
    let kept = async |moment: &str| -> (i64, i64, Option<bool>) {
        let row = sqlx::query_as(kept).bind(moment).fetch_one(&pool).await;
        row.expect("a row of sums")
    };
    assert_eq!(kept("push").await, (1, 1, Some(true)));
    tree.branch("feature");
    let number = server.open("feature").await;
    // Looking at what the rules would say decides nothing.
    server
        .get(&format!("/repos/acme/site/pulls/{number}"))
        .await
        .expect(200);
    assert_eq!(kept("merge").await.0, 0);
    server.merge(number, json!({})).await.expect(200);
    assert_eq!(kept("merge").await, (1, 1, Some(true)));
    // What was judged is there, to be judged again: the very text that the digest is of.
    let judged =
        "SELECT facts FROM rule_evaluations WHERE facts_digest = sha256(convert_to(facts, 'UTF8'))";
    let judged: Vec<String> = sqlx::query_scalar(judged)
        .fetch_all(&pool)
        .await
        .expect("texts");
    assert!(
        judged.len() >= 3,
        "two pushes and a merge: {}",
        judged.len()
    );
    for text in judged {
        let judged: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(judged["facts"]["repository"]["name"], "site");
        assert!(judged["rulesets"].is_array());
    }
    let forge = "INSERT INTO rule_evaluations (workspace_id, repository_id, moment, ref_name, old_sha, new_sha, outcome,
                 verdicts, facts_digest, judge_digest) SELECT workspace_id, repository_id, moment, ref_name, old_sha, new_sha,
                 outcome, verdicts, facts_digest, judge_digest FROM rule_evaluations";
    let mut guest = pool.acquire().await.expect("a connection");
    sqlx::query("SET ROLE g1t_guest")
        .execute(&mut *guest)
        .await
        .expect("a role");
    let refused = sqlx::query(forge).execute(&mut *guest).await;
    let refused = refused.expect_err("only the host keeps decisions");
    let code = refused.as_database_error().and_then(|error| error.code());
    assert_eq!(code.as_deref(), Some("42501"), "{refused}");
}
