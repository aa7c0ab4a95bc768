use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use tokio::process::Command;

/// Longest a git command may take.
const TIME: Duration = Duration::from_secs(600);

/// A git command that failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("git cannot run: install git")]
    Missing(#[source] std::io::Error),
    #[error("git {command} took longer than {} s", TIME.as_secs())]
    TooSlow { command: String },
    #[error("git {command} failed: {stderr}")]
    Failed { command: String, stderr: String },
}

/// A folder that git works in, with the token of its server.
#[derive(Clone, Debug)]
pub struct Clone {
    folder: PathBuf,
    token: Option<String>,
}

impl Clone {
    /// Git in a folder.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            token: None,
        }
    }

    /// Sends a token to the server. It travels in git's environment: arguments and addresses can be seen by others.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs git and gives what it prints, without the last line end.
    pub async fn run(&self, args: &[&str]) -> Result<String, GitError> {
        let command = args.first().copied().unwrap_or_default().to_owned();
        let mut git = Command::new("git");
        git.args(args)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        git.env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for (name, who) in [("AUTHOR", "Demo"), ("COMMITTER", "Demo")] {
            git.env(format!("GIT_{name}_NAME"), who)
                .env(format!("GIT_{name}_EMAIL"), "demo@example.com");
        }
        if let Some(token) = &self.token {
            let basic = base64::engine::general_purpose::STANDARD.encode(format!("x:{token}"));
            git.env("GIT_CONFIG_COUNT", "1")
                .env("GIT_CONFIG_KEY_0", "http.extraHeader")
                .env(
                    "GIT_CONFIG_VALUE_0",
                    format!("Authorization: Basic {basic}"),
                );
        }
        let output = tokio::time::timeout(TIME, git.output()).await;
        let output = output
            .map_err(|_| GitError::TooSlow {
                command: command.clone(),
            })?
            .map_err(GitError::Missing)?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(GitError::Failed { command, stderr });
        }
        Ok(String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned())
    }
}
