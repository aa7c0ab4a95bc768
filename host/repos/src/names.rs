//! Names that come from outside, checked before git sees them.
//!
//! Everything that becomes a ref name or a path passes here, and only a full name (`refs/heads/...`) or a whole object id
//! is ever given to git. So no name can be read as an option, as a revision expression or as a way out of the folder.

use crate::limits::{PATH_BYTES, REF_NAME_BYTES};
use crate::{Error, Result};

/// How the name of a queue branch begins, without `refs/heads/`.
pub const QUEUE_PREFIX: &str = "g1t-queue/";

const HEADS: &str = "refs/heads/";

/// The full ref name of a branch.
///
/// # Errors
///
/// [`Error::Invalid`] for a name that git does not take for a branch, or that is longer than
/// [`REF_NAME_BYTES`].
pub fn branch_ref(branch: &str) -> Result<String> {
    let full = format!("{HEADS}{branch}");
    if branch.starts_with('-') || branch == "HEAD" || !is_ref_name(&full) {
        return Err(Error::Invalid(format!(
            "{:?} is not a name that git takes for a branch",
            shortened(branch)
        )));
    }
    Ok(full)
}

/// True for the full name of a queue branch.
pub fn is_queue_ref(full: &str) -> bool {
    full.strip_prefix(HEADS)
        .is_some_and(|branch| branch.starts_with(QUEUE_PREFIX))
}

/// The full ref name of a queue branch.
pub(crate) fn queue_branch_ref(branch: &str) -> Result<String> {
    if !branch.starts_with(QUEUE_PREFIX) {
        return Err(Error::Invalid(format!(
            "{:?} is no queue branch: its name must begin with {QUEUE_PREFIX}",
            shortened(branch)
        )));
    }
    branch_ref(branch)
}

/// Whether git takes this full name for a ref.
pub(crate) fn is_ref_name(full: &str) -> bool {
    full.starts_with("refs/")
        && full.len() <= REF_NAME_BYTES
        && git2::Reference::is_valid_name(full)
}

/// Checks a path inside a tree.
pub(crate) fn check_path(path: &str) -> Result<()> {
    let is_usable = !path.is_empty()
        && path.len() <= PATH_BYTES
        && !path.contains('\0')
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if is_usable {
        Ok(())
    } else {
        Err(Error::Invalid(format!(
            "{:?} is not a path of a file: give it from the top, with / between folders",
            shortened(path)
        )))
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_names_are_taken_as_git_takes_them() {
        let names = [
            "main",
            "a/b",
            "release-1.2",
            "ü",
            "g1t-queue/7-1",
            "@",
            "x@y",
            "a..b",
            "a.lock",
            ".a",
            "a/.b",
            "a.",
            "a//b",
            "/a",
            "a/",
            "a b",
            "a~1",
            "a^",
            "a:b",
            "a?b",
            "a*b",
            "a[b",
            "a\\b",
            "a@{b",
            "-a",
            "--help",
            "HEAD",
            "a\u{7f}b",
            "a\nb",
            "",
            "../../etc",
            "a/../b",
            "refs/heads/a",
        ];
        for name in names {
            let by_git = std::process::Command::new("git")
                .args(["check-ref-format", "--branch", name])
                .output()
                .unwrap();
            // `--branch` expands `@{-1}` and the like; none of these names does.
            assert_eq!(
                branch_ref(name).is_ok(),
                by_git.status.success(),
                "{name:?}"
            );
        }
        assert!(branch_ref("a\0b").is_err());
        assert!(branch_ref(&"a".repeat(300)).is_err());
    }

    #[test]
    fn only_queue_branches_are_queue_branches() {
        assert!(queue_branch_ref("g1t-queue/7-1").is_ok());
        for refused in [
            "main",
            "g1t-queue",
            "g1t-queue/",
            "x/g1t-queue/7",
            "g1t-queue/../main",
        ] {
            assert!(queue_branch_ref(refused).is_err(), "{refused:?} was taken");
        }
        assert!(is_queue_ref("refs/heads/g1t-queue/7-1"));
        assert!(!is_queue_ref("refs/heads/main"));
        assert!(!is_queue_ref("refs/tags/g1t-queue/7-1"));
    }

    #[test]
    fn paths_stay_inside_the_tree() {
        assert!(check_path("src/main.rs").is_ok());
        assert!(check_path("-x").is_ok());
        for refused in [
            "",
            "/etc/passwd",
            "a//b",
            "../a",
            "a/../b",
            "./a",
            "a/",
            "a\0b",
            &"a".repeat(5_000),
        ] {
            assert!(check_path(refused).is_err(), "{refused:?} was taken");
        }
    }
}
