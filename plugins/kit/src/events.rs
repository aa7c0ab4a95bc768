//! What an event handler is: one async function from [`Event`] to nothing or a [`Failure`], exported by
//! [`event_handler!`](crate::event_handler).

/// Generated from `wit/events`; the export is made by [`event_handler!`](crate::event_handler).
#[doc(hidden)]
#[allow(missing_docs, reason = "generated; the documentation is in wit/")]
pub mod world {
    spin_sdk::wit_bindgen::generate!({
        path: "../../wit/events",
        world: "event-handler",
        runtime_path: "::spin_sdk::wit_bindgen::rt",
        pub_export_macro: true,
        export_macro_name: "export_event_handler",
        generate_all,
    });
}

#[doc(hidden)]
pub use world::exports::g1t::events::handler::Guest;
pub use world::g1t::events::types::{Event, Failure, Retry};

use crate::{Fault, Id};

/// How long a handler that met a passing fault waits before the next try.
const RETRY_AFTER_MS: u64 = 2_000;

impl Event {
    /// Number of the workspace it happened in.
    pub fn workspace_id(&self) -> Id {
        Id::try_from(self.workspace).unwrap_or_default()
    }

    /// Number of the repository it is about.
    ///
    /// # Errors
    /// A rejection when it is about none: this handler can do nothing with it, now or later.
    pub fn repository_id(&self) -> Result<Id, Failure> {
        self.repository
            .and_then(|id| Id::try_from(id).ok())
            .ok_or_else(|| Failure::Reject(format!("an event {} without a repository", self.kind)))
    }

    /// The event's data in the shape its kind and version say.
    ///
    /// # Errors
    /// A rejection that says what does not fit.
    pub fn data<T: serde::de::DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_str(&self.data)
            .map_err(|error| Failure::Reject(format!("data of {} {}: {error}", self.kind, self.id)))
    }
}

/// Faults that may pass are tried again; the others go to the dead letters with their reason.
impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let why = fault.log_line();
        if fault.may_pass() {
            Failure::Retry(Retry {
                after_ms: RETRY_AFTER_MS,
                why,
            })
        } else {
            Failure::Reject(why)
        }
    }
}

/// Exports an `async fn(Event) -> Result<(), Failure>` as the component's `g1t:events/handler`.
#[macro_export]
macro_rules! event_handler {
    ($handle:path) => {
        struct EventHandler;

        impl $crate::events::Guest for EventHandler {
            async fn handle(
                event: $crate::events::Event,
            ) -> ::core::result::Result<(), $crate::events::Failure> {
                $handle(event).await
            }
        }

        $crate::events::world::export_event_handler!(EventHandler with_types_in $crate::events::world);
    };
}
