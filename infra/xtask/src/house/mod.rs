//! Rules of this repository that no general tool knows; CONTRIBUTING.md says them in words.

mod imports;
mod readme;
mod sizes;
mod sources;
mod sql;
mod words;

pub use sources::check;
