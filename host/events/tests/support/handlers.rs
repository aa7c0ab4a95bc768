//! Handlers that the stories decide about.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use g1t_events::{Event, Failure, Handler};
use sqlx::PgPool;
use tokio::sync::{Notify, mpsc};

use super::within;

/// What a scripted handler does with a delivery.
#[derive(Clone)]
pub enum Answer {
    Done,
    Retry(Duration),
    Reject(&'static str),
    Panic,
    /// Done, when the story says so.
    WhenTold(Arc<Notify>),
}

/// What a handler was given, as it was given.
pub struct Deliveries(mpsc::UnboundedReceiver<Event>);

impl Deliveries {
    pub async fn next(&mut self) -> Event {
        within("a delivery", self.0.recv())
            .await
            .expect("the handler is alive")
    }

    pub async fn expect_next(&mut self, subject: &str) -> Event {
        let event = self.next().await;
        assert_eq!(event.subject, subject);
        event
    }

    /// Nothing was given that the story did not look at.
    #[track_caller]
    pub fn expect_no_more(&mut self) {
        if let Ok(event) = self.0.try_recv() {
            panic!("one delivery too many: {event:?}");
        }
    }
}

/// Reports each delivery and answers by the event's subject: each time the next answer, and `Done` after the last.
pub struct Scripted {
    script: Mutex<HashMap<String, VecDeque<Answer>>>,
    delivered: mpsc::UnboundedSender<Event>,
}

impl Scripted {
    pub fn new(
        script: impl IntoIterator<Item = (&'static str, Vec<Answer>)>,
    ) -> (Self, Deliveries) {
        let (delivered, deliveries) = mpsc::unbounded_channel();
        let script = script
            .into_iter()
            .map(|(subject, answers)| (subject.to_owned(), answers.into()));
        (
            Self {
                script: Mutex::new(script.collect()),
                delivered,
            },
            Deliveries(deliveries),
        )
    }

    fn answer(&self, subject: &str) -> Answer {
        let mut script = self.script.lock().expect("no panic while locked");
        script
            .get_mut(subject)
            .and_then(VecDeque::pop_front)
            .unwrap_or(Answer::Done)
    }
}

#[async_trait]
impl Handler for Scripted {
    async fn handle(&self, event: &Event) -> Result<(), Failure> {
        let answer = self.answer(&event.subject);
        let _ = self.delivered.send(event.clone());
        match answer {
            Answer::Done => Ok(()),
            Answer::Retry(after) => Err(Failure::Retry {
                after,
                why: "the database is busy".into(),
            }),
            Answer::Reject(why) => Err(Failure::Reject(why.into())),
            Answer::Panic => panic!("as the story wants"),
            Answer::WhenTold(told) => {
                told.notified().await;
                Ok(())
            }
        }
    }
}

/// Handles as every handler should: its work and its note in `inbox` in one transaction. The work is to count, in
/// `work_counters`. Reports each delivery afterwards.
pub struct Counting {
    pool: PgPool,
    delivered: mpsc::UnboundedSender<Event>,
    /// Failures after the commit that are left: what a crash before the answer looks like to the queue.
    failures: Mutex<u32>,
}

impl Counting {
    pub fn new(pool: PgPool, failures: u32) -> (Self, Deliveries) {
        let (delivered, deliveries) = mpsc::unbounded_channel();
        (
            Self {
                pool,
                delivered,
                failures: Mutex::new(failures),
            },
            Deliveries(deliveries),
        )
    }

    async fn count(&self, event: &Event) -> Result<(), sqlx::Error> {
        let mut tx = self.pool.begin().await?;
        let noted = sqlx::query(
            "INSERT INTO inbox (event_id, handler, workspace_id) VALUES ($1, 'counting', $2) ON CONFLICT DO NOTHING",
        )
        .bind(event.id)
        .bind(event.workspace)
        .execute(&mut *tx)
        .await?;
        if noted.rows_affected() == 1 {
            sqlx::query(
                "UPDATE work_counters SET last_number = last_number + 1 WHERE workspace_id = $1",
            )
            .bind(event.workspace)
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await
    }
}

#[async_trait]
impl Handler for Counting {
    async fn handle(&self, event: &Event) -> Result<(), Failure> {
        self.count(event).await.expect("counted");
        let fails = {
            let mut left = self.failures.lock().expect("no panic while locked");
            let fails = *left > 0;
            *left = left.saturating_sub(1);
            fails
        };
        let _ = self.delivered.send(event.clone());
        if fails {
            return Err(Failure::Retry {
                after: Duration::ZERO,
                why: "died after the commit".into(),
            });
        }
        Ok(())
    }
}
