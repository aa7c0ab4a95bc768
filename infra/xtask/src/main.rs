//! `cargo xtask`: everything this repository asks of a machine, from an empty clone to a running server.
//!
//! `setup` makes what is missing, `build` makes the host and the components, `test` proves them, `demo` and `up` run
//! them. Each command says what it does and why, and does nothing that is already done.

mod apt;
mod build;
mod checks;
mod house;
mod launch;
mod manifest;
mod openapi;
mod places;
mod process;
mod services;
mod setup;
mod steps;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use places::Places;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Sets up, builds, tests and runs g1t-work"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make what the machine lacks: the wasm targets, a Postgres server, the test tools
    Setup,
    /// Build the server and all components
    Build(build::Options),
    /// Format, lint and house checks, then every test against a real Postgres and a real SQS-protocol server
    Test(test::Options),
    /// Build, then play the main job before your eyes; arguments go to `g1t-work demo`
    Demo(launch::Arguments),
    /// Build, then run the server; arguments go to `g1t-work up`
    Up(launch::Arguments),
    /// Build for release, then measure; arguments go to the benchmark
    Bench(launch::Arguments),
    /// Format every Rust file
    Fmt,
    /// Check licences, advisories and sources of all dependencies (needs cargo-deny)
    Deny,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // With its causes, without a backtrace: what failed is another program or the machine.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    let places = Places::find()?;
    match command {
        Command::Setup => setup::everything(&places).map(drop),
        Command::Build(options) => {
            let wasm = setup::wasm(&places)?;
            build::everything(&places, &wasm, options.profile())
        }
        Command::Test(options) => test::run(&places, &options),
        Command::Demo(arguments) => launch::demo(&places, &arguments),
        Command::Up(arguments) => launch::up(&places, &arguments),
        Command::Bench(arguments) => launch::bench(&places, &arguments),
        Command::Fmt => checks::format(&places),
        Command::Deny => checks::dependencies(&places),
    }
}
