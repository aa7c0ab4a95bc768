//! A database and a queue of its own for each story, and the words the stories are told in.

mod database;
mod handlers;

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use chrono::{SubsecRound, Utc};
use g1t_events::{
    Consumer, ConsumerSettings, Event, EventId, EventKind, GroupId, Handler, Message, NewEvent,
    PostgresQueue, QueueClient, Received, Relay, RepositoryId, SqsQueue, SqsSettings, WorkspaceId,
    publish,
};
use serde_json::{Map, Value, json};
use sqlx::PgPool;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use database::Database;
pub use handlers::{Answer, Counting, Scripted};

/// Far above what anything in a story takes: when it is over the story has failed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The shortest time that SQS can hide a message for.
pub const SHORT: Duration = Duration::from_secs(1);

/// Longer than a story.
pub const LONG: Duration = Duration::from_secs(600);

/// The queue a story is told against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Postgres,
    SqsFifo,
    SqsStandard,
}

/// What a story has.
pub struct Ctx {
    pub kind: Kind,
    pub pool: PgPool,
    pub queue: Arc<dyn QueueClient>,
    pub workspace: WorkspaceId,
    pub repository: RepositoryId,
}

/// Tells a story against a queue of one kind.
pub async fn tell<F: Future<Output = ()>>(kind: Kind, story: impl FnOnce(Ctx) -> F) {
    let database = Database::create().await;
    let (workspace, repository) = database.workspace_and_repository().await;
    let pool = database.pool.clone();
    let queue: Arc<dyn QueueClient> = match kind {
        Kind::Postgres => Arc::new(PostgresQueue::new(pool.clone(), "events")),
        Kind::SqsFifo => Arc::new(sqs_queue(".fifo").await),
        Kind::SqsStandard => Arc::new(sqs_queue("").await),
    };
    story(Ctx {
        kind,
        pool,
        queue,
        workspace,
        repository,
    })
    .await;
    database.remove().await;
}

async fn sqs_queue(suffix: &str) -> SqsQueue {
    let endpoint = std::env::var("G1T_TEST_SQS_ENDPOINT")
        .expect("run the tests by `cargo xtask test`, or set G1T_TEST_SQS_ENDPOINT to an SQS-protocol server");
    let settings = |queue_url: String| SqsSettings {
        queue_url,
        endpoint: Some(endpoint.clone()),
        credentials: Some(("test".into(), "test".into())),
    };
    let maker = SqsQueue::new(settings("http://sqs.us-east-1.localhost/".into())).await;
    let name = format!("events-{}{suffix}", Uuid::now_v7());
    let made = maker
        .sdk()
        .create_queue()
        .queue_name(name)
        .send()
        .await
        .expect("a queue can be made");
    SqsQueue::new(settings(
        made.queue_url().expect("a queue has an address").to_owned(),
    ))
    .await
}

/// Makes one test of each story for each kind of queue that is named.
macro_rules! stories {
    ($(against $module:ident = $kind:ident),+ ; $stories:tt) => {
        $( stories! { @module $module $kind $stories } )+
    };
    (@module $module:ident $kind:ident { $($story:ident),+ $(,)? }) => {
        mod $module {
            $(
                #[tokio::test]
                async fn $story() {
                    $crate::support::tell($crate::support::Kind::$kind, super::$story).await;
                }
            )+
        }
    };
}
pub(crate) use stories;

/// A message of a group, with a deduplication id of its own.
pub fn message(group: &str, body: &str) -> Message {
    Message {
        group: GroupId::named(group),
        deduplication_id: Uuid::now_v7().to_string(),
        body: body.into(),
    }
}

pub fn kind(text: &str) -> EventKind {
    EventKind::try_from(text).expect("a kind")
}

pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

/// The bodies, for comparing.
pub fn bodies(received: &[Received]) -> Vec<&str> {
    received
        .iter()
        .map(|message| message.body.as_str())
        .collect()
}

/// Waits for `future`, and fails the story with `what` when it does not end.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .unwrap_or_else(|_| panic!("not within {PATIENCE:?}: {what}"))
}

/// Asks until there is an answer.
pub async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let mut pace = tokio::time::interval(Duration::from_millis(20));
    within(what, async {
        loop {
            pace.tick().await;
            if let Some(answer) = ask().await {
                return answer;
            }
        }
    })
    .await
}

impl Ctx {
    pub async fn sends(&self, messages: &[Message]) {
        let not_sent = self
            .queue
            .send_batch(messages)
            .await
            .expect("the queue answers");
        assert!(not_sent.is_empty(), "{not_sent:?}");
    }

    /// One receive.
    pub async fn receives(&self, wait: Duration, visibility: Duration) -> Vec<Received> {
        let stop = CancellationToken::new();
        self.queue
            .receive(10, wait, visibility, &stop)
            .await
            .expect("the queue answers")
    }

    /// Receives until there are `count` messages.
    pub async fn receives_all(&self, count: usize, visibility: Duration) -> Vec<Received> {
        let mut all = Vec::new();
        within(&format!("{count} messages"), async {
            while all.len() < count {
                all.extend(self.receives(Duration::from_secs(10), visibility).await);
            }
        })
        .await;
        assert_eq!(all.len(), count, "{:?}", bodies(&all));
        all
    }

    /// Waits for the next message, which is the only one.
    pub async fn receives_one(&self, visibility: Duration) -> Received {
        self.receives_all(1, visibility).await.remove(0)
    }

    #[track_caller]
    pub fn expect_nothing_visible(&self) -> impl Future<Output = ()> {
        let caller = std::panic::Location::caller();
        async move {
            let received = self.receives(Duration::ZERO, LONG).await;
            assert!(received.is_empty(), "at {caller}: {:?}", bodies(&received));
        }
    }

    pub async fn deletes(&self, messages: &[Received]) {
        let receipts: Vec<_> = messages
            .iter()
            .map(|message| message.receipt.clone())
            .collect();
        self.queue
            .delete(&receipts)
            .await
            .expect("the queue answers");
    }

    /// An event of the story's repository that is in no outbox.
    pub fn event(&self, subject: &str) -> Event {
        Event {
            id: EventId::new(),
            kind: kind("git.push"),
            workspace: self.workspace,
            repository: Some(self.repository),
            actor: None,
            subject: subject.into(),
            // To the millisecond, as messages have it.
            time: Utc::now().trunc_subsecs(3),
            version: 1,
            data: object(json!({"forced": false})),
        }
    }

    /// Sends an event past the outbox, in a group of the story's choice.
    pub async fn sends_event(&self, group: &str, event: &Event) {
        self.sends(&[Message {
            group: GroupId::named(group),
            deduplication_id: event.id.to_string(),
            body: event.to_body().expect("short enough"),
        }])
        .await;
    }

    pub async fn publishes(&self, event: NewEvent) -> EventId {
        let mut tx = self.pool.begin().await.expect("a transaction");
        let id = publish(&mut tx, &event).await.expect("published");
        tx.commit().await.expect("committed");
        id
    }

    /// A new event of the story's repository.
    pub fn new_event(&self, subject: &str) -> NewEvent {
        NewEvent {
            repository: Some(self.repository),
            ..NewEvent::new(kind("git.push"), self.workspace, subject)
        }
    }

    pub fn relays(&self) -> Running {
        self.relays_to(Arc::clone(&self.queue))
    }

    pub fn relays_to(&self, queue: Arc<dyn QueueClient>) -> Running {
        let relay = Relay::new(self.pool.clone(), queue);
        Running::start(|stop| async move { relay.run(stop).await })
    }

    pub fn consumes(&self, handler: impl Handler + 'static, settings: ConsumerSettings) -> Running {
        let consumer = Consumer::new(
            Arc::clone(&self.queue),
            self.pool.clone(),
            Arc::new(handler),
            settings,
        );
        Running::start(|stop| async move { consumer.run(stop).await })
    }

    /// The reasons of all dead letters, oldest first, once there are `count`.
    pub async fn dead_letters(&self, count: usize) -> Vec<g1t_events::dead_letters::DeadLetter> {
        eventually(&format!("{count} dead letters"), async || {
            let mut letters = g1t_events::dead_letters::list(&self.pool, None, None, 100)
                .await
                .expect("a list");
            letters.reverse();
            (letters.len() == count).then_some(letters)
        })
        .await
    }

    pub async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql)
            .fetch_one(&self.pool)
            .await
            .expect("a count")
    }

    pub async fn executes(&self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(&self.pool).await.expect("done");
    }
}

/// A relay or consumer at work.
pub struct Running {
    pub stop: CancellationToken,
    pub task: JoinHandle<()>,
}

impl Running {
    pub fn start<F: Future<Output = ()> + Send + 'static>(
        run: impl FnOnce(CancellationToken) -> F,
    ) -> Self {
        let stop = CancellationToken::new();
        let task = tokio::spawn(run(stop.clone()));
        Self { stop, task }
    }

    /// Stops it as the host does.
    pub async fn stops(self) {
        self.stop.cancel();
        within("the stop", self.task).await.expect("no panic");
    }
}

/// Settings that keep a story short: three deliveries, hidden and waited for as briefly as SQS can.
pub fn settings() -> ConsumerSettings {
    ConsumerSettings {
        max_receives: 3,
        retry_first: Duration::from_millis(10),
        visibility: SHORT,
        wait: SHORT,
        ..ConsumerSettings::default()
    }
}

pub fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
