//! The command `wrk`, which asks a server as fast as it answers: what the machine has, else the distribution's package.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::apt::{self, Apt};
use crate::places::Places;
use crate::process;
use crate::steps::note;

/// Finds the command or makes it available.
///
/// # Errors
/// When it is not there and the distribution's package cannot be had.
pub fn provide(places: &Places) -> Result<PathBuf> {
    let folder = places.toolchain().join("wrk");
    let unpacked = folder.join("bin/wrk");
    if process::on_path("wrk").is_none() && !unpacked.is_file() {
        note("wrk: not on this machine, unpacking the distribution's package");
        let apt = Apt::knowing("wrk", &places.toolchain())?;
        apt.unpack(&apt.missing_for(&["wrk"])?, &folder)?;
        apt::wrap(&folder, &folder.join("usr/bin"), &["wrk"])?;
    }
    let program = process::on_path("wrk")
        .or_else(|| unpacked.is_file().then_some(unpacked))
        .context(
            "no wrk: install it (Debian and Ubuntu: `apt-get install wrk`) or put it on PATH",
        )?;
    note(&format!("wrk: {}", program.display()));
    Ok(program)
}
