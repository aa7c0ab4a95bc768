//! Pushes, from the outside: what git stores, what it is refused, and what is told of it afterwards.

use g1t_tests::{Server, WorkTree};

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
