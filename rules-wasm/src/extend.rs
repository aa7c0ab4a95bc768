//! How the judge asks for a rule that an uploaded plugin owns.

pub use crate::bindings::g1t::rules::extension::Answer;
use crate::types::Rule;

/// Answers for rules of the form `plugin:<plugin>/<rule>`.
///
/// The component asks its host; a native caller that has no plugins refuses.
pub trait Extend {
    /// What the plugin that owns `rule.kind` says about the facts the judge was called with. Never fails: a plugin that cannot answer is an answer with
    /// [`Outcome::Fail`](crate::types::Outcome::Fail) and a reason that names it.
    fn evaluate(&self, rule: &Rule) -> Answer;
}
