//! Patterns of files.

use super::parse::{PatternError, Piece, pieces};
use super::states::Pattern;
use crate::types::File;

/// A pattern of files, as rulesets write them.
///
/// | pattern | matches |
/// |---|---|
/// | `Cargo.lock`, `*.pem` | a file of that name in any folder |
/// | `docs/*.md` | from the top of the repository |
/// | `/Makefile` | at the top of the repository only |
/// | `docs/api/` | everything beneath that folder |
/// | `vendor/` | everything beneath a folder of that name, wherever it is |
/// | `/vendor/` | everything beneath that folder at the top |
#[derive(Debug, Clone)]
pub(crate) struct FilePattern {
    text: String,
    pattern: Pattern,
}

impl FilePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// See [`PatternError`].
    pub(crate) fn new(text: &str) -> Result<Self, PatternError> {
        let mut pieces = pieces(text)?;
        let slash = Piece::Literal('/');
        let is_folder = pieces.last() == Some(&slash) || ends_in_folders(&pieces);
        if is_folder {
            pieces.push(Piece::Across);
        }
        let anchored = pieces.first() == Some(&slash);
        if anchored {
            pieces.remove(0);
        }
        let named = if is_folder {
            pieces.len().saturating_sub(2)
        } else {
            pieces.len()
        };
        let has_folder = pieces
            .iter()
            .take(named)
            .any(|piece| matches!(piece, Piece::Literal('/') | Piece::Folders));
        if !anchored && !has_folder {
            pieces.insert(0, Piece::Folders);
        }
        Ok(Self {
            text: text.to_owned(),
            pattern: Pattern::from_pieces(pieces),
        })
    }

    /// The pattern as it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it matches a path (no leading slash).
    pub(crate) fn matches_path(&self, path: &str) -> bool {
        self.pattern.matches(path)
    }

    /// Whether it matches a changed file by the path it has or, when renamed, the one it had.
    pub(crate) fn matches(&self, file: &File) -> bool {
        self.matches_path(&file.path)
            || file
                .previous_path
                .as_deref()
                .is_some_and(|path| self.matches_path(path))
    }
}

/// `a/**/` is read as "folders" and stands for what is beneath them.
fn ends_in_folders(pieces: &[Piece]) -> bool {
    pieces.last() == Some(&Piece::Folders)
}
