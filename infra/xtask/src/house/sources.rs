//! Reads the repository's files once and runs every house check over them.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{imports, readme, sizes, sql, words};
use crate::manifest::Manifest;
use crate::places::{self, Places};
use crate::process;

/// A text file of the repository.
#[derive(Debug)]
pub struct Source {
    /// From the repository's root, with `/`.
    pub path: String,
    pub text: String,
}

impl Source {
    /// A complaint about one line (counted from 1).
    pub fn complaint(&self, line: usize, text: &str) -> String {
        format!("{}:{line}: {text}", self.path)
    }

    /// The file's ending, without the dot.
    pub fn extension(&self) -> &str {
        Path::new(&self.path)
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default()
    }
}

/// Runs all house checks.
///
/// # Errors
/// When a file breaks a rule; all complaints are printed, one a line, with what to do.
pub fn check(places: &Places) -> Result<()> {
    let sources = read(places)?;
    let metadata = places::cargo_metadata(&places.root)?;
    let manifest = Manifest::read(places)?;
    let complaints: Vec<String> = [
        sizes::check(&sources),
        words::check(&sources),
        sql::check(&sources),
        imports::check(&metadata),
        readme::check(&sources, &manifest),
    ]
    .concat();
    if complaints.is_empty() {
        return Ok(());
    }
    for complaint in &complaints {
        println!("    {complaint}");
    }
    bail!("{} house checks failed, listed above", complaints.len());
}

/// Text files git tracks or would track. A file that is gone but not yet removed from git is passed over.
fn read(places: &Places) -> Result<Vec<Source>> {
    let mut git = Command::new("git");
    git.current_dir(&places.root).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let names = process::output(&mut git)
        .context("house checks ask git which files are the repository's")?;
    let mut sources = Vec::new();
    for path in names.split('\0').filter(|name| !name.is_empty()) {
        // Binary files have no lines to check.
        if let Ok(text) = fs::read_to_string(places.root.join(path)) {
            sources.push(Source {
                path: path.to_owned(),
                text,
            });
        }
    }
    Ok(sources)
}
