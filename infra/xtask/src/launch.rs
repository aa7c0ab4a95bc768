//! Running what was built: the demo, the server, the benchmark.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};

use crate::build::{self, Profile};
use crate::places::Places;
use crate::process;
use crate::services::Services;
use crate::setup;

/// Arguments for the program that is started.
#[derive(clap::Args)]
pub struct Arguments {
    /// Handed on as they are
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// Builds, then plays the main job.
///
/// # Errors
/// When setup, build or start fail.
pub fn demo(places: &Places, arguments: &Arguments) -> Result<()> {
    become_server(places, "demo", arguments)
}

/// Builds, then runs the server until it is told to stop.
///
/// # Errors
/// As [`demo`].
pub fn up(places: &Places, arguments: &Arguments) -> Result<()> {
    become_server(places, "up", arguments)
}

/// Builds for release, then measures with a Postgres of its own.
///
/// # Errors
/// As [`demo`], and when the benchmark fails.
pub fn bench(places: &Places, arguments: &Arguments) -> Result<()> {
    let ready = setup::everything(places)?;
    build::everything(places, &ready.wasm, Profile::Release)?;
    let services = Services::start(places, &ready.postgres, &ready.javascript)?;
    let mut cargo = process::cargo(&places.root);
    cargo
        .args([
            "run",
            "--release",
            "-p",
            "g1t-tests",
            "--bin",
            "bench",
            "--",
        ])
        .args(&arguments.rest);
    services.announce(&mut cargo, places, Profile::Release);
    process::run(&mut cargo)
}

/// Replaces this process: signals and the exit code are then the server's own.
fn become_server(places: &Places, command: &str, arguments: &Arguments) -> Result<()> {
    let wasm = setup::wasm(places)?;
    let postgres = setup::postgres(places)?;
    build::everything(places, &wasm, Profile::Dev)?;
    let mut server = Command::new(places.server(Profile::Dev.folder()));
    server.arg(command).args(&arguments.rest);
    // Last: a server the machine has on PATH already comes first.
    server.env("PATH", process::path_with(&[], &[&postgres.programs])?);
    if env::var_os("G1T_COMPONENTS").is_none() {
        server.env("G1T_COMPONENTS", places.components());
    }
    Err(server.exec()).with_context(|| {
        format!(
            "cannot start {}",
            places.server(Profile::Dev.folder()).display()
        )
    })
}
