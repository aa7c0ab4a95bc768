//! Every rule type there is.

use super::creation::Creation;
use super::deletion::Deletion;
use super::file_path_restriction::FilePathRestriction;
use super::merge_queue::MergeQueue;
use super::non_fast_forward::NonFastForward;
use super::pull_request::PullRequest;
use super::required_status_checks::RequiredStatusChecks;
use super::rule_type::Entry;
use super::update::Update;
use crate::answer;
use crate::extend::Answer;
use crate::limits::PLUGIN_NAME_CHARS;
use crate::sentence;

static CATALOGUE: [Entry; 8] = [
    Entry::of::<Creation>(),
    Entry::of::<Update>(),
    Entry::of::<Deletion>(),
    Entry::of::<NonFastForward>(),
    Entry::of::<PullRequest>(),
    Entry::of::<RequiredStatusChecks>(),
    Entry::of::<MergeQueue>(),
    Entry::of::<FilePathRestriction>(),
];

/// Whose a rule is.
pub(crate) enum Kind {
    /// The catalogue has it.
    Known(&'static Entry),
    /// `plugin:<plugin>/<rule>`: an uploaded plugin has it.
    Plugin,
    /// Nobody has it.
    Unknown,
}

impl Kind {
    /// Finds a rule type by its name.
    pub(crate) fn of(kind: &str) -> Self {
        if let Some(entry) = CATALOGUE.iter().find(|entry| entry.kind == kind) {
            return Self::Known(entry);
        }
        match kind
            .strip_prefix("plugin:")
            .and_then(|own| own.split_once('/'))
        {
            Some((plugin, rule)) if is_name(plugin) && is_name(rule) => Self::Plugin,
            Some(_) | None => Self::Unknown,
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=PLUGIN_NAME_CHARS).contains(&name.len())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

/// What a rule that nobody has answers: it protects something, so it does not let the change through unread.
pub(crate) fn unknown(kind: &str) -> Answer {
    answer::unjudged(format!(
        "The rule type {} is not known here, so what it protects could not be judged.",
        sentence::quote(kind)
    ))
}
