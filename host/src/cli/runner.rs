//! A stand-in for a CI system: a client of the API like any other.
//!
//! It takes `merge_group.checks_requested` and pull request heads from the workspace's events, checks the commit out in a
//! clean folder, runs the commands with a time limit, and reports a check run for each.

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value, json};
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::options::RunnerArgs;
use crate::client::{Client, ClientError, Clone, Job, Verdict};

/// How long the runner waits when there was nothing new.
const POLL: Duration = Duration::from_millis(200);
/// Events read at once.
const PAGE: usize = 100;
/// Wait before a call is made again, doubled each time up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
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

/// What the runner's tests share.
struct Work {
    runner: Runner,
    clone: Clone,
    /// Keeps two tests from changing the clone at the same time.
    fetching: Mutex<()>,
    turns: Arc<Semaphore>,
    /// Commits and checks that are done or being done. One that could not be reported is taken out again.
    seen: std::sync::Mutex<HashSet<(String, String)>>,
}

impl Runner {
    /// Takes commits and tests them until `stop`.
    pub async fn work(self, stop: CancellationToken) -> anyhow::Result<()> {
        let folder = tempfile::tempdir().context("a folder to work in")?;
        let clone = Clone::at(folder.path()).with_token(self.client.token());
        let name = format!("{}/{}", self.workspace, self.repository);
        let url = format!("{}/{name}.git", self.client.url());
        clone
            .run(&["clone", "--quiet", "--no-checkout", &url, "clone"])
            .await?;
        let work = Arc::new(Work {
            clone: Clone::at(&folder.path().join("clone")).with_token(self.client.token()),
            fetching: Mutex::default(),
            turns: Arc::new(Semaphore::new(self.parallel)),
            seen: std::sync::Mutex::default(),
            runner: self,
        });
        let running = TaskTracker::new();
        let mut after: Option<String> = None;
        let mut number = 0usize;
        while !stop.is_cancelled() {
            let events = work.runner.news(after.as_deref()).await;
            if let Some(last) = events.last() {
                after = last["cursor"].as_str().map(str::to_owned);
            }
            for sha in events.iter().filter_map(|event| commit_of(event, &name)) {
                for check in &work.runner.checks {
                    number += 1;
                    let place = folder.path().join(format!("job-{number}"));
                    let (work, sha, check) = (Arc::clone(&work), sha.clone(), check.clone());
                    running.spawn(async move { work.take(&place, check, sha).await });
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

    async fn events(&self, after: Option<&str>) -> Result<Vec<Value>, ClientError> {
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
}

impl Work {
    /// Tests a commit, unless that is done or being done.
    async fn take(&self, place: &Path, check: Check, sha: String) {
        let key = (sha.clone(), check.name.clone());
        if !self.seen().insert(key.clone()) {
            return;
        }
        let Ok(_turn) = Arc::clone(&self.turns).acquire_owned().await else {
            return;
        };
        if let Err(error) = self.test(place, check, sha).await {
            tracing::warn!(error = format!("{error:#}"), "a commit could not be tested");
            self.seen().remove(&key);
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, HashSet<(String, String)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn test(&self, place: &Path, check: Check, sha: String) -> anyhow::Result<()> {
        let Runner {
            client,
            workspace,
            repository,
            timeout,
            ..
        } = &self.runner;
        let repository = format!("/repos/{workspace}/{repository}");
        let done = format!(
            "{repository}/commits/{sha}/check-runs?check_name={}&status=completed&per_page=1",
            encoded(&check.name)
        );
        let done = persistently(|| client.get(&done)).await?;
        if done["total_count"].as_u64().unwrap_or_default() > 0 {
            return Ok(());
        }
        let runs = format!("{repository}/check-runs");
        let begun = json!({ "name": check.name, "head_sha": sha, "status": "in_progress" });
        let begun = persistently(|| client.post(&runs, &begun)).await?;
        let id = begun["id"].as_i64().context("the check run has no id")?;
        let job = Job {
            name: check.name,
            command: check.command,
            sha,
            timeout: *timeout,
        };
        let verdict = job
            .run(&self.clone, place, &self.fetching)
            .await
            .unwrap_or_else(|error| Verdict {
                conclusion: "failure",
                output: format!("the commit could not be checked out: {error}"),
            });
        let output = json!({ "title": verdict.conclusion, "summary": verdict.output });
        let done =
            json!({ "status": "completed", "conclusion": verdict.conclusion, "output": output });
        let run = format!("{runs}/{id}");
        persistently(|| client.patch(&run, &done)).await?;
        Ok(())
    }
}

/// Calls until the server answers, for as long as a restart of it may take.
async fn persistently<F>(call: impl Fn() -> F) -> Result<Value, ClientError>
where
    F: Future<Output = Result<Value, ClientError>>,
{
    let mut wait = FIRST_WAIT;
    loop {
        match call().await {
            Err(error) if is_passing(&error) && wait <= LONGEST_WAIT => {
                tracing::info!(
                    error = &error as &dyn std::error::Error,
                    "calling again in {wait:?}"
                );
                tokio::time::sleep(wait).await;
                wait *= 2;
            }
            other => return other,
        }
    }
}

/// Whether the same call may do better later.
fn is_passing(error: &ClientError) -> bool {
    error
        .status()
        .is_none_or(|status| status >= 500 || status == 429)
}

/// A name as a query can carry it.
fn encoded(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

/// The commit that an event of the repository asks to be tested.
fn commit_of(event: &Value, repository: &str) -> Option<String> {
    let of = event["repository"].as_str()?;
    if !of.eq_ignore_ascii_case(repository) {
        return None;
    }
    let data = &event["data"];
    let sha = data["head_sha"]
        .as_str()
        .or(data["head"]["sha"].as_str())
        .or(data["head"].as_str())?;
    Some(sha.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Check, commit_of, encoded};
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
    fn candidates_and_heads_are_found_in_events_of_the_repository() {
        let found = |repository: &str, data| {
            commit_of(
                &json!({ "repository": repository, "data": data }),
                "acme/Site",
            )
        };
        assert_eq!(
            found("acme/site", json!({ "head_sha": "abc" })).as_deref(),
            Some("abc")
        );
        assert_eq!(
            found("acme/site", json!({ "head": "def" })).as_deref(),
            Some("def")
        );
        assert_eq!(found("acme/site", json!({})), None);
        assert_eq!(found("acme/other", json!({ "head_sha": "abc" })), None);
    }

    #[test]
    fn names_travel_in_queries() {
        assert_eq!(encoded("unit & end/2"), "unit%20%26%20end%2F2");
    }
}
