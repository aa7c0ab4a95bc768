//! Checks other programs make: format, lints, documentation links, licences.

use anyhow::{Result, bail};

use crate::places::Places;
use crate::process;

/// Formats all Rust files.
///
/// # Errors
/// When rustfmt fails.
pub fn format(places: &Places) -> Result<()> {
    process::run(process::cargo(&places.root).args(["fmt", "--all"]))
}

/// True to the format or an error that lists the places.
///
/// # Errors
/// When a file would change.
pub fn is_formatted(places: &Places) -> Result<()> {
    process::run(process::cargo(&places.root).args(["fmt", "--all", "--check"]))
}

/// Clippy on everything, components included (checked as native code, which is where their types are the same).
///
/// # Errors
/// When there is any warning.
pub fn lints(places: &Places) -> Result<()> {
    let mut cargo = process::cargo(&places.root);
    cargo.args([
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--features",
        "g1t-tests/bench",
        "--",
        "-D",
        "warnings",
    ]);
    process::run(&mut cargo)
}

/// Links in doc comments lead somewhere.
///
/// # Errors
/// When one does not.
pub fn documentation(places: &Places) -> Result<()> {
    let mut cargo = process::cargo(&places.root);
    cargo.args([
        "doc",
        "--quiet",
        "--workspace",
        "--no-deps",
        "--document-private-items",
        "--features",
        "g1t-tests/bench",
    ]);
    // Private items are documented for readers of the code, so a link from a public item to one is no fault.
    cargo.env(
        "RUSTDOCFLAGS",
        "-D rustdoc::broken_intra_doc_links -A rustdoc::private_intra_doc_links",
    );
    process::run(&mut cargo)
}

/// Licences, advisories and sources of dependencies, as `deny.toml` allows them.
///
/// # Errors
/// When something is not allowed, or cargo-deny is not installed.
pub fn dependencies(places: &Places) -> Result<()> {
    if process::on_path("cargo-deny").is_none() {
        bail!(
            "cargo-deny is not installed: `cargo install cargo-deny --locked`, then run this again"
        );
    }
    process::run(process::cargo(&places.root).args(["deny", "check"]))
}
