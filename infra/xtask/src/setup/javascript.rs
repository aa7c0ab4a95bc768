//! Node and the npm packages the tests use: an SQS-protocol server, GitHub's own client and a schema validator.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt;
use crate::places::Places;
use crate::process;
use crate::steps::note;

/// What both packages ask for.
const OLDEST_NODE: u32 = 20;

/// The version fetched from npm when the machine's is older.
const FETCHED_NODE: &str = "node@22";

/// Node and the folder with `node_modules`.
#[derive(Debug)]
pub struct JavaScript {
    /// The program `node`, new enough.
    pub node: PathBuf,
    /// The npm package of the tests, its dependencies installed.
    pub folder: PathBuf,
}

impl JavaScript {
    /// Finds or fetches node, then installs what the lock file says unless it is there already.
    ///
    /// # Errors
    /// When there is no node and none can be had, or npm fails.
    pub fn provide(places: &Places) -> Result<Self> {
        if process::on_path("node").is_none() || process::on_path("npm").is_none() {
            if !process::is_root() || process::on_path("apt-get").is_none() {
                bail!(
                    "the tests need node {OLDEST_NODE} or later and npm: install them and run this again"
                );
            }
            note("javascript: no node on this machine, installing the distribution's package");
            apt::install(&["nodejs", "npm"])?;
        }
        let node = match process::on_path("node") {
            Some(node) if is_new_enough(&node) => node,
            _ => fetched(&places.toolchain().join("node"))?,
        };
        let folder = places.javascript();
        install_packages(&folder, &node)?;
        note(&format!("javascript: {}", node.display()));
        Ok(Self { node, folder })
    }

    /// The folder of `node`, for `PATH`.
    ///
    /// # Errors
    /// When it lies in none.
    pub fn programs(&self) -> Result<&Path> {
        self.node.parent().context("node lies in no folder")
    }
}

fn is_new_enough(node: &Path) -> bool {
    process::captured(Command::new(node).arg("--version"))
        .is_ok_and(|text| major(&text).is_some_and(|version| version >= OLDEST_NODE))
}

/// 20 of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version
        .trim()
        .strip_prefix('v')?
        .split('.')
        .next()?
        .parse()
        .ok()
}

fn fetched(folder: &Path) -> Result<PathBuf> {
    let node = folder.join("node_modules/node/bin/node");
    if !node.is_file() {
        note(&format!(
            "javascript: the machine's node is older than {OLDEST_NODE}, fetching {FETCHED_NODE} from npm"
        ));
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut npm = Command::new("npm");
        npm.current_dir(folder).args([
            "install",
            "--no-audit",
            "--no-fund",
            "--prefix",
            ".",
            FETCHED_NODE,
        ]);
        process::run(&mut npm)?;
    }
    if !is_new_enough(&node) {
        bail!(
            "{} does not run: install node {OLDEST_NODE} or later",
            node.display()
        );
    }
    Ok(node)
}

fn install_packages(folder: &Path, node: &Path) -> Result<()> {
    let lock =
        fs::read(folder.join("package-lock.json")).context("tests/js has no package-lock.json")?;
    let done = folder.join("node_modules/.installed-lock.json");
    if fs::read(&done).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    note("javascript: npm ci, as the lock file says");
    let mut npm = Command::new("npm");
    // Below "error" npm warns of packages that ask for a newer node and work on this one.
    npm.current_dir(folder)
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
    npm.env(
        "PATH",
        process::path_with(&[node.parent().context("node lies in no folder")?], &[])?,
    );
    process::run(&mut npm)?;
    fs::write(&done, lock).with_context(|| format!("cannot write {}", done.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_major_version() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("20"), None);
    }
}
