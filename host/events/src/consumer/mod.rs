//! From the queue to the handlers.
//!
//! Wanted:
//!
//! - A message is deleted only when its handler said it has committed, or when its row in `dead_letters` is written.
//! - Nobody else gets a message while its handler runs: a heartbeat keeps it hidden.
//! - A message that cannot be handled does not stop its group for ever: after
//!   [`max_receives`](ConsumerSettings::max_receives) deliveries, or when the handler rejects it, it dies.
//! - Stopping loses nothing and makes nobody wait: what was received and not started is visible again at once.
//!
//! Known races, and the choice for each:
//!
//! - The handler commits and the process dies before the delete: the message comes again, and the handler finds its note
//!   in `inbox`.
//! - The process dies while it handles: nobody answers for the message, which comes again after the visibility time-out.
//!   Deliveries count, not answers, so one that kills the process each time dies as well.
//! - Heartbeats get lost, and another consumer gets the message while this one still handles it: both write the note in
//!   `inbox`, one of the transactions fails. The receipt of the first is stale, so its delete does nothing.
//! - A handler that never ends would be kept hidden for ever: [`handle_limit`](ConsumerSettings::handle_limit) drops it,
//!   which counts as a try.
//! - A retry hides the message, and with it its group: what follows waits for it, so order is kept.

mod handler;
mod run;
mod work;

pub use handler::{Failure, Handler};
pub use run::{Consumer, ConsumerSettings};
