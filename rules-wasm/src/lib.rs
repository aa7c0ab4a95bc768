//! The judge: the only place that decides whether a change may happen.
//!
//! Pure: the same facts and the same rulesets give the same decision, byte for byte. There is no clock, no file, no
//! network and no randomness here; a rule that an uploaded plugin owns is asked for through [`Extend`].
//!
//! | to know | call |
//! |---|---|
//! | which rules hold for a ref | [`requirements()`] |
//! | whether a change may happen, and what to do if not | [`judge`] |
//! | what is wrong with a ruleset somebody wants to write | [`check_ruleset`] |
//! | how the merge queue of a ref is set | [`queue()`] |
//!
//! One rule type is one module under `rules/`, entered in the catalogue; everything around the types (who is
//! covered, who may bypass, how verdicts add up) is written once.
#![deny(missing_docs)]

mod answer;
#[expect(missing_docs, reason = "generated: the words are in wit/rules")]
pub mod bindings;
mod bypass;
mod check;
mod coverage;
mod decide;
mod extend;
mod fields;
mod limits;
mod pattern;
mod queue;
mod requirements;
mod rules;
mod sentence;

pub use bindings::g1t::rules::types;
pub use check::check_ruleset;
pub use decide::judge;
pub use extend::{Answer, Extend};
pub use queue::queue;
pub use requirements::requirements;
