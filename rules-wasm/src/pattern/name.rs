//! Patterns of refs and of repositories.

use super::parse::PatternError;
use super::states::Pattern;

const DEFAULT_BRANCH: &str = "~DEFAULT_BRANCH";
const ALL: &str = "~ALL";

/// Whether a pattern covers a ref.
///
/// A pattern that starts with `refs/` is compared with the full name, any other with the name after `refs/heads/` or
/// `refs/tags/` (after `refs/` elsewhere).
///
/// # Errors
/// When it is no pattern; the caller chooses what errs on the safe side.
pub(crate) fn covers_ref(
    pattern: &str,
    ref_name: &str,
    default_branch: &str,
) -> Result<bool, PatternError> {
    match pattern {
        ALL => Ok(true),
        DEFAULT_BRANCH => Ok(ref_name.strip_prefix("refs/heads/") == Some(default_branch)),
        word if word.starts_with('~') => Err(PatternError::UnknownWord),
        full if full.starts_with("refs/") => Ok(Pattern::new(full)?.matches(ref_name)),
        short => Ok(Pattern::new(short)?.matches(short_name(ref_name))),
    }
}

/// Whether a pattern covers a repository, by its own name or, with a `/`, as `workspace/name`.
///
/// # Errors
/// When it is no pattern.
pub(crate) fn covers_repository(
    pattern: &str,
    workspace: &str,
    name: &str,
) -> Result<bool, PatternError> {
    match pattern {
        ALL => Ok(true),
        word if word.starts_with('~') => Err(PatternError::UnknownWord),
        full if full.contains('/') => {
            Ok(Pattern::new(full)?.matches(&format!("{workspace}/{name}")))
        }
        short => Ok(Pattern::new(short)?.matches(name)),
    }
}

/// What is wrong with a pattern of a ref or repository.
///
/// # Errors
/// When it is no pattern.
pub(crate) fn well_formed(pattern: &str) -> Result<(), PatternError> {
    match pattern {
        ALL | DEFAULT_BRANCH => Ok(()),
        word if word.starts_with('~') => Err(PatternError::UnknownWord),
        other => Pattern::new(other).map(drop),
    }
}

fn short_name(ref_name: &str) -> &str {
    ["refs/heads/", "refs/tags/", "refs/"]
        .iter()
        .find_map(|prefix| ref_name.strip_prefix(prefix))
        .unwrap_or(ref_name)
}
