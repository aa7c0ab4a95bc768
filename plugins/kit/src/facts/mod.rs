//! The facts of a merge and of a candidate, and the rulesets they are judged by.

mod gather;
mod rulesets;
#[cfg(test)]
mod tests;

pub use gather::{Merge, actor, candidate, checks, merge, pull_request, repository, system};
pub use rulesets::{Stored, is_bypass, rulesets};
