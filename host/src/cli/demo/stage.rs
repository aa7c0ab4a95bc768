use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::super::app::{App, Settings};
use super::super::embedded::Embedded;
use super::super::first_owner::first_owner;
use super::super::options::DemoArgs;
use super::super::runner::{Check, Runner};
use crate::client::{Client, Clone, GitError};

/// Name of the demo's workspace and repository.
pub(super) const WORKSPACE: &str = "demo";
pub(super) const REPOSITORY: &str = "site";
/// Name of the required check.
pub(super) const CHECK: &str = "ci";

/// A server of its own, thrown away at the end.
pub(super) struct Stage {
    pub(super) client: Client,
    /// The work tree that pushes come from.
    pub(super) clone: Clone,
    app: Option<App>,
    embedded: Option<Embedded>,
    _temporary: tempfile::TempDir,
}

/// The runner while it works.
pub(super) struct Running {
    stop: CancellationToken,
    task: JoinHandle<anyhow::Result<()>>,
}

impl Running {
    pub(super) async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        self.task.await?
    }
}

impl Stage {
    pub(super) async fn open(args: &DemoArgs) -> anyhow::Result<Self> {
        let temporary = tempfile::Builder::new().prefix("g1t-demo").tempdir()?;
        // Postgres runs as another user when this is root, and must be able to get to its folder.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(temporary.path(), open)?;
        let folder = temporary.path().to_owned();
        println!("starting a private Postgres and the server, everything in this one process");
        let embedded = Embedded::start(&folder.join("postgres")).await?;
        // Compiled components are kept between demos: the second one starts at once.
        let data = folder.join("data");
        std::fs::create_dir_all(&data)?;
        let app = App::start(Settings {
            database: embedded.options(),
            guests: None,
            data,
            code: args.components.join("code"),
            components: args.components.clone(),
            listen: ([127, 0, 0, 1], 0).into(),
            public_url: None,
            sqs_queue_url: None,
            // The story is told as fast as it goes.
            requests_per_hour: u32::MAX,
        })
        .await?;
        let token = first_owner(&app.pool, |_| Ok(()))
            .await?
            .context("a new database has no person yet")?;
        println!("the server is at {}", app.public_url);
        let client = Client::new(&app.public_url, &token)?;
        client
            .post("/workspaces", &json!({ "name": WORKSPACE }))
            .await?;
        client
            .post(
                &format!("/orgs/{WORKSPACE}/repos"),
                &json!({ "name": REPOSITORY, "private": true }),
            )
            .await?;
        let work = folder.join("work");
        std::fs::create_dir_all(&work)?;
        let clone = Clone::at(&work).with_token(&token);
        Ok(Self {
            client,
            clone,
            app: Some(app),
            embedded: Some(embedded),
            _temporary: temporary,
        })
    }

    pub(super) fn repository_path(&self, rest: &str) -> String {
        format!("/repos/{WORKSPACE}/{REPOSITORY}{rest}")
    }

    pub(super) fn git_url(&self) -> String {
        format!("{}/{WORKSPACE}/{REPOSITORY}.git", self.client.url())
    }

    /// Main takes pull requests only, each tested in the queue.
    pub(super) async fn protect(&self) -> anyhow::Result<()> {
        let ruleset = json!({
            "name": "main", "target": "branch", "enforcement": "active",
            "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
            "rules": [
                { "type": "pull_request", "parameters": { "required_approving_review_count": 0 } },
                { "type": "non_fast_forward" },
                { "type": "deletion" },
                { "type": "required_status_checks", "parameters": { "required_status_checks": [{ "context": CHECK }],
                  "strict_required_status_checks_policy": false } },
                { "type": "merge_queue", "parameters": { "merge_method": "MERGE", "max_entries_to_build": 4 } },
            ],
        });
        self.client
            .post(&self.repository_path("/rulesets"), &ruleset)
            .await?;
        println!("main is protected: pull requests only, '{CHECK}' required, merged by the queue");
        Ok(())
    }

    /// The judge's lines, when it refused as it must; none when the push went through.
    pub(super) async fn try_direct_push(&self) -> anyhow::Result<Option<String>> {
        let main = self.clone.run(&["rev-parse", "main"]).await?;
        let tree = self.clone.run(&["rev-parse", "main^{tree}"]).await?;
        let commit = self
            .clone
            .run(&["commit-tree", &tree, "-p", &main, "-m", "Straight to main"])
            .await?;
        match self
            .clone
            .run(&[
                "push",
                "--quiet",
                &self.git_url(),
                &format!("{commit}:refs/heads/main"),
            ])
            .await
        {
            Ok(_) => Ok(None),
            Err(GitError::Failed { stderr, .. }) => {
                let lines: Vec<&str> = stderr
                    .lines()
                    .filter(|line| line.starts_with("remote: g1t"))
                    .collect();
                Ok(Some(lines.join("\n")))
            }
            Err(other) => Err(other.into()),
        }
    }

    pub(super) fn runner(&self, command: &str) -> Running {
        let stop = CancellationToken::new();
        let runner = Runner {
            client: self.client.clone(),
            workspace: WORKSPACE.to_owned(),
            repository: REPOSITORY.to_owned(),
            checks: vec![Check {
                name: CHECK.to_owned(),
                command: command.to_owned(),
            }],
            timeout: Duration::from_secs(600),
            parallel: std::thread::available_parallelism().map_or(2, usize::from),
        };
        let task = tokio::spawn(runner.work(stop.clone()));
        Running { stop, task }
    }

    pub(super) async fn queue(&self) -> anyhow::Result<Value> {
        Ok(self.client.get(&self.repository_path("/queue")).await?)
    }

    pub(super) fn work(&self) -> &Path {
        self.clone.folder()
    }

    /// Stops the server and its Postgres; the folder goes with it.
    pub(super) async fn close(mut self) {
        if let Some(app) = self.app.take() {
            app.stop().await;
        }
        if let Some(embedded) = self.embedded.take() {
            embedded.stop().await;
        }
    }
}
