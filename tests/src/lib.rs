//! The harness of the stories: a started server with a database of its own, and verbs of the domain.

mod database;
mod description;
mod git;
mod server;
mod step;

pub use database::Database;
pub use description::{Description, Exchange};
pub use git::{WorkTree, receive_body};
pub use server::{Answer, Server};
pub use step::Step;
