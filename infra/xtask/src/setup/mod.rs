//! What a machine needs beyond Rust and git, made where it is missing.

mod javascript;
mod nextest;
mod postgres;
mod wasm;
mod wasmtime;
mod wrk;

pub use javascript::JavaScript;
pub use nextest::Nextest;
pub use postgres::Postgres;
pub use wasm::{Target, WasmToolchain};

use std::path::PathBuf;

use anyhow::Result;

use crate::places::Places;
use crate::steps::Steps;

/// All that `setup` provides.
pub struct Ready {
    pub wasm: WasmToolchain,
    pub postgres: Postgres,
    pub nextest: Nextest,
    pub javascript: JavaScript,
}

/// Makes whatever is missing for building, running and testing.
///
/// # Errors
/// When a piece is missing and cannot be made; the message names the remedy.
pub fn everything(places: &Places) -> Result<Ready> {
    Ok(Ready {
        wasm: wasm(places)?,
        postgres: postgres(places)?,
        nextest: Steps::default().run(
            "setup nextest",
            "runs the tests, one process each",
            || Nextest::provide(places),
        )?,
        javascript: Steps::default().run(
            "setup javascript",
            "an SQS server and GitHub's client for the tests",
            || JavaScript::provide(places),
        )?,
    })
}

/// The compiler for components.
///
/// # Errors
/// As [`everything`].
pub fn wasm(places: &Places) -> Result<WasmToolchain> {
    Steps::default().run(
        "setup wasm",
        "components are compiled to WebAssembly",
        || WasmToolchain::provide(places),
    )
}

/// A Postgres server's programs.
///
/// # Errors
/// As [`everything`].
pub fn postgres(places: &Places) -> Result<Postgres> {
    Steps::default().run(
        "setup postgres",
        "all state but git's lies in Postgres",
        || Postgres::provide(places),
    )
}

/// Programs the benchmark measures against, and with.
pub struct Peers {
    pub wasmtime: PathBuf,
    pub wrk: PathBuf,
}

/// What only the benchmark needs.
///
/// # Errors
/// As [`everything`].
pub fn peers(places: &Places) -> Result<Peers> {
    Ok(Peers {
        wasmtime: Steps::default().run(
            "setup wasmtime",
            "`wasmtime serve` is what the HTTP trigger is measured against",
            || wasmtime::provide(places),
        )?,
        wrk: Steps::default().run(
            "setup wrk",
            "it asks both servers as fast as they answer",
            || wrk::provide(places),
        )?,
    })
}
