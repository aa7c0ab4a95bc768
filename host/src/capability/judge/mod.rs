//! `g1t:rules/judge`: the rules judge, in an engine of its own.
//!
//! Synchronous, no WASI, no threads, no async, fuel and epochs, and a fresh store for every decision: what a decision
//! leaves behind cannot reach the next, and the same facts cost the same fuel on any machine.

mod client;
mod engine;
mod host;
mod link;
mod record;

pub use client::{Judge, JudgeError};
pub use link::add_to_linker;
pub use record::{KeepError, Kept};
