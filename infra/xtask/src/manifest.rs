//! What `plugins/app.toml` says that this program needs: the names of components and the files they come from.

use std::fs;

use anyhow::{Context, Result};

use crate::places::Places;

/// Names and files of the manifest, in its order.
#[derive(Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Names of the `[component.NAME]` tables.
    pub components: Vec<String>,
    /// Values of `source`, the judge's among them.
    pub sources: Vec<String>,
}

impl Manifest {
    /// Where the manifest lies, from the repository's root.
    pub const FILE: &str = "plugins/app.toml";

    /// Reads the repository's manifest.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(places: &Places) -> Result<Self> {
        let file = places.root.join(Self::FILE);
        let text =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        Ok(Self::of(&text))
    }

    // The server reads the manifest in full and reports what is wrong in it; two kinds of lines are enough here.
    fn of(text: &str) -> Self {
        let lines = || text.lines().map(str::trim);
        let components = lines()
            .filter_map(|line| line.strip_prefix("[component.")?.split_once(']'))
            .map(|(name, _)| name);
        let sources = lines()
            .filter_map(|line| line.strip_prefix("source")?.trim_start().strip_prefix('='))
            .filter_map(|value| value.split('"').nth(1));
        Self {
            components: components.map(unquoted).collect(),
            sources: sources.map(str::to_owned).collect(),
        }
    }
}

fn unquoted(name: &str) -> String {
    name.trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_components_and_sources() {
        let text = "# [component.none]\n[judge]\nsource = \"judge.wasm\"\n\n[component.check-runs]\nsource= \"a.wasm\" # why\n";
        let expected = Manifest {
            components: vec!["check-runs".into()],
            sources: vec!["judge.wasm".into(), "a.wasm".into()],
        };
        assert_eq!(Manifest::of(text), expected);
    }
}
