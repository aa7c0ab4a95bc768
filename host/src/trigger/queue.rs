//! Events from the queue to the handlers of the manifest.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use g1t_events::{Event, Failure, Handler};

use crate::bindings::handler::exports::g1t::events::handler as wit;
use crate::runtime::{Call, Components, Handled};

/// How long a handler that trapped or ran out of time is left alone before the next try.
const BROKEN_WAIT: Duration = Duration::from_secs(1);

/// Runs the components that the manifest names for an event's kind.
pub struct Dispatch(pub Arc<Components>);

#[async_trait]
impl Handler for Dispatch {
    async fn handle(&self, event: &Event) -> Result<(), Failure> {
        let call = Call {
            id: event.id.to_string(),
            workspace: Some(event.workspace.0),
            // Handlers act for the system, whoever caused the event.
            actor: None,
        };
        match self.0.dispatch(&call, &convert(event)).await {
            Handled::Done => Ok(()),
            Handled::Refused(wit::Failure::Retry(retry)) => Err(Failure::Retry {
                after: Duration::from_millis(retry.after_ms),
                why: retry.why,
            }),
            Handled::Refused(wit::Failure::Reject(why)) => Err(Failure::Reject(why)),
            Handled::Broken(why) => Err(Failure::Retry {
                after: BROKEN_WAIT,
                why,
            }),
        }
    }
}

fn convert(event: &Event) -> wit::Event {
    wit::Event {
        id: event.id.to_string(),
        kind: event.kind.as_str().to_owned(),
        workspace: event.workspace.0.unsigned_abs(),
        repository: event.repository.map(|id| id.0.unsigned_abs()),
        actor: event.actor.map(|id| id.0.unsigned_abs()),
        subject: event.subject.clone(),
        time: event.time.timestamp_millis(),
        version: event.version,
        data: serde_json::Value::Object(event.data.clone()).to_string(),
    }
}
