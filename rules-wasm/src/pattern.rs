//! Patterns of refs, repositories and files: fnmatch, in time linear in the text.
//!
//! | piece | matches |
//! |---|---|
//! | `*` | anything within one segment |
//! | `**` | anything, `/` included; `**/` at the start of a segment also nothing, so `a/**/b` matches `a/b` |
//! | `?` | one character that is not `/` |
//! | `[a-z]`, `[!a-z]`, `[^a-z]` | one character of (not of) the set, never `/` |
//! | `\x` | the character `x` itself |
//!
//! A pattern runs as a set of states that moves along the text once, so no pattern and no path can make the judge slow:
//! people who may write rulesets and people who may push are not the same people.

mod file;
mod name;
mod parse;
mod states;

#[cfg(test)]
mod tests;

pub(crate) use file::FilePattern;
pub(crate) use name::{covers_ref, covers_repository, well_formed};
