//! The git executable: a clean environment, a time limit, and no way to outlive whoever asked.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;

use crate::limits::PROCESS_OUTPUT_BYTES;
use crate::{Error, Result};

/// What a git process wrote, and how it ended.
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Output {
    /// The error for an end that is not one of the command's answers.
    pub(crate) fn failed(self, command: &'static str) -> Error {
        Error::Process {
            command,
            status: self.status.to_string(),
            stderr: self.stderr,
        }
    }
}

/// A git command for the repository at `path`.
pub(crate) fn git(path: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .env_clear()
        .env(
            "PATH",
            std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()),
        )
        .env("LC_ALL", "C")
        // A folder that git never writes and that holds no configuration of a user.
        .env("HOME", path.join("hooks"))
        .env("XDG_CONFIG_HOME", path.join("hooks"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        // A ref that says "read this object instead of that one" would put other lines into a merge than its commits
        // have; the library knows no such refs, and the two must see the same.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_DIR", path)
        .current_dir(path)
        .stdin(Stdio::null())
        // The Ctrl-C of a terminal is for the host, which finishes what runs.
        .process_group(0)
        .kill_on_drop(true);
    command
}

/// Runs a command to its end.
///
/// # Errors
///
/// [`Error::Busy`] after `limit`; [`Error::Process`] for more than [`PROCESS_OUTPUT_BYTES`] of output.
pub(crate) async fn run(
    mut command: Command,
    name: &'static str,
    limit: Duration,
) -> Result<Output> {
    let io = |source| Error::Io {
        doing: "run",
        path: PathBuf::from("git"),
        source,
    };
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(io)?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(Error::Busy("git could not be heard".into()));
    };
    let work = async {
        let cap = PROCESS_OUTPUT_BYTES as u64;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let (mut stdout, mut stderr) = (stdout.take(cap + 1), stderr.take(4096));
        let (read_out, read_err) =
            tokio::join!(stdout.read_to_end(&mut out), stderr.read_to_end(&mut err));
        read_out.and(read_err).map_err(io)?;
        let stderr = String::from_utf8_lossy(&err).trim().to_owned();
        if out.len() > PROCESS_OUTPUT_BYTES {
            let status = "stopped: too much output".to_owned();
            return Err(Error::Process {
                command: name,
                status,
                stderr,
            });
        }
        let status = child.wait().await.map_err(io)?;
        Ok(Output {
            status,
            stdout: out,
            stderr,
        })
    };
    match tokio::time::timeout(limit, work).await {
        Ok(output) => output,
        Err(_) => Err(Error::Busy(format!("git {name} took longer than it may"))),
    }
}
