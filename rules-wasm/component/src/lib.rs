//! The judge as a component: `g1t_rules` behind the contract's `judge` interface, and nothing else.
//!
//! Built for a target without WASI, so that the component imports `extension` alone. On a native target there is nothing
//! to export to and the crate is empty.

#[cfg(target_arch = "wasm32")]
mod export;
