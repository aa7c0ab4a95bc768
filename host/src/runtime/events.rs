use std::sync::Arc;

use tracing::warn;
use wasmtime::Engine;

use super::slots::Slots;
use super::state::{Call, GuestState, Services};
use crate::bindings::handler::EventHandlerPre;
use crate::bindings::handler::exports::g1t::events::handler::{Event, Failure};
use crate::limits;
use crate::manifest::ComponentSpec;

/// An event handler. Each event gets an instance of its own: what one leaves behind cannot reach the next.
pub(super) struct EventComponent {
    pub(super) engine: Engine,
    pub(super) pre: EventHandlerPre<GuestState>,
    pub(super) component: Arc<ComponentSpec>,
    pub(super) services: Arc<Services>,
    pub(super) slots: Slots,
}

/// What came of an event.
pub enum Handled {
    Done,
    Refused(Failure),
    /// Trapped or ran out of time: tried again, and in the end a dead letter. One sentence.
    Broken(String),
}

impl EventComponent {
    pub(super) async fn handle(&self, call: Call, event: Event) -> Handled {
        let deadline = self.component.limits.deadline;
        match tokio::time::timeout(deadline, self.run(call, event)).await {
            Ok(Ok(Ok(()))) => Handled::Done,
            Ok(Ok(Err(failure))) => Handled::Refused(failure),
            Ok(Err(error)) => {
                warn!(component = %self.component.name, error = format!("{error:#}"), "a handler trapped");
                Handled::Broken(format!("{} trapped", self.component.name))
            }
            Err(_) => Handled::Broken(format!(
                "{} ran longer than {} ms",
                self.component.name,
                deadline.as_millis()
            )),
        }
    }

    async fn run(&self, call: Call, event: Event) -> wasmtime::Result<Result<(), Failure>> {
        // Behind the store: given back when that is gone.
        let _slot = self.slots.take().await?;
        let mut store = GuestState::store(
            &self.engine,
            Arc::clone(&self.component),
            Arc::clone(&self.services),
        );
        store.data_mut().call = call;
        let handler = tokio::time::timeout(
            limits::INSTANTIATE_DEADLINE,
            self.pre.instantiate_async(&mut store),
        )
        .await
        .map_err(|_| {
            wasmtime::format_err!(
                "took longer than {:?} to start",
                limits::INSTANTIATE_DEADLINE
            )
        })??;
        store
            .run_concurrent(async |accessor| {
                handler
                    .g1t_events_handler()
                    .call_handle(accessor, event)
                    .await
            })
            .await?
    }
}
