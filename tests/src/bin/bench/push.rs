//! A push of one commit that is judged, against the same push to plain `git http-backend`, which judges nothing.
//!
//! The time is that of the whole `git push`, as a person waits for it. Both servers ask for a password; ours looks up
//! whose it is and what they may, has the hook read what comes in, judges it by a ruleset and records push and decision
//! in Postgres. The plain repository is one as `git init` makes it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use serde_json::json;
use tempfile::TempDir;

use crate::cgi::{CREDENTIALS, Cgi};
use crate::git::Git;
use crate::measure::{Effort, Side, in_turns};
use crate::server::Server;
use crate::table::{Aim, Row, Unit};

/// Files of the repository, in folders of ten.
const FILES: usize = 200;

/// What handlers still do about a push when its pusher is gone must be over before the next one is timed: it would
/// count against whichever side comes then.
const SETTLE: Duration = Duration::from_millis(250);

const REFSPEC: &str = "HEAD:refs/heads/main";

/// Measures pushes.
///
/// # Errors
/// When a push is refused that should not be, or the reverse.
pub async fn measure(server: &Server, effort: Effort) -> Result<Row> {
    println!("==> push: one commit, judged, against `git http-backend`");
    let pusher = Pusher::prepare(server).await?;
    let mut committed = None;
    let pairs = in_turns(effort.pick(40, 3), async |side, round| {
        if committed.replace(round) != Some(round) {
            pusher
                .commit("changing", &format!("round {round}\n"))
                .await?;
        }
        pusher.push(side).await
    })
    .await?;
    Ok(Row {
        what: "`git push` of one commit; ours judged and recorded",
        against: "`git http-backend`",
        unit: Unit::Milliseconds,
        pairs,
        aim: Aim::RatioBelow(1.3),
    })
}

/// A work tree and the two repositories that it pushes to.
struct Pusher {
    folder: TempDir,
    git: Git,
    ours: String,
    plain: String,
}

impl Pusher {
    /// Both repositories have the same first commit on main, and ours a ruleset that lets the pushes through.
    async fn prepare(server: &Server) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("g1t-bench-").tempdir()?;
        let (work, plain) = (folder.path().join("work"), folder.path().join("plain"));
        for path in [&work, &plain] {
            std::fs::create_dir(path)?;
        }
        let cgi = Cgi::serve(&plain).await?;
        Git::at(&plain)
            .run(&[
                "init",
                "--quiet",
                "--bare",
                "--initial-branch=main",
                "site.git",
            ])
            .await?;
        server
            .post("/workspaces", &json!({ "name": "acme" }))
            .await?;
        server
            .post("/orgs/acme/repos", &json!({ "name": "site" }))
            .await?;
        let at = server.url.trim_start_matches("http://");
        let pusher = Self {
            git: Git::at(&work),
            ours: format!("http://x:{}@{at}/acme/site.git", server.token),
            plain: format!("http://{CREDENTIALS}@{}/site.git", cgi.address),
            folder,
        };
        pusher.begin().await?;
        let ruleset = json!({
            "name": "main", "target": "branch", "enforcement": "active",
            "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
            "rules": [
                { "type": "file_path_restriction", "parameters": { "restricted_file_paths": ["*.pem", "secrets/"] } },
                { "type": "non_fast_forward" },
            ],
        });
        server.post("/repos/acme/site/rulesets", &ruleset).await?;
        pusher.expect_judged().await?;
        Ok(pusher)
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// The first commit, on both sides.
    async fn begin(&self) -> Result<()> {
        self.git
            .run(&["init", "--quiet", "--initial-branch=main"])
            .await?;
        for number in 0..FILES {
            let folder = self.work().join(format!("part{:02}", number / 10));
            std::fs::create_dir_all(&folder)?;
            let text = format!("file {number}\n").repeat(40);
            std::fs::write(folder.join(format!("file{number:03}.txt")), text)?;
        }
        self.commit("changing", "the first\n").await?;
        for side in [Side::Ours, Side::Peer] {
            self.push(side).await?;
        }
        Ok(())
    }

    /// Ours must refuse what the ruleset forbids: else there would be nothing to measure.
    async fn expect_judged(&self) -> Result<()> {
        self.commit("key.pem", "secret\n").await?;
        let output = self
            .git
            .output(&["push", "--quiet", &self.ours, REFSPEC])
            .await?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            !output.status.success() && said.contains("file_path_restriction"),
            "a push against the ruleset was not refused by it: {said}"
        );
        self.git
            .run(&["reset", "--quiet", "--hard", "HEAD~1"])
            .await
    }

    async fn commit(&self, file: &str, text: &str) -> Result<()> {
        std::fs::write(self.work().join(file), text)?;
        self.git.run(&["add", "--all"]).await?;
        self.git
            .run(&["commit", "--quiet", "-m", &format!("Change {file}")])
            .await
    }

    /// Pushes to one side; gives the milliseconds it took.
    async fn push(&self, side: Side) -> Result<f64> {
        let url = match side {
            Side::Ours => &self.ours,
            Side::Peer => &self.plain,
        };
        let since = Instant::now();
        let output = self.git.output(&["push", "--quiet", url, REFSPEC]).await?;
        let took = since.elapsed();
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("a push to {side:?} failed: {said}");
        }
        tokio::time::sleep(SETTLE).await;
        Ok(took.as_secs_f64() * 1e3)
    }
}
