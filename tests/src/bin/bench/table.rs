//! The figures as rows of a Markdown table, ready for the README.

use crate::measure::Pairs;

/// One line of the table.
pub struct Row {
    /// What is measured.
    pub what: &'static str,
    /// What it is compared with.
    pub against: &'static str,
    pub unit: Unit,
    pub pairs: Pairs,
    pub aim: Aim,
}

/// What the figures are in.
#[derive(Clone, Copy)]
pub enum Unit {
    RequestsPerSecond,
    CandidatesPerSecond,
    Microseconds,
    Milliseconds,
}

impl Unit {
    fn text(self, value: f64) -> String {
        match self {
            Self::RequestsPerSecond => format!("{value:.0} requests/s"),
            Self::CandidatesPerSecond => format!("{value:.0} candidates/s"),
            Self::Microseconds => format!("{value:.1} µs"),
            Self::Milliseconds => format!("{value:.1} ms"),
        }
    }
}

/// What the figures are meant to be.
#[derive(Clone, Copy)]
pub enum Aim {
    RatioAtLeast(f64),
    RatioBelow(f64),
    /// Our figure alone.
    OursBelow(f64),
}

impl Aim {
    fn text(self, unit: Unit) -> String {
        match self {
            Self::RatioAtLeast(least) => format!("≥ {least}"),
            Self::RatioBelow(most) => format!("< {most}"),
            Self::OursBelow(most) => format!("< {}", unit.text(most)),
        }
    }

    fn is_met(self, pairs: &Pairs) -> bool {
        match self {
            Self::RatioAtLeast(least) => pairs.ratio() >= least,
            Self::RatioBelow(most) => pairs.ratio() < most,
            Self::OursBelow(most) => pairs.ours() < most,
        }
    }
}

/// The whole table.
pub fn text(rows: &[Row]) -> String {
    let mut lines = vec![
        "| what | g1t-work | against | its figure | ratio | middle half of rounds | aim | met |"
            .to_owned(),
        "|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    lines.extend(rows.iter().map(line));
    lines.join("\n")
}

fn line(row: &Row) -> String {
    let (low, high) = row.pairs.middle_half();
    format!(
        "| {} | {} | {} | {} | {:.2} | {low:.2} to {high:.2} | {} | {} |",
        row.what,
        row.unit.text(row.pairs.ours()),
        row.against,
        row.unit.text(row.pairs.peer()),
        row.pairs.ratio(),
        row.aim.text(row.unit),
        if row.aim.is_met(&row.pairs) {
            "yes"
        } else {
            "no"
        },
    )
}
