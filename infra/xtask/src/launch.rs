//! Running what was built: the demo, the server, the benchmark.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};

use crate::build::{self, Profile};
use crate::places::Places;
use crate::process;
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

/// Builds for release, provides what is measured against, then measures.
///
/// # Errors
/// As [`demo`].
pub fn bench(places: &Places, arguments: &Arguments) -> Result<()> {
    let wasm = setup::wasm(places)?;
    let postgres = setup::postgres(places)?;
    let peers = setup::peers(places)?;
    build::for_bench(places, &wasm)?;
    let release = Profile::Release.folder();
    let mut bench = Command::new(places.program(release, "bench"));
    bench
        .args(&arguments.rest)
        .env("PATH", process::path_with(&[], &[&postgres.programs])?)
        .env("G1T_BIN", places.server(release))
        .env("G1T_COMPONENTS", places.components())
        .env("G1T_WASMTIME", peers.wasmtime)
        .env("G1T_WRK", peers.wrk);
    become_program(bench)
}

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
    become_program(server)
}

/// Replaces this process: signals and the exit code are then the program's own.
fn become_program(mut command: Command) -> Result<()> {
    let error = command.exec();
    Err(error).with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))
}
