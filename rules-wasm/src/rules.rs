//! The rule types, one module each, and the catalogue that lists them.
//!
//! To add a type: write its module with an `impl RuleType`, enter it in the catalogue, add cases to `cases/`.

mod catalogue;
mod creation;
mod deletion;
mod file_path_restriction;
pub(crate) mod merge_queue;
mod non_fast_forward;
mod pull_request;
mod required_status_checks;
pub(crate) mod reserved_ref;
mod rule_type;
mod update;

pub(crate) use catalogue::{Kind, unknown};
pub(crate) use rule_type::{Change, Entry, RuleType};
