//! A server that is told to stop takes nothing new, finishes what runs, and ends.

use g1t_tests::{Server, Step, WorkTree};
use reqwest::Method;
use serde_json::json;

/// Waits until nobody answers at the address.
async fn refused(server: &Server) {
    let address = server.url.trim_start_matches("http://").to_owned();
    while tokio::net::TcpStream::connect(&address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_is_finished_and_nothing_new_is_taken() {
    let mut server = Server::start().await;
    server.make_site().await;
    let mut step = Step::before(&server, "UPDATE", "repositories").await;
    let described = server
        .request(Method::PATCH, "/repos/acme/site")
        .bearer_auth(&server.token)
        .json(&json!({ "description": "said while stopping" }));
    let running = tokio::spawn(described.send());
    step.reached().await;
    server.terminate();
    refused(&server).await;
    step.release().await;
    let answer = running.await.expect("no panic").expect("an answer");
    assert_eq!(answer.status(), 200);
    assert!(server.ended().success());
    server.restart();
    let site = server.get("/repos/acme/site").await.expect(200);
    assert_eq!(site["description"], "said while stopping");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_under_way_is_finished() {
    let mut server = Server::start().await;
    server.make_site().await;
    let mut tree = WorkTree::begin(&server);
    let mut step = Step::before(&server, "DELETE", "push_intents").await;
    tree.git(&["checkout", "--quiet", "-b", "feature"]);
    let head = tree.commit("feature", "new\n");
    let stopping = async {
        step.reached().await;
        server.terminate();
        refused(&server).await;
        step.release().await;
    };
    let pushing = tokio::task::spawn_blocking(move || {
        let pushed = tree.push("feature");
        (tree, pushed)
    });
    let ((), pushed) = tokio::join!(stopping, pushing);
    let (returned, pushed) = pushed.expect("git ended");
    tree = returned;
    pushed.expect("the push was finished");
    assert!(server.ended().success());
    server.restart();
    tree.follow(&server);
    assert_eq!(server.head("feature").await, head);
}
