//! The README lists every component: it is the first map a reader gets.

use super::sources::Source;
use crate::manifest::Manifest;

/// Components of the manifest that the README does not name in backticks.
pub fn check(sources: &[Source], manifest: &Manifest) -> Vec<String> {
    let Some(readme) = sources.iter().find(|source| source.path == "README.md") else {
        return vec!["README.md: is missing".to_owned()];
    };
    let unnamed = manifest
        .components
        .iter()
        .filter(|name| !readme.text.contains(&format!("`{name}`")));
    unnamed
        .map(|name| {
            readme.complaint(
                1,
                &format!("does not list the component `{name}` of {}", Manifest::FILE),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_the_readme_leaves_out_is_found() {
        let manifest = Manifest {
            components: vec!["pulls".into(), "queue".into()],
            sources: Vec::new(),
        };
        let readme = Source {
            path: "README.md".into(),
            text: "| `pulls` | pull requests |".into(),
        };
        let complaints = check(&[readme], &manifest);
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].contains("`queue`"), "{complaints:?}");
    }
}
