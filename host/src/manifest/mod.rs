//! `plugins/app.toml`: which component answers what, and what each may do.

mod pattern;
mod read;
#[cfg(test)]
mod tests;

pub use pattern::{Matched, Pattern};
pub use read::{Access, ComponentSpec, Grants, Limits, Manifest, ManifestError};
