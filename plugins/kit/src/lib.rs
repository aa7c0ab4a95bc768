//! The guest shell: what every component of `plugins/` stands on. Requests and answers, faults, the database, who may do
//! what, publishing and handling events, and the facts for the judge.
#![deny(missing_docs)]

pub mod access;
mod actor;
#[doc(hidden)]
pub mod bindings;
mod body;
mod column;
pub mod db;
pub mod digest;
pub mod events;
pub mod facts;
mod fault;
pub mod idempotency;
pub mod ids;
pub mod inbox;
pub mod landing;
pub mod outbox;
pub mod paging;
pub mod percent;
pub mod pulls;
pub mod queues;
mod reply;
mod request;
mod serve;
pub mod shape;
pub mod testing;
pub mod time;

pub use access::{Membership, Need, Repository};
pub use actor::{Actor, ActorKind, Scope, Scopes};
pub use bindings::g1t::git::{read as git, types as git_types, write as git_write};
pub use bindings::g1t::rules::{judge, preview, types};
pub use column::{Column, Param};
pub use db::{Db, DbError, Row, Transaction};
pub use fault::{Fault, FieldError};
pub use outbox::NewEvent;
pub use paging::Page;
pub use reply::{Reply, Response};
pub use request::{MAX_BODY_BYTES, Request, WorkspaceRef, no_workspace};
pub use serve::{no_such_route, serve};

/// Number of a user, a workspace, a repository or a row of it.
pub type Id = i64;
