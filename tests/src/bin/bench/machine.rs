//! What the figures were measured on, and with.

use std::ffi::OsStr;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::environment;
use crate::measure::Effort;

/// One paragraph below the table.
///
/// # Errors
/// When a program does not say its version.
pub fn text(effort: Effort) -> Result<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = memory_gib().map_or_else(String::new, |gib| format!(", {gib} GiB"));
    let note = effort.pick(
        "",
        "\nMeasured with --quick: too short for figures that are passed on.",
    );
    Ok(format!(
        "Measured on {cores} cores{memory}, {} {}, with {} and {}. Ratios are of medians; both sides ran in turns.{note}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        version(environment::path(environment::WASMTIME)?)?,
        version("git")?,
    ))
}

/// Memory of the machine, to the nearest GiB; none where the system does not tell in this way.
fn memory_gib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kib + (1 << 19)) >> 20)
}

/// `git version 2.47.3` or `wasmtime 48.0.2`.
fn version(program: impl AsRef<OsStr>) -> Result<String> {
    let program = program.as_ref();
    let output = Command::new(program)
        .arg("--version")
        .output()
        .with_context(|| format!("{} cannot run", program.display()))?;
    if !output.status.success() {
        bail!("{} does not say its version", program.display());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // Behind a bracket is the commit it was built from.
    Ok(text.split('(').next().unwrap_or_default().trim().to_owned())
}
