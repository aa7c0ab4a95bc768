//! From a pattern's text to its pieces.

use std::iter::Peekable;
use std::str::Chars;

use crate::limits::PATTERN_CHARS;

/// Why a pattern is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    /// It has no characters.
    #[error("is empty; write `~ALL` or `**` to match everything")]
    Empty,
    /// It is longer than [`PATTERN_CHARS`].
    #[error("is longer than {PATTERN_CHARS} characters; use a wildcard or several patterns")]
    TooLong,
    /// A `[` has no `]`.
    #[error("has a `[` without its `]`; close it, or write `\\[` for the character itself")]
    OpenBracket,
    /// A `\` ends the pattern.
    #[error("ends in a lone `\\`; write `\\\\` for the character itself")]
    LoneBackslash,
    /// It starts with `~` and is no word known here.
    #[error("is not known; the words are `~DEFAULT_BRANCH` and `~ALL`")]
    UnknownWord,
}

/// One piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// This character.
    Literal(char),
    /// `?`
    One,
    /// `*`
    WithinSegment,
    /// `**`
    Across,
    /// `**/` where a segment starts: whole folders, or none.
    Folders,
    /// `[...]`: ranges, both ends included.
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// Reads a pattern.
///
/// # Errors
/// See [`PatternError`].
pub(crate) fn pieces(text: &str) -> Result<Vec<Piece>, PatternError> {
    if text.is_empty() {
        return Err(PatternError::Empty);
    }
    if text.chars().count() > PATTERN_CHARS {
        return Err(PatternError::TooLong);
    }
    let mut pieces = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let piece = match letter {
            '*' => star(&mut letters, starts_segment(&pieces)),
            '?' => Piece::One,
            '[' => set(&mut letters)?,
            '\\' => Piece::Literal(letters.next().ok_or(PatternError::LoneBackslash)?),
            other => Piece::Literal(other),
        };
        pieces.push(piece);
    }
    Ok(pieces)
}

fn starts_segment(before: &[Piece]) -> bool {
    matches!(
        before.last(),
        None | Some(Piece::Literal('/')) | Some(Piece::Folders)
    )
}

/// After a `*`: further ones make it cross segments.
fn star(letters: &mut Peekable<Chars<'_>>, at_segment_start: bool) -> Piece {
    if letters.next_if_eq(&'*').is_none() {
        return Piece::WithinSegment;
    }
    while letters.next_if_eq(&'*').is_some() {}
    if at_segment_start && letters.next_if_eq(&'/').is_some() {
        Piece::Folders
    } else {
        Piece::Across
    }
}

/// After a `[`. A `]` in the first place stands for itself, as in every shell.
fn set(letters: &mut Peekable<Chars<'_>>) -> Result<Piece, PatternError> {
    let negated = letters
        .next_if(|letter| matches!(letter, '!' | '^'))
        .is_some();
    let mut ranges = Vec::new();
    loop {
        let from = match letters.next().ok_or(PatternError::OpenBracket)? {
            ']' if !ranges.is_empty() => return Ok(Piece::Set { negated, ranges }),
            '\\' => letters.next().ok_or(PatternError::OpenBracket)?,
            letter => letter,
        };
        let mut ahead = letters.clone();
        let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), None | Some(']'));
        if !is_range {
            ranges.push((from, from));
            continue;
        }
        letters.next();
        let to = match letters.next().ok_or(PatternError::OpenBracket)? {
            '\\' => letters.next().ok_or(PatternError::OpenBracket)?,
            letter => letter,
        };
        ranges.push((from, to));
    }
}
