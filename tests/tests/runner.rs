//! The runner stands in for a CI system, and may be stopped and started like one.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use g1t_tests::{Server, WorkTree};

/// A runner whose check writes down what it tests.
struct Runner(Child);

impl Runner {
    fn start(server: &Server, tested: &Path) -> Self {
        let program = PathBuf::from(std::env::var_os("G1T_BIN").expect("G1T_BIN is set"));
        let check = format!("ci=git rev-parse HEAD >>'{}'", tested.display());
        let child = Command::new(program)
            .args(["runner", "--url", &server.url, "--repo", "acme/site"])
            .args(["--parallel", "1", "--check", &check])
            .env("G1T_TOKEN", &server.token)
            .stdout(Stdio::null())
            .spawn()
            .expect("the runner starts");
        Self(child)
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

async fn tested(server: &Server, sha: &str) {
    let path = format!("/repos/acme/site/commits/{sha}/check-runs?status=completed");
    server.until(&path, |runs| runs["total_count"] == 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runner_that_starts_again_does_not_test_again() {
    let server = Server::start().await;
    server.make_site().await;
    let work = WorkTree::begin(&server);
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("tested");

    let first = work.branch("first");
    server.open("first").await;
    let runner = Runner::start(&server, &list);
    tested(&server, &first).await;
    drop(runner);

    let second = work.branch("second");
    server.open("second").await;
    let _runner = Runner::start(&server, &list);
    tested(&server, &second).await;
    let list = std::fs::read_to_string(&list).expect("a list");
    assert_eq!(list.lines().collect::<Vec<_>>(), [first, second]);
}
