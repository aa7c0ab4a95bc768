//! Git over HTTP, and the judging of pushes.
//!
//! `git receive-pack` runs with a pre-receive hook, which is this binary itself. The hook hands the refs and git's
//! quarantine over a unix socket to the host; the host reads the new objects where they are, builds the facts, asks the
//! judge, and answers. Only then does git store anything. The repository's lock is held from the hook's question to the
//! end of `receive-pack`, so what was judged is what is stored.

mod facts;
mod flow;
mod hook;
mod judged;
mod receivers;
mod refused;
mod rulesets;
mod smart;
mod socket;
mod transfer;

pub use hook::hook_main;
pub use receivers::Receivers;
pub use smart::GitTrigger;
pub use transfer::GitSettings;
