//! cargo-nextest: each test in a process of its own, so one that hangs or dies stops nothing else.

use std::process::Command;

use anyhow::Result;

use crate::places::Places;
use crate::process;
use crate::steps::note;

/// The test runner, found on the `PATH` that running services announce.
#[derive(Debug)]
pub struct Nextest;

impl Nextest {
    /// Uses the one on `PATH`, else builds one into the target folder (some minutes, once).
    ///
    /// # Errors
    /// When cargo cannot install it.
    pub fn provide(places: &Places) -> Result<Self> {
        let ours = places.tools();
        if process::on_path("cargo-nextest").is_none() && !ours.join("bin/cargo-nextest").is_file()
        {
            note("nextest: building it into the target folder, once");
            let mut cargo = process::cargo(&places.root);
            // Its own target folder: this build shares nothing with ours.
            cargo
                .args(["install", "cargo-nextest", "--locked", "--root"])
                .arg(&ours);
            cargo.arg("--target-dir").arg(ours.join("build"));
            process::run(&mut cargo)?;
        }
        Ok(Self)
    }

    /// `cargo nextest run`, in the repository's root.
    pub fn command(&self, places: &Places) -> Command {
        let mut cargo = process::cargo(&places.root);
        cargo.args(["nextest", "run"]);
        cargo
    }
}
