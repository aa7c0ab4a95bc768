//! The native host of g1t-work: it takes requests, pushes and events, and runs a WebAssembly component for each. No rule
//! of the domain lives here.

pub mod bindings;
pub mod capability;
pub mod cli;
pub mod client;
pub mod identity;
pub mod intents;
pub mod limits;
pub mod manifest;
pub mod runtime;
pub mod trigger;
