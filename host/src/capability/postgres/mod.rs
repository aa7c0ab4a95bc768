//! `spin:postgres@4.2.0`: the database, opened by the name `work`.
//!
//! A guest never sees an address or a password. A connection logs in as a role that owns nothing and is subject to
//! row-level security, so nothing a guest says gives it more: there is no role to reset to. Whose request it serves stands
//! in a table that only the host can write; with the grant `read` the login has no right to write at all. When the guest
//! drops the connection, traps or runs out of time, an open transaction is rolled back before anybody else gets it; a
//! connection that was in the middle of a statement is closed.
#![expect(
    clippy::result_large_err,
    reason = "the contract's error carries all that Postgres said, and is made rarely"
)]

mod client;
mod decode;
mod encode;
mod host;
mod link;
mod login;
mod statement;

pub use client::{GuestPool, Session};
pub use host::Builder;
pub use link::add_to_linker;
pub use login::{GivenLogins, GuestLogins, LoginError};
