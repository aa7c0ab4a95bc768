//! What components may use, one folder each: `link` (linker and state), `host` (the contract's traits, translation
//! only), `client` (the I/O). The grant is checked when a component is loaded, and again by each call.

pub mod git;
pub mod judge;
pub mod postgres;
pub mod variables;
