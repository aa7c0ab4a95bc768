//! Where the programs are, as `cargo xtask bench` says.

use std::path::PathBuf;

use anyhow::{Context, Result};

/// The server, built for release.
pub const SERVER: &str = "G1T_BIN";
/// The folder with the components.
pub const COMPONENTS: &str = "G1T_COMPONENTS";
/// `wasmtime`, of the line the host is built with.
pub const WASMTIME: &str = "G1T_WASMTIME";
/// `wrk`, which makes the load.
pub const WRK: &str = "G1T_WRK";

/// The path in one of the variables above.
///
/// # Errors
/// When it is not set.
pub fn path(name: &str) -> Result<PathBuf> {
    let value = std::env::var_os(name)
        .with_context(|| format!("{name} is not set: run `cargo xtask bench`"))?;
    Ok(value.into())
}
