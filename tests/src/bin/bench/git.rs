//! The git of a person who pushes: a work tree, without the configuration of this machine.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use anyhow::{Context, Result, bail};
use tokio::process::Command;

/// A folder to run git in.
pub struct Git {
    folder: PathBuf,
}

impl Git {
    /// Git in a folder that is there.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Runs git, however it ends.
    ///
    /// # Errors
    /// When it cannot start.
    pub async fn output(&self, args: &[&str]) -> Result<Output> {
        Command::new("git")
            .args(args)
            .current_dir(&self.folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.org")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.org")
            .stdin(Stdio::null())
            .output()
            .await
            .context("git cannot run")
    }

    /// Runs git, which must succeed.
    ///
    /// # Errors
    /// When it does not; the message has what it printed.
    pub async fn run(&self, args: &[&str]) -> Result<()> {
        let output = self.output(args).await?;
        if !output.status.success() {
            bail!(
                "git {} failed ({}): {}",
                args.first().unwrap_or(&""),
                output.status,
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        Ok(())
    }
}
