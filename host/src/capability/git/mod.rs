//! `g1t:git`: repositories, as far as the manifest grants them. Every call is for a repository of the request's
//! workspace; another's reads like one that does not exist.

pub(crate) mod convert;
mod host;
mod link;
mod owned;

pub use link::add_to_linker;
