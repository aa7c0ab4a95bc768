//! Measuring two sides in turns, and what is said of the figures.

use anyhow::Result;

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Enough for figures.
    Whole,
    /// Enough to see that everything runs.
    Quick,
}

impl Effort {
    /// One of two values, by how much is measured.
    pub fn pick<T>(self, whole: T, quick: T) -> T {
        match self {
            Self::Whole => whole,
            Self::Quick => quick,
        }
    }
}

/// Who is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Ours,
    Peer,
}

/// What both sides came to, round by round.
#[derive(Debug, Default)]
pub struct Pairs {
    ours: Vec<f64>,
    peer: Vec<f64>,
}

impl Pairs {
    /// Median of our rounds.
    pub fn ours(&self) -> f64 {
        median(&self.ours)
    }

    /// Median of the peer's rounds.
    pub fn peer(&self) -> f64 {
        median(&self.peer)
    }

    /// Our median as a multiple of the peer's.
    pub fn ratio(&self) -> f64 {
        self.ours() / self.peer()
    }

    /// Between which ratios the middle half of the rounds lies, each round taken by itself.
    pub fn middle_half(&self) -> (f64, f64) {
        let both = self.ours.iter().zip(&self.peer);
        let ratios: Vec<f64> = both.map(|(ours, peer)| ours / peer).collect();
        (quantile(&ratios, 0.25), quantile(&ratios, 0.75))
    }
}

/// Measures both sides in turns. Round 0 is thrown away: it fills caches and opens what is opened once.
///
/// # Errors
/// The first error of `measure`.
pub async fn in_turns(
    rounds: usize,
    mut measure: impl AsyncFnMut(Side, usize) -> Result<f64>,
) -> Result<Pairs> {
    let mut pairs = Pairs::default();
    for round in 0..=rounds {
        // Who begins changes, so that neither always runs on what the other left behind.
        let order = if round.is_multiple_of(2) {
            [Side::Ours, Side::Peer]
        } else {
            [Side::Peer, Side::Ours]
        };
        for side in order {
            let value = measure(side, round).await?;
            if round == 0 {
                continue;
            }
            match side {
                Side::Ours => pairs.ours.push(value),
                Side::Peer => pairs.peer.push(value),
            }
        }
    }
    Ok(pairs)
}

/// The middle of the samples; not a number when there are none.
pub fn median(samples: &[f64]) -> f64 {
    quantile(samples, 0.5)
}

/// What this share of the samples lies below, in proportion between two neighbours.
fn quantile(samples: &[f64], share: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = share * last as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}
