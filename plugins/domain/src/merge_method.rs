//! The ways a pull request can be landed.

use std::fmt;

/// How a pull request is landed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MergeMethod {
    /// A commit with two parents.
    Merge,
    /// One commit that holds the whole change.
    Squash,
    /// Every commit of the change again, on top of the base.
    Rebase,
    /// The commits of the change as they are; only when the base has not moved.
    FastForward,
}

/// A word that is no merge method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a merge method: give `merge`, `squash`, `rebase` or `fast-forward`")]
pub struct UnknownMergeMethod(pub String);

impl MergeMethod {
    /// Every method, in the order of the settings page.
    pub const ALL: [Self; 4] = [Self::Merge, Self::Squash, Self::Rebase, Self::FastForward];

    /// Reads the word of the API (`fast-forward`) or of the database (`fast_forward`).
    ///
    /// # Errors
    ///
    /// [`UnknownMergeMethod`] for any other word.
    pub fn parse(word: &str) -> Result<Self, UnknownMergeMethod> {
        match word {
            "merge" => Ok(Self::Merge),
            "squash" => Ok(Self::Squash),
            "rebase" => Ok(Self::Rebase),
            "fast-forward" | "fast_forward" => Ok(Self::FastForward),
            other => Err(UnknownMergeMethod(other.chars().take(80).collect())),
        }
    }

    /// The word of the API and of the rules.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
            Self::FastForward => "fast-forward",
        }
    }

    /// The word of the database.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::FastForward => "fast_forward",
            Self::Merge | Self::Squash | Self::Rebase => self.word(),
        }
    }
}

impl fmt::Display for MergeMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for method in MergeMethod::ALL {
            assert_eq!(MergeMethod::parse(method.word()), Ok(method));
            assert_eq!(MergeMethod::parse(method.column()), Ok(method));
        }
    }

    #[test]
    fn names_the_words_it_takes() {
        let error = MergeMethod::parse("octopus").unwrap_err().to_string();
        assert_eq!(
            error,
            "`octopus` is not a merge method: give `merge`, `squash`, `rebase` or `fast-forward`"
        );
    }
}
