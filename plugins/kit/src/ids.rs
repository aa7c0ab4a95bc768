//! Ids of our own: a prefix that says what it is, and a UUIDv7.

use uuid::Uuid;

/// A new id such as `tok_0192...`.
pub fn prefixed(prefix: &str) -> String {
    format!("{prefix}_{}", Uuid::now_v7())
}
