use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::Mutex;

use super::{Clone, GitError};

/// Bytes of a command's output that are reported: its last ones, where the reason usually stands.
const OUTPUT_BYTES: usize = 16 << 10;

/// A command to run on a commit.
#[derive(Clone, Debug)]
pub struct Job {
    pub name: String,
    pub command: String,
    pub sha: String,
    pub timeout: Duration,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// A check run's conclusion: `success`, `failure` or `timed_out`.
    pub conclusion: &'static str,
    pub output: String,
}

impl Job {
    /// Checks the commit out in a clean folder, runs the command there, and removes the folder.
    /// `fetching` keeps two jobs from changing the clone at the same time.
    pub async fn run(
        &self,
        clone: &Clone,
        folder: &Path,
        fetching: &Mutex<()>,
    ) -> Result<Verdict, GitError> {
        let path = folder.to_string_lossy().into_owned();
        {
            let _turn = fetching.lock().await;
            clone
                .run(&["fetch", "--quiet", "--no-tags", "origin", &self.sha])
                .await?;
            clone
                .run(&[
                    "worktree", "add", "--quiet", "--detach", "--force", &path, &self.sha,
                ])
                .await?;
        }
        let verdict = self.command(folder).await;
        let _turn = fetching.lock().await;
        clone
            .run(&["worktree", "remove", "--force", &path])
            .await
            .ok();
        Ok(verdict)
    }

    async fn command(&self, folder: &Path) -> Verdict {
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("exec 2>&1; {}", self.command))
            .current_dir(folder);
        shell
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        // A group of its own, so that what the command started ends with it.
        shell.process_group(0);
        let child = match shell.spawn() {
            Ok(child) => child,
            Err(error) => {
                return Verdict {
                    conclusion: "failure",
                    output: format!("sh cannot run: {error}"),
                };
            }
        };
        let group = child.id();
        match tokio::time::timeout(self.timeout, child.wait_with_output()).await {
            Ok(Ok(output)) => Verdict {
                conclusion: if output.status.success() {
                    "success"
                } else {
                    "failure"
                },
                output: tail(&output.stdout),
            },
            Ok(Err(error)) => Verdict {
                conclusion: "failure",
                output: error.to_string(),
            },
            Err(_) => {
                if let Some(group) = group {
                    Command::new("kill")
                        .args(["-KILL", "--", &format!("-{group}")])
                        .status()
                        .await
                        .ok();
                }
                let output = format!("stopped after {} s", self.timeout.as_secs());
                Verdict {
                    conclusion: "timed_out",
                    output,
                }
            }
        }
    }
}

fn tail(bytes: &[u8]) -> String {
    let start = bytes.len().saturating_sub(OUTPUT_BYTES);
    String::from_utf8_lossy(bytes.get(start..).unwrap_or_default())
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Job, tail};
    use std::time::Duration;

    fn job(command: &str) -> Job {
        let timeout = Duration::from_millis(300);
        Job {
            name: "ci".into(),
            command: command.into(),
            sha: String::new(),
            timeout,
        }
    }

    #[tokio::test]
    async fn a_command_decides_by_how_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let passed = job("echo fine").command(folder.path()).await;
        assert_eq!(
            (passed.conclusion, passed.output.as_str()),
            ("success", "fine")
        );
        let failed = job("echo broken >&2; exit 3").command(folder.path()).await;
        assert_eq!(
            (failed.conclusion, failed.output.as_str()),
            ("failure", "broken")
        );
    }

    #[tokio::test]
    async fn a_command_that_does_not_end_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            job("sleep 60").command(folder.path()).await.conclusion,
            "timed_out"
        );
    }

    #[test]
    fn the_end_of_the_output_is_kept() {
        let long = "x".repeat(20 << 10) + "the reason";
        assert!(tail(long.as_bytes()).ends_with("the reason"));
        assert_eq!(tail(long.as_bytes()).len(), 16 << 10);
    }
}
