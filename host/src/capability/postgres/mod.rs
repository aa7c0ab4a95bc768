//! `spin:postgres@4.2.0`: the database, opened by the name `work`.
//!
//! A guest never sees an address or a password. A connection runs as the role `g1t_guest` with the workspace and the actor
//! of the request, so row-level security holds whatever the guest asks; with the grant `read` every transaction is
//! read-only. When the guest drops it, traps or runs out of time, an open transaction is rolled back before anybody else
//! gets the connection; a connection that was in the middle of a statement is closed.
#![expect(
    clippy::result_large_err,
    reason = "the contract's error carries all that Postgres said, and is made rarely"
)]

mod client;
mod decode;
mod encode;
mod host;
mod link;

pub use client::{GuestPool, Session};
pub use host::Builder;
pub use link::add_to_linker;
