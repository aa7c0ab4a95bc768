//! One message: handling it under a heartbeat, and what becomes of it.

use std::error::Error;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use sqlx::PgPool;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uuid::Uuid;

use super::handler::{Failure, Handler};
use super::run::ConsumerSettings;
use crate::dead_letters::{self, Death};
use crate::event::{Event, EventId};
use crate::limits::{HEARTBEAT_PARTS, MAX_HIDDEN, RETRY_MOST, back_off};
use crate::queue::{QueueClient, QueueError, Received};

/// What a consumer's tasks share.
pub(super) struct Work {
    pub(super) queue: Arc<dyn QueueClient>,
    pub(super) pool: PgPool,
    pub(super) handler: Arc<dyn Handler>,
    pub(super) settings: ConsumerSettings,
}

/// What is to become of a message.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// It is done.
    Delete,
    /// It is to come again.
    Again(Duration),
    /// It is dead, for this reason.
    Die(String),
}

impl Work {
    /// Handles a message and settles what becomes of it. Gives up handling when told to.
    pub(super) async fn message(&self, message: Received, give_up: &CancellationToken) {
        let span = tracing::info_span!(
            "message",
            queue = self.queue.name(),
            receive_count = message.receive_count,
            event_id = tracing::field::Empty,
            kind = tracing::field::Empty,
            workspace = tracing::field::Empty,
            repository = tracing::field::Empty,
        );
        async {
            let event = Event::from_body(&message.body);
            let id = match &event {
                Ok(event) => Some(event.id),
                Err(_) => message
                    .deduplication_id
                    .as_deref()
                    .and_then(|id| Uuid::parse_str(id).ok())
                    .map(EventId),
            };
            let fate = match event {
                Err(error) => Fate::Die(with_causes(&error)),
                Ok(event) => {
                    note(&event);
                    self.handle(&event, &message, give_up).await
                }
            };
            self.settle(&message, id, fate).await;
        }
        .instrument(span)
        .await;
    }

    async fn handle(&self, event: &Event, message: &Received, give_up: &CancellationToken) -> Fate {
        let Received { receive_count, .. } = *message;
        if receive_count > self.settings.max_receives {
            return Fate::Die(format!(
                "given out {receive_count} times and never answered: each time the process died while handling it"
            ));
        }
        let handling = AssertUnwindSafe(self.handler.handle(event)).catch_unwind();
        let answer = tokio::select! {
            answer = timeout(self.settings.handle_limit, handling) => answer,
            () = self.heartbeat(message) => return Fate::Again(Duration::ZERO),
            () = give_up.cancelled() => return Fate::Again(Duration::ZERO),
        };
        let failure = match answer {
            Ok(Ok(Ok(()))) => return Fate::Delete,
            Ok(Ok(Err(failure))) => failure,
            Ok(Err(_panic)) => Failure::Retry {
                after: Duration::ZERO,
                why: "the handler panicked; see the log".into(),
            },
            Err(_elapsed) => Failure::Retry {
                after: Duration::ZERO,
                why: format!("handling took longer than {:?}", self.settings.handle_limit),
            },
        };
        fate_of(failure, receive_count, &self.settings)
    }

    /// Keeps the message hidden; does not return.
    async fn heartbeat(&self, message: &Received) {
        let every = self.settings.visibility / HEARTBEAT_PARTS;
        let mut beats = interval_at(Instant::now() + every, every);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            beats.tick().await;
            if let Err(error) = self
                .queue
                .extend_visibility(&message.receipt, self.settings.visibility)
                .await
            {
                tracing::warn!(error = &error as &dyn Error, "a heartbeat failed");
            }
        }
    }

    /// Does what is to become of the message. When that fails the message comes again after its time-out.
    async fn settle(&self, message: &Received, id: Option<EventId>, fate: Fate) {
        let settled = match &fate {
            Fate::Delete => self.delete(message).await,
            Fate::Again(after) => {
                self.queue
                    .extend_visibility(&message.receipt, (*after).min(MAX_HIDDEN))
                    .await
            }
            Fate::Die(reason) => match self.bury(message, id, reason).await {
                Ok(()) => self.delete(message).await,
                Err(error) => {
                    tracing::error!(%error, "the dead letter was not written; the message stays");
                    return;
                }
            },
        };
        match (settled, fate) {
            (Err(error), _) => tracing::warn!(
                error = &error as &dyn Error,
                "settling failed; the message comes again"
            ),
            (Ok(()), Fate::Delete) => tracing::debug!("handled"),
            (Ok(()), Fate::Again(after)) => tracing::info!(?after, "to be tried again"),
            (Ok(()), Fate::Die(reason)) => tracing::error!(reason, "dead letter"),
        }
    }

    async fn delete(&self, message: &Received) -> Result<(), QueueError> {
        self.queue
            .delete(std::slice::from_ref(&message.receipt))
            .await
    }

    async fn bury(
        &self,
        message: &Received,
        event: Option<EventId>,
        reason: &str,
    ) -> Result<(), sqlx::Error> {
        let death = Death {
            event,
            body: &message.body,
            reason,
            receive_count: message.receive_count,
        };
        dead_letters::record(&mut *self.pool.acquire().await?, death).await
    }
}

/// | failure | deliveries left | fate |
/// |---|---|---|
/// | reject | any | die |
/// | retry | none | die |
/// | retry | some | come again, each time later: what is down for a minute must not kill what happens meanwhile |
fn fate_of(failure: Failure, receive_count: u32, settings: &ConsumerSettings) -> Fate {
    match failure {
        Failure::Reject(why) => Fate::Die(why),
        Failure::Retry { why, .. } if receive_count >= settings.max_receives => Fate::Die(format!(
            "not handled in {receive_count} tries; the last: {why}"
        )),
        Failure::Retry { after, .. } => {
            Fate::Again(after.max(back_off(receive_count, settings.retry_first, RETRY_MOST)))
        }
    }
}

fn note(event: &Event) {
    let span = tracing::Span::current();
    span.record("event_id", tracing::field::display(event.id));
    span.record("kind", event.kind.as_str());
    span.record("workspace", event.workspace.0);
    if let Some(repository) = event.repository {
        span.record("repository", repository.0);
    }
}

/// An error and its causes, for people to read.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_with_deliveries_left_comes_again_and_the_last_dies() {
        let settings = ConsumerSettings {
            max_receives: 2,
            ..ConsumerSettings::default()
        };
        let retry = || Failure::Retry {
            after: Duration::from_secs(3),
            why: "busy".into(),
        };
        assert_eq!(
            fate_of(retry(), 1, &settings),
            Fate::Again(Duration::from_secs(3))
        );
        assert_eq!(
            fate_of(retry(), 2, &settings),
            Fate::Die("not handled in 2 tries; the last: busy".into())
        );
        assert_eq!(
            fate_of(Failure::Reject("never".into()), 1, &settings),
            Fate::Die("never".into())
        );
    }

    #[test]
    fn a_failure_that_lasts_minutes_kills_nothing() {
        let settings = ConsumerSettings::default();
        let mut waited = Duration::ZERO;
        for receive_count in 1..settings.max_receives {
            let failure = Failure::Retry {
                after: Duration::from_secs(1),
                why: "the database is down".into(),
            };
            match fate_of(failure, receive_count, &settings) {
                Fate::Again(after) => waited += after,
                fate => panic!("{fate:?}"),
            }
        }
        assert!(waited > Duration::from_secs(120), "{waited:?}");
    }
}
