//! The first owner's token is made once and kept before it counts.

#[path = "support/stage.rs"]
#[expect(dead_code, reason = "the stage has more than this story needs")]
mod stage;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use sqlx::ConnectOptions;
use stage::Database;

fn serve(database: &Database, folder: &Path, token: &Path) -> Command {
    let components = std::env::var_os("G1T_COMPONENTS").expect("G1T_COMPONENTS is set");
    let code = Path::new(&components).join("code");
    let mut command = Command::new(env!("CARGO_BIN_EXE_g1t-work"));
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.join("data"))
        .arg("--code")
        .arg(code)
        .arg("--token-file")
        .arg(token)
        .env("DATABASE_URL", database.options.to_url_lossy().as_str())
        .env_remove("SQS_QUEUE_URL")
        .stdout(Stdio::piped());
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_could_not_be_kept_is_made_again() {
    let database = Database::create().await;
    let folder = tempfile::tempdir().expect("a folder");
    let nowhere = folder.path().join("missing/token");
    let failed = serve(&database, folder.path(), &nowhere)
        .stderr(Stdio::piped())
        .output()
        .expect("it runs");
    assert!(!failed.status.success());
    let said = String::from_utf8_lossy(&failed.stderr);
    assert!(said.contains("token cannot be written"), "{said}");

    let token = folder.path().join("token");
    let mut server = serve(&database, folder.path(), &token)
        .spawn()
        .expect("it runs");
    let lines = BufReader::new(server.stdout.take().expect("its output")).lines();
    let served = lines
        .map_while(Result::ok)
        .any(|line| line.starts_with("push to a repository"));
    let kept = std::fs::read_to_string(&token).expect("the token is there");
    server.kill().expect("it ran");
    server.wait().expect("it ended");
    assert!(served && kept.starts_with("g1tw_"), "{kept}");
}
