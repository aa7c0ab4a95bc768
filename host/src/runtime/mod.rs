//! Running our routes and handlers: the engine, what one call may use, compiled code, instance reuse.
//!
//! Judging has an engine of its own, in [`crate::capability::judge`]; the two share no store, linker, pool or cache.

mod cache;
mod component;
mod engine;
mod events;
mod limiter;
mod log;
mod reuse;
mod slots;
mod state;

pub use cache::{CacheError, CodeCache};
pub use component::{Components, LoadError};
pub use engine::{EngineError, Ticker, app_engine, tick};
pub use events::Handled;
pub use limiter::{Limiter, MemoryBudget, OutOfMemory};
pub use reuse::Reply;
pub use state::{Call, Guest, GuestState, Services};
