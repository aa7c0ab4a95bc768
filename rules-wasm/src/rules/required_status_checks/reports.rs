//! How the reports of one required check add up.
//!
//! Reports that carry exactly the same name and come from the same integration are one source. Runs of one source replace
//! each other; different sources never do, so one cannot hide another's failure.
//!
//! | reports of one source, by start | the source says |
//! |---|---|
//! | some have a verdict | the latest started verdict, whatever runs or was cancelled besides |
//! | none has a verdict | running: it is waited for |
//!
//! | what the sources say | the check |
//! |---|---|
//! | one failed | failed |
//! | else one is running | running |
//! | else one passed | passed |
//! | there are none | was never reported |

use std::collections::BTreeMap;

use super::RequiredCheck;
use crate::types::{Check, CheckState};

/// Where a required check stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Passed,
    Failed,
    Running,
    NeverReported,
}

/// A verdict and when its run started.
type Verdict = (i64, bool);

/// Adds up the reports that answer for a required check.
pub(super) fn standing(required: &RequiredCheck, reports: &[Check]) -> Standing {
    let mut sources: BTreeMap<(&str, u64), Option<Verdict>> = BTreeMap::new();
    for report in reports.iter().filter(|report| answers(required, report)) {
        let latest = sources
            .entry((report.name.as_str(), report.integration))
            .or_insert(None);
        let verdict = match report.state {
            // Of two that started together the failure is the later one.
            CheckState::Passed => Some((report.started, false)),
            CheckState::Failed => Some((report.started, true)),
            CheckState::Running | CheckState::NoVerdict => None,
        };
        *latest = (*latest).max(verdict);
    }
    let says = |wanted: Option<bool>| {
        sources
            .values()
            .any(|latest| latest.map(|(_, failed)| failed) == wanted)
    };
    if says(Some(true)) {
        Standing::Failed
    } else if says(None) {
        Standing::Running
    } else if says(Some(false)) {
        Standing::Passed
    } else {
        Standing::NeverReported
    }
}

/// Whether a report answers for a required check. Names are opaque and compared as a whole; a report named
/// `<workflow> / <event>` also answers for `<workflow>`.
fn answers(required: &RequiredCheck, report: &Check) -> bool {
    let is_from = required
        .integration_id
        .is_none_or(|integration| integration == report.integration);
    let workflow = report
        .name
        .rsplit_once(" / ")
        .map(|(workflow, _event)| workflow);
    is_from && (report.name == required.context || workflow == Some(required.context.as_str()))
}
