//! The ways into the merge queue, round it, and out of it.

use g1t_tests::{Server, Step, WorkTree};
use reqwest::Method;
use serde_json::{Value, json};

/// A repository whose rulesets are given by name, bypass list and rules, all for main and `release`.
async fn site(rulesets: &[(&str, Value, Value)]) -> (Server, WorkTree) {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    tree.push("main:release").expect("a second base branch");
    for (name, bypass, rules) in rulesets {
        add(&server, name, bypass, rules).await;
    }
    (server, tree)
}

async fn add(server: &Server, name: &str, bypass: &Value, rules: &Value) {
    let ruleset = json!({
        "name": name, "enforcement": "active", "bypass_actors": bypass, "rules": rules,
        "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH", "release"], "exclude": [] } },
    });
    server
        .post("/repos/acme/site/rulesets", ruleset)
        .await
        .expect(201);
}

fn queue(parameters: Value) -> Value {
    json!({ "type": "merge_queue", "parameters": parameters })
}

fn checks(strict: bool) -> Value {
    json!({ "type": "required_status_checks", "parameters": {
        "required_status_checks": [{ "context": "ci" }], "strict_required_status_checks_policy": strict } })
}

async fn patch(server: &Server, number: i64, body: Value) -> g1t_tests::Answer {
    let path = format!("/repos/acme/site/pulls/{number}");
    server.call(Method::PATCH, &path, Some(body)).await
}

fn entries(queue: &Value) -> Vec<Value> {
    queue["entries"].as_array().cloned().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn going_round_the_queue_goes_round_nothing_else() {
    let owners = json!([{ "actor_type": "owner" }]);
    let rulesets = [
        ("queue", owners, json!([queue(json!({}))])),
        ("checks", json!([]), json!([checks(true)])),
    ];
    let (server, tree) = site(&rulesets).await;
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    server.report(&head, "success").await;
    tree.commit("outside", "newer\n");
    tree.push("main").expect("nothing keeps pushes out");
    let main = server.head("main").await;
    let round = json!({ "bypass_queue": true });
    // The queue would test it on top of the newest main: nobody does on the way round.
    let refused = server.merge(number, round.clone()).await;
    assert_eq!(refused.status, 405, "{}", refused.body);
    assert!(
        refused.body.to_string().contains("is not contained"),
        "{}",
        refused.body
    );
    assert_eq!(server.head("main").await, main);
    tree.git(&["checkout", "--quiet", "feature"]);
    tree.git(&["merge", "--quiet", "--no-edit", "main"]);
    let head = tree.git(&["rev-parse", "HEAD"]);
    tree.push("feature").expect("its own branch");
    server.report(&head, "success").await;
    server.merge(number, round).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_joins_by_the_queues_method_whatever_is_asked_for() {
    let squash =
        json!({ "type": "pull_request", "parameters": { "allowed_merge_methods": ["squash"] } });
    let rules = json!([
        squash,
        checks(false),
        queue(json!({ "merge_method": "SQUASH" }))
    ]);
    let (server, tree) = site(&[("main", json!([]), rules)]).await;
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    server.report(&head, "success").await;
    let pull = server
        .get(&format!("/repos/acme/site/pulls/{number}"))
        .await
        .expect(200);
    assert_eq!(pull["unmet_rules"], json!([]));
    let asked = json!({ "merge_method": "merge" });
    server.merge(number, asked).await.expect(202);
    let candidate = server.candidate(number).await;
    server.report(&candidate, "success").await;
    server
        .until("/repos/acme/site/queue", |queue| entries(queue).is_empty())
        .await;
    assert_eq!(tree.fetch("main"), candidate);
    let parents = tree.git(&["rev-list", "--parents", "-n", "1", &candidate]);
    assert_eq!(parents.split(' ').count(), 2, "a squash has one parent");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_on_a_bypass_list_counts_until_it_has_landed() {
    let rules = json!([checks(false), queue(json!({}))]);
    let (server, tree) = site(&[("queue", json!([]), rules)]).await;
    let body = json!({ "scopes": ["repo:write"], "note": "release robot" });
    let made = server
        .post("/workspaces/acme/tokens", body)
        .await
        .expect(201);
    let token = made["token"].as_str().expect("a token").to_owned();
    let review =
        json!([{ "type": "pull_request", "parameters": { "required_approving_review_count": 1 } }]);
    let bypass = json!([{ "actor_type": "token", "actor_id": made["id"] }]);
    add(&server, "reviews", &bypass, &review).await;
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    server.report(&head, "success").await;
    let path = format!("/repos/acme/site/pulls/{number}/merge");
    server
        .merge(number, json!({}))
        .await
        .expect_problem(405, "not_mergeable");
    server
        .call_as(&token, Method::PUT, &path, Some(json!({})))
        .await
        .expect(202);
    let candidate = server.candidate(number).await;
    server.report(&candidate, "success").await;
    let queue = server
        .until("/repos/acme/site/queue", |queue| entries(queue).is_empty())
        .await;
    assert_eq!(queue["recent"][0]["state"], "landed", "{queue}");
    assert_eq!(server.head("main").await, candidate);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_of_a_place_in_the_queue_is_true_at_once() {
    let rules = json!([checks(false), queue(json!({}))]);
    let (server, tree) = site(&[("main", json!([]), rules)]).await;
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    server.report(&head, "success").await;
    let first = server.merge(number, json!({})).await.expect(202);
    server.candidate(number).await;
    // From here on nobody handles an event of the repository: what the calls say is all there is.
    let mut step = Step::before(&server, "INSERT", "inbox").await;
    patch(&server, number, json!({ "base": "release" }))
        .await
        .expect(200);
    step.reached().await;
    let second = server.merge(number, json!({})).await.expect(202);
    assert_ne!(first["entry"], second["entry"]);
    assert_eq!(second["position"], 1);
    patch(&server, number, json!({ "state": "closed" }))
        .await
        .expect(200);
    patch(&server, number, json!({ "state": "open" }))
        .await
        .expect(200);
    let third = server.merge(number, json!({})).await.expect(202);
    assert_ne!(second["entry"], third["entry"]);
    for (branch, left) in [("main", "retargeted"), ("release", "closed")] {
        let queue = server
            .get(&format!("/repos/acme/site/queue/{branch}"))
            .await
            .expect(200);
        assert_eq!(queue["recent"][0]["reason_code"], left, "{queue}");
    }
    step.release().await;
    let entry = third["entry"].clone();
    let is_tested = move |queue: &Value| {
        entries(queue)
            .iter()
            .any(|live| live["id"] == entry && live["state"] == "testing")
    };
    server
        .until("/repos/acme/site/queue/release", is_tested)
        .await;
}

/// Waits until somebody waits for a row that is held.
async fn somebody_waits(pool: &sqlx::PgPool) {
    let since = std::time::Instant::now();
    let sql = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    while sqlx::query(sql)
        .fetch_optional(pool)
        .await
        .expect("activity")
        .is_none()
    {
        assert!(since.elapsed().as_secs() < 60, "nobody waits");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_words_does_not_undo_a_close_or_forget_a_merge() {
    let (server, tree) = site(&[]).await;
    tree.branch("feature");
    let number = server.open("feature").await;
    let path = format!("/repos/acme/site/pulls/{number}");
    // What the push and the opening ask for is done before rows are held.
    server.until(&path, |pull| pull["mergeable"] == true).await;
    let pool = server.database.pool().await;
    let mut closing = pool.begin().await.expect("a transaction");
    sqlx::query("UPDATE pulls SET state = 'closed', closed_at = now()")
        .execute(&mut *closing)
        .await
        .expect("held");
    let (changed, ()) = tokio::join!(
        patch(&server, number, json!({ "title": "Better words" })),
        async {
            somebody_waits(&pool).await;
            closing.commit().await.expect("closed");
        }
    );
    let pull = changed.expect(200);
    assert_eq!(
        (&pull["state"], &pull["title"]),
        (&json!("closed"), &json!("Better words"))
    );
    // Git has a merge that the database lacks, as after a crash: closing comes too late.
    patch(&server, number, json!({ "state": "open" }))
        .await
        .expect(200);
    let main = server.head("main").await;
    sqlx::query("UPDATE pulls SET merge_intent_sha = $1, merge_intent_method = 'merge', merge_intent_actor_id = author_id")
        .bind(&main)
        .execute(&pool)
        .await
        .expect("an intent");
    patch(&server, number, json!({ "state": "closed" }))
        .await
        .expect_problem(422, "validation_failed");
    let pull = server.get(&path).await.expect(200);
    assert_eq!(
        (&pull["merged"], &pull["merge_commit_sha"]),
        (&json!(true), &json!(main))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_admins_put_first_and_take_out_what_is_others() {
    let rules = json!([checks(false), queue(json!({}))]);
    let (server, tree) = site(&[("main", json!([]), rules)]).await;
    let mut joined = Vec::new();
    for name in ["one", "two"] {
        let head = tree.branch(name);
        let number = server.open(name).await;
        server.report(&head, "success").await;
        joined.push(server.merge(number, json!({})).await.expect(202));
        server.candidate(number).await;
    }
    let put = json!({ "role": "member" });
    server
        .put("/workspaces/acme/members/mia", put)
        .await
        .expect(200);
    let role = json!({ "permission": "maintain" });
    let answer = server.put("/repos/acme/site/collaborators/mia", role).await;
    assert_eq!(answer.status, 204, "{}", answer.body);
    let body = json!({ "login": "mia", "scopes": ["repo:admin"] });
    let made = server
        .post("/workspaces/acme/tokens", body)
        .await
        .expect(201);
    let mia = made["token"].as_str().expect("a token");
    let second = joined[1]["entry"].as_str().expect("an entry");
    let path = format!("/repos/acme/site/queue/entries/{second}");
    let first = json!({ "position": "first" });
    for (method, body) in [(Method::PATCH, Some(first.clone())), (Method::DELETE, None)] {
        let answer = server.call_as(mia, method, &path, body).await;
        let told = answer.expect_problem(403, "forbidden");
        assert!(told.contains("`admin`"), "{told}");
    }
    server
        .call(Method::PATCH, &path, Some(first))
        .await
        .expect(200);
    // It is told in the state it has.
    let events = server
        .get("/workspaces/acme/events?kind=queue.changed")
        .await
        .expect(200);
    let told = events
        .as_array()
        .into_iter()
        .flatten()
        .find(|event| event["data"]["reason_code"] == "put_first")
        .expect("it is published");
    assert_eq!(told["data"]["state"], "testing");
}
