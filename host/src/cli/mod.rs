//! The commands of `g1t-work`.

mod app;
mod dead_letters;
mod demo;
mod embedded;
mod first_owner;
mod options;
mod runner;
mod serve;

pub use options::{Command, Options};
pub use serve::run;
