use std::collections::VecDeque;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::sync::Mutex;

use super::{Clone, GitError};

/// Bytes of a command's output that are reported: its last ones, where the reason usually stands.
const OUTPUT_BYTES: usize = 16 << 10;
/// How long the output may stay open after the command has ended and its group was stopped.
const OUTPUT_TIME: Duration = Duration::from_secs(5);
/// Settings of this process that are no business of a tested command.
const SECRETS: [&str; 4] = [
    "G1T_TOKEN",
    "DATABASE_URL",
    "G1T_GUEST_DATABASE_URL",
    "G1T_READER_DATABASE_URL",
];

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

    /// The shell that runs the command: in a group of its own, so that what the command started ends with it, and without
    /// what this process is trusted with, for the command is whatever a pull request says.
    fn shell(&self, folder: &Path) -> Command {
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("exec 2>&1; {}", self.command))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .process_group(0);
        for secret in SECRETS {
            shell.env_remove(secret);
        }
        shell
    }

    async fn command(&self, folder: &Path) -> Verdict {
        let failure = |output: String| Verdict {
            conclusion: "failure",
            output,
        };
        let mut child = match self.shell(folder).spawn() {
            Ok(child) => child,
            Err(error) => return failure(format!("sh cannot run: {error}")),
        };
        let group = child.id();
        let printed = child
            .stdout
            .take()
            .map(|output| tokio::spawn(last_bytes(output)));
        let ended = tokio::time::timeout(self.timeout, child.wait()).await;
        // Also after a good end: what it left running would keep the output open.
        end(group).await;
        let printed = match printed {
            Some(printed) => tokio::time::timeout(OUTPUT_TIME, printed).await,
            None => return failure("sh has no output".into()),
        };
        let output = match printed {
            Ok(Ok(bytes)) => String::from_utf8_lossy(&bytes).trim().to_owned(),
            Ok(Err(_)) | Err(_) => "the output could not be read".to_owned(),
        };
        match ended {
            Ok(Ok(status)) if status.success() => Verdict {
                conclusion: "success",
                output,
            },
            Ok(Ok(_)) => failure(output),
            Ok(Err(error)) => failure(error.to_string()),
            Err(_) => Verdict {
                conclusion: "timed_out",
                output: format!("{output}\nstopped after {} s", self.timeout.as_secs())
                    .trim()
                    .to_owned(),
            },
        }
    }
}

/// Ends every process of a group.
async fn end(group: Option<u32>) {
    let Some(group) = group else { return };
    Command::new("kill")
        .args(["-KILL", "--", &format!("-{group}")])
        .stderr(Stdio::null())
        .status()
        .await
        .ok();
}

/// Reads to the end and keeps the last [`OUTPUT_BYTES`], however much there is.
async fn last_bytes(mut output: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut kept = VecDeque::with_capacity(OUTPUT_BYTES);
    let mut part = [0; 4096];
    while let Ok(count @ 1..) = output.read(&mut part).await {
        kept.extend(part.iter().take(count));
        let over = kept.len().saturating_sub(OUTPUT_BYTES);
        kept.drain(..over);
    }
    kept.into()
}

#[cfg(test)]
mod tests {
    use super::{Job, last_bytes};
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

    #[tokio::test]
    async fn what_a_command_leaves_running_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let left = job("sleep 60 & echo started").command(folder.path()).await;
        assert_eq!(
            (left.conclusion, left.output.as_str()),
            ("success", "started")
        );
    }

    #[tokio::test]
    async fn the_end_of_the_output_is_kept() {
        let long = "x".repeat(1 << 20) + "the reason";
        let kept = last_bytes(long.as_bytes()).await;
        assert!(kept.ends_with(b"the reason"));
        assert_eq!(kept.len(), 16 << 10);
    }

    #[test]
    fn a_command_does_not_get_the_token() {
        let shell = job("true").shell(std::path::Path::new("."));
        let taken: Vec<_> = shell
            .as_std()
            .get_envs()
            .filter(|(_, value)| value.is_none())
            .map(|(name, _)| name.to_owned())
            .collect();
        assert!(taken.contains(&"G1T_TOKEN".into()), "{taken:?}");
    }
}
