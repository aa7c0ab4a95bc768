//! Running other programs: one way to start, to fail with the command in the message, and to give up in time.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Cargo of the toolchain that built this program, run in `folder`.
pub fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    // `cargo run` describes this package to us. Build scripts that watch these variables (ring's does) would see a
    // change between `cargo build` and `cargo xtask build`, and all that depends on them would be built again each time.
    for (name, _) in env::vars_os() {
        let is_of_run = ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|start| name.to_string_lossy().starts_with(start));
        if is_of_run {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command with our own input and output.
///
/// # Errors
/// When it cannot start or ends with anything but 0; the message has the command line.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a command and gives what it prints; its errors go to ours.
///
/// # Errors
/// As [`run`], and when the output is not UTF-8.
pub fn output(command: &mut Command) -> Result<String> {
    command.stderr(Stdio::inherit());
    captured(command)
}

/// Runs a command and gives what it prints; errors it prints appear only in ours, when it fails.
///
/// # Errors
/// As [`output`].
pub fn captured(command: &mut Command) -> Result<String> {
    let result = command
        .output()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    if !result.status.success() {
        let said = String::from_utf8_lossy(&result.stderr);
        bail!(
            "`{}` failed ({})\n{}",
            line(command),
            result.status,
            said.trim_end()
        );
    }
    String::from_utf8(result.stdout)
        .with_context(|| format!("`{}` printed bytes that are not UTF-8", line(command)))
}

/// True when the command ends with 0 within `limit`; it is killed when the time is over. Prints nothing.
pub fn succeeds_within(command: &mut Command, limit: Duration) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    let end = Instant::now() + limit;
    while Instant::now() < end {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => thread::sleep(Duration::from_millis(50)),
            Err(_) => break,
        }
    }
    // Failing to kill or to reap leaves a process that ends by itself; the answer is the same.
    let _ = child.kill();
    let _ = child.wait();
    false
}

/// The first file of this name in the folders of `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// `PATH` with some folders in front of it and some behind.
///
/// # Errors
/// When a folder's name has the separator of `PATH` in it.
pub fn path_with(front: &[&Path], back: &[&Path]) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let own = |folders: &[&Path]| {
        folders
            .iter()
            .map(|folder| folder.to_path_buf())
            .collect::<Vec<_>>()
    };
    let all = [own(front), env::split_paths(&path).collect(), own(back)].concat();
    env::join_paths(all).context("a folder cannot be put on PATH, its name has a colon")
}

/// True when this process has root's rights.
pub fn is_root() -> bool {
    let mut id = Command::new("id");
    captured(id.arg("-u")).is_ok_and(|uid| uid.trim() == "0")
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
