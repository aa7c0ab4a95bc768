//! A stand-in for a CI system: a client of the API like any other.
//!
//! It takes `merge_group.checks_requested` and pull request heads from the workspace's events, checks the commit out in a
//! clean folder, runs the commands with a time limit, and reports a check run for each.

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::options::RunnerArgs;
use crate::client::{Client, Clone, Job, Verdict};

/// How long the runner waits when there was nothing new.
const POLL: Duration = Duration::from_millis(200);
/// Events read at once.
const PAGE: usize = 100;
/// Kinds that name a commit to test.
const KINDS: &str = "merge_group.checks_requested,pull.opened,pull.updated,pull.reopened";

/// A check and the command that decides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub name: String,
    pub command: String,
}

impl Check {
    /// # Errors
    /// When the text is not `NAME=COMMAND`.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        match text.split_once('=') {
            Some((name, command)) if !name.trim().is_empty() && !command.trim().is_empty() => {
                Ok(Self {
                    name: name.trim().to_owned(),
                    command: command.to_owned(),
                })
            }
            _ => bail!("--check takes NAME=COMMAND, such as --check ci='cargo test'; got '{text}'"),
        }
    }
}

/// What a runner needs to know.
#[derive(Clone)]
pub struct Runner {
    pub client: Client,
    pub workspace: String,
    pub repository: String,
    pub checks: Vec<Check>,
    pub timeout: Duration,
    pub parallel: usize,
}

/// Runs until interrupted.
pub async fn run(args: RunnerArgs) -> anyhow::Result<ExitCode> {
    let Some((workspace, repository)) = args.repo.split_once('/') else {
        bail!("--repo takes workspace/name; got '{}'", args.repo);
    };
    let runner = Runner {
        client: Client::new(&args.url, &args.token)?,
        workspace: workspace.to_owned(),
        repository: repository.to_owned(),
        checks: args
            .checks
            .iter()
            .map(|text| Check::parse(text))
            .collect::<anyhow::Result<_>>()?,
        timeout: Duration::from_secs(args.timeout_s),
        parallel: args.parallel.max(1),
    };
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        tokio::signal::ctrl_c().await.ok();
        stopping.cancel();
    });
    println!("runner for {}: waiting for commits to test", args.repo);
    runner.work(stop).await?;
    Ok(ExitCode::SUCCESS)
}

impl Runner {
    /// Takes commits and tests them until `stop`.
    pub async fn work(self, stop: CancellationToken) -> anyhow::Result<()> {
        let folder = tempfile::tempdir().context("a folder to work in")?;
        let clone = Clone::at(folder.path()).with_token(self.client.token());
        let url = format!(
            "{}/{}/{}.git",
            self.client.url(),
            self.workspace,
            self.repository
        );
        clone
            .run(&["clone", "--quiet", "--no-checkout", &url, "clone"])
            .await?;
        let clone = Clone::at(&folder.path().join("clone")).with_token(self.client.token());
        let turns = Arc::new(Semaphore::new(self.parallel));
        let fetching = Arc::new(tokio::sync::Mutex::new(()));
        let running = TaskTracker::new();
        let runner = Arc::new(self);
        let mut seen = HashSet::new();
        let mut after: Option<String> = None;
        let mut number = 0usize;
        while !stop.is_cancelled() {
            let events = runner.news(after.as_deref()).await;
            if let Some(last) = events.last() {
                after = last["cursor"].as_str().map(str::to_owned);
            }
            for sha in events.iter().filter_map(commit_of) {
                if !seen.insert(sha.clone()) {
                    continue;
                }
                for check in runner.checks.clone() {
                    number += 1;
                    let work = folder.path().join(format!("job-{number}"));
                    let (runner, clone, turns) =
                        (Arc::clone(&runner), clone.clone(), Arc::clone(&turns));
                    let (sha, fetching) = (sha.clone(), Arc::clone(&fetching));
                    running.spawn(async move {
                        let Ok(_turn) = turns.acquire_owned().await else {
                            return;
                        };
                        let tested = runner.test(&clone, &work, check, sha, &fetching).await;
                        if let Err(error) = tested {
                            tracing::warn!(
                                error = format!("{error:#}"),
                                "a commit could not be tested"
                            );
                        }
                    });
                }
            }
            if events.len() < PAGE {
                stop.run_until_cancelled(tokio::time::sleep(POLL)).await;
            }
        }
        running.close();
        running.wait().await;
        Ok(())
    }

    /// What has happened since; nothing when the server does not say.
    async fn news(&self, after: Option<&str>) -> Vec<Value> {
        match self.events(after).await {
            Ok(events) => events,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the events could not be read"
                );
                Vec::new()
            }
        }
    }

    async fn events(&self, after: Option<&str>) -> Result<Vec<Value>, crate::client::ClientError> {
        let after = after
            .map(|after| format!("&after={after}"))
            .unwrap_or_default();
        let path = format!(
            "/workspaces/{}/events?kind={KINDS}&per_page={PAGE}&order=asc{after}",
            self.workspace
        );
        let answer = self.client.get(&path).await?;
        let all = answer.as_array().cloned().unwrap_or_default();
        Ok(all)
    }

    async fn test(
        &self,
        clone: &Clone,
        folder: &std::path::Path,
        check: Check,
        sha: String,
        fetching: &tokio::sync::Mutex<()>,
    ) -> anyhow::Result<()> {
        let runs = format!("/repos/{}/{}/check-runs", self.workspace, self.repository);
        let begun = json!({ "name": check.name, "head_sha": sha, "status": "in_progress" });
        let begun = self.client.post(&runs, &begun).await?;
        let id = begun["id"].as_i64().context("the check run has no id")?;
        let job = Job {
            name: check.name,
            command: check.command,
            sha,
            timeout: self.timeout,
        };
        let verdict = job
            .run(clone, folder, fetching)
            .await
            .unwrap_or_else(|error| Verdict {
                conclusion: "failure",
                output: format!("the commit could not be checked out: {error}"),
            });
        let output = json!({ "title": verdict.conclusion, "summary": verdict.output });
        let done =
            json!({ "status": "completed", "conclusion": verdict.conclusion, "output": output });
        self.client.patch(&format!("{runs}/{id}"), &done).await?;
        Ok(())
    }
}

/// The commit that an event asks to be tested.
fn commit_of(event: &Value) -> Option<String> {
    let data = &event["data"];
    let sha = data["head_sha"]
        .as_str()
        .or(data["head"]["sha"].as_str())
        .or(data["head"].as_str())?;
    Some(sha.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Check, commit_of};
    use serde_json::json;

    #[test]
    fn a_check_is_a_name_and_a_command() {
        let check = Check::parse("ci=make test A=1").unwrap();
        assert_eq!(
            (check.name.as_str(), check.command.as_str()),
            ("ci", "make test A=1")
        );
        assert!(Check::parse("ci").is_err());
        assert!(Check::parse("=x").is_err());
    }

    #[test]
    fn candidates_and_heads_are_found_in_events() {
        assert_eq!(
            commit_of(&json!({ "data": { "head_sha": "abc" } })).as_deref(),
            Some("abc")
        );
        assert_eq!(
            commit_of(&json!({ "data": { "head": "def" } })).as_deref(),
            Some("def")
        );
        assert_eq!(commit_of(&json!({ "data": {} })), None);
    }
}
