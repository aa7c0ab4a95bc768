//! Running a pattern along a text.

use super::parse::{PatternError, Piece, pieces};

/// A pattern that is ready to match. State `n` means: the first `n` pieces have matched.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pieces: Vec<Piece>,
}

/// What one piece does with one character.
enum Step {
    Refuse,
    /// The piece takes it and may take more.
    Stay,
    /// The piece takes it and is done.
    Advance,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// See [`PatternError`].
    pub(crate) fn new(text: &str) -> Result<Self, PatternError> {
        pieces(text).map(Self::from_pieces)
    }

    pub(super) fn from_pieces(pieces: Vec<Piece>) -> Self {
        Self { pieces }
    }

    /// Whether the whole of `text` matches.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let mut now = StateSet::new(self.pieces.len());
        let mut next = StateSet::new(self.pieces.len());
        self.enter(&mut now, 0, true);
        for letter in text.chars() {
            next.clear();
            for &state in &now.members {
                match self
                    .pieces
                    .get(state)
                    .map_or(Step::Refuse, |piece| step(piece, letter))
                {
                    Step::Refuse => {}
                    Step::Stay => self.enter(&mut next, state, letter == '/'),
                    Step::Advance => self.enter(&mut next, state + 1, letter == '/'),
                }
            }
            if next.members.is_empty() {
                return false;
            }
            std::mem::swap(&mut now, &mut next);
        }
        now.contains(self.pieces.len())
    }

    /// Enters a state and those that follow without a character, since a piece may match nothing.
    fn enter(&self, states: &mut StateSet, state: usize, at_segment_start: bool) {
        let mut state = state;
        while states.insert(state) {
            let skips = match self.pieces.get(state) {
                Some(Piece::WithinSegment | Piece::Across) => true,
                Some(Piece::Folders) => at_segment_start,
                Some(Piece::Literal(_) | Piece::One | Piece::Set { .. }) | None => false,
            };
            if !skips {
                return;
            }
            state += 1;
        }
    }
}

fn step(piece: &Piece, letter: char) -> Step {
    let takes = match piece {
        Piece::Across | Piece::Folders => return Step::Stay,
        Piece::WithinSegment if letter != '/' => return Step::Stay,
        Piece::WithinSegment => false,
        Piece::Literal(wanted) => letter == *wanted,
        Piece::One => letter != '/',
        Piece::Set { negated, ranges } => {
            let inside = ranges
                .iter()
                .any(|(from, to)| (*from..=*to).contains(&letter));
            letter != '/' && inside != *negated
        }
    };
    if takes { Step::Advance } else { Step::Refuse }
}

/// The states a run is in: few at a time, each once.
struct StateSet {
    members: Vec<usize>,
    present: Vec<bool>,
}

impl StateSet {
    fn new(last: usize) -> Self {
        Self {
            members: Vec::new(),
            present: vec![false; last + 1],
        }
    }

    /// True when the state was not there.
    fn insert(&mut self, state: usize) -> bool {
        match self.present.get_mut(state) {
            Some(seen) if !*seen => {
                *seen = true;
                self.members.push(state);
                true
            }
            Some(_) | None => false,
        }
    }

    fn contains(&self, state: usize) -> bool {
        self.present.get(state).copied().unwrap_or(false)
    }

    fn clear(&mut self) {
        for state in self.members.drain(..) {
            if let Some(seen) = self.present.get_mut(state) {
                *seen = false;
            }
        }
    }
}
