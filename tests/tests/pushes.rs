//! Pushes, from the outside: what git stores, what it is refused, and what is told of it afterwards.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use g1t_tests::{Server, Step, WorkTree, receive_body};
use serde_json::{Value, json};

async fn site() -> (Server, WorkTree) {
    let server = Server::start().await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    (server, tree)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_branches_and_tags_is_taken() {
    let (_server, tree) = site().await;
    let blob = tree.git(&["rev-parse", "main:README"]);
    let refused = tree
        .push(&format!("{blob}:refs/replace/{blob}"))
        .expect_err("git would read one object for another");
    assert!(
        refused.contains("only branches (refs/heads/) and tags (refs/tags/) are kept"),
        "{refused}"
    );
    assert_eq!(tree.remote_refs("refs/replace/*"), "");
    tree.push("main:refs/tags/v1").expect("a tag is taken");
}

const ZERO: &str = "0000000000000000000000000000000000000000";

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_two_clients_ask_for_is_told_once() {
    let (server, tree) = site().await;
    let new = tree.branch("other");
    tree.push("main:feature").expect("a branch takes a push");
    let old = tree.git(&["rev-parse", "main"]);
    let asked = [(old.as_str(), new.as_str(), "refs/heads/feature")];
    let first = server.receive(&asked).await;
    assert!(first.contains("ok refs/heads/feature"), "{first}");
    let second = server.receive(&asked).await;
    assert!(second.contains("moved to"), "{second}");
    assert!(second.contains("ng refs/heads/feature"), "{second}");
    let back = (new.as_str(), old.as_str(), "refs/heads/feature");
    let twice = server.receive(&[back, back]).await;
    assert!(!twice.contains("ok refs/heads/feature"), "{twice}");
    // Made, and moved.
    assert_eq!(server.pushes("refs/heads/feature").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_moves_nothing_is_not_told() {
    let (server, tree) = site().await;
    let head = tree.git(&["rev-parse", "main"]);
    server.receive(&[(ZERO, ZERO, "refs/heads/ghost")]).await;
    server.receive(&[(&head, &head, "refs/heads/main")]).await;
    assert_eq!(server.pushes("refs/heads/ghost").await, 0);
    assert_eq!(server.pushes("refs/heads/main").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_push_left_behind_is_settled_while_the_server_runs() {
    let (server, tree) = site().await;
    let old = tree.git(&["rev-parse", "main"]);
    let new = tree.branch("feature");
    // One that was cut off before git stored it, and one that git stored and nobody told of.
    server.record_move("refs/heads/main", &old, &new).await;
    server.record_move("refs/heads/feature", &old, &new).await;
    server.until_settled().await;
    assert_eq!(server.pushes("refs/heads/main").await, 1);
    assert_eq!(server.pushes("refs/heads/feature").await, 2);
    tree.push("feature:main").expect("main takes a push");
    assert_eq!(server.pushes("refs/heads/main").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_landing_that_was_begun_is_finished_when_its_guest_runs_out_of_time() {
    let server = Server::start_hurried("pulls", Duration::from_secs(3)).await;
    server.make_site().await;
    let tree = WorkTree::begin(&server);
    let head = tree.branch("feature");
    let number = server.open("feature").await;
    let mut step = Step::before(&server, "INSERT", "push_intents").await;
    let (answer, ()) = tokio::join!(server.merge(number, json!({})), step.reached());
    assert_eq!(answer.status, 504, "{}", answer.body);
    step.release().await;
    let merged = |pull: &Value| pull["merged"] == true;
    let pull = server
        .until(&format!("/repos/acme/site/pulls/{number}"), merged)
        .await;
    let main = server.head("main").await;
    assert_eq!(pull["merge_commit_sha"], main.as_str());
    tree.fetch("main");
    tree.git(&["merge-base", "--is-ancestor", &head, "FETCH_HEAD"]);
    server.until_settled().await;
    assert_eq!(server.pushes("refs/heads/main").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_is_still_being_sent_is_stored_before_the_server_stops() {
    let (mut server, mut tree) = site().await;
    let head = tree.git(&["rev-parse", "main"]);
    let body = receive_body(&[(ZERO, &head, "refs/heads/feature")]);
    let mut client = TcpStream::connect(server.url.replace("http://", "")).expect("a connection");
    let patience = Some(Duration::from_secs(60));
    client.set_read_timeout(patience).expect("a time limit");
    let begin = format!(
        "POST /acme/site.git/git-receive-pack HTTP/1.1\r\nhost: g1t\r\nauthorization: Bearer {}\r\n\
         content-length: {}\r\nexpect: 100-continue\r\n\r\n",
        server.token,
        body.len()
    );
    client.write_all(begin.as_bytes()).expect("a request");
    let mut told = [0; 25];
    client
        .read_exact(&mut told)
        .expect("git is started, and the rest is asked for");
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    server.interrupt();
    client.write_all(&body).expect("the server still reads");
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("ok refs/heads/feature"), "{answer}");
    assert!(server.ended().success());
    server.restart();
    tree.follow(&server);
    assert_eq!(server.head("feature").await, head);
    assert_eq!(server.pushes("refs/heads/feature").await, 1);
}
