//! What sets components to work: requests, events, pushes.

pub mod git;
pub mod http;
pub mod queue;
