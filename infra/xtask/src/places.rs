//! Where things are: the repository, cargo's output, and the folders this program keeps under it.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process;

/// The folders everything else is found from.
#[derive(Debug, Clone)]
pub struct Places {
    /// The repository's root.
    pub root: PathBuf,
    /// Cargo's target folder; git ignores it, so all that this program makes lies below it.
    pub target: PathBuf,
}

impl Places {
    /// Finds the repository this program was built from, wherever it is called.
    ///
    /// # Errors
    /// When the folder is no checkout of this repository or cargo cannot read its manifest.
    pub fn find() -> Result<Self> {
        let start = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => env::current_dir().context("the current folder cannot be read")?,
        };
        let root = start
            .ancestors()
            .find(|folder| folder.join("plugins/app.toml").is_file())
            .context("no plugins/app.toml in this folder or above it: run this inside a checkout of g1t-work")?
            .to_path_buf();
        let metadata = cargo_metadata(&root)?;
        let target = metadata["target_directory"]
            .as_str()
            .context("cargo metadata names no target_directory")?
            .into();
        Ok(Self { root, target })
    }

    /// The components, as the server and the tests load them.
    pub fn components(&self) -> PathBuf {
        self.target.join("components")
    }

    /// Cargo's target folder for WebAssembly; its own, so that native and guest builds never wait for each other.
    pub fn guests(&self) -> PathBuf {
        self.target.join("guests")
    }

    /// Compilers and servers unpacked from the distribution's packages.
    pub fn toolchain(&self) -> PathBuf {
        self.target.join("toolchain")
    }

    /// Programs made by `cargo install`.
    pub fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// The npm package with what the tests need in JavaScript.
    pub fn javascript(&self) -> PathBuf {
        self.root.join("tests/js")
    }

    /// The server's binary in a profile's output folder (`debug` or `release`).
    pub fn server(&self, profile_folder: &str) -> PathBuf {
        self.program(profile_folder, "g1t-work")
    }

    /// A binary in a profile's output folder.
    pub fn program(&self, profile_folder: &str, name: &str) -> PathBuf {
        self.target
            .join(profile_folder)
            .join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }
}

/// `cargo metadata` of the workspace's own packages.
///
/// # Errors
/// When cargo fails or prints something that is not JSON.
pub fn cargo_metadata(root: &Path) -> Result<serde_json::Value> {
    let mut cargo = process::cargo(root);
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
    let text = process::output(&mut cargo)?;
    serde_json::from_str(&text).context("cargo metadata did not print JSON")
}
