//! From the outbox to the queue.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::Utc;
use g1t_events::limits::MAX_BODY_BYTES;
use g1t_events::{
    ActorId, Event, Message, NewEvent, NotSent, NotSentReason, QueueClient, QueueError, Receipt,
    Received, Relay, publish, retention,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{
    Counting, Ctx, Kind, LONG, Running, eventually, kind, object, settings, stories, tell, within,
};

stories! {
    against postgres = Postgres, against sqs_fifo = SqsFifo;
    {
        events_of_a_repository_arrive_in_order,
        an_event_sent_twice_arrives_once,
    }
}

stories! {
    against postgres_too = Postgres, against sqs_fifo_too = SqsFifo, against sqs_standard = SqsStandard;
    {
        an_event_arrives_as_it_was_published,
        only_what_commits_is_published,
        an_event_with_a_time_waits_for_it,
        another_relay_takes_over_when_the_leader_dies,
        a_leader_that_loses_its_connection_is_none,
        an_event_the_queue_cannot_take_dies_and_stops_nobody,
    }
}

async fn an_event_arrives_as_it_was_published(ctx: Ctx) {
    let relay = ctx.relays();
    let new = NewEvent {
        actor: Some(ActorId(1)),
        version: 2,
        data: object(json!({"number": 12, "head": {"ref": "topic"}, "title": "<ü>"})),
        ..NewEvent::new(kind("pull.opened"), ctx.workspace, "pull/12")
    };
    ctx.publishes(new.clone()).await;
    let received = ctx.receives_one(LONG).await;
    let event = Event::from_body(&received.body).expect("an event");
    let time = event.time;
    assert!((Utc::now() - time).num_seconds() < 60, "{time}");
    let NewEvent {
        id,
        kind,
        workspace,
        repository,
        actor,
        subject,
        version,
        data,
        not_before: _,
    } = new;
    assert_eq!(
        event,
        Event {
            id,
            kind,
            workspace,
            repository,
            actor,
            subject,
            time,
            version,
            data
        }
    );
    if ctx.kind != Kind::SqsStandard {
        assert_eq!(received.deduplication_id, Some(event.id.to_string()));
        assert_eq!(
            received.group.expect("a group").as_str(),
            format!("w{}", ctx.workspace)
        );
    }
    relay.stops().await;
}

async fn only_what_commits_is_published(ctx: Ctx) {
    let relay = ctx.relays();
    let mut tx = ctx.pool.begin().await.expect("a transaction");
    publish(&mut tx, &ctx.new_event("rolled back"))
        .await
        .expect("inserted");
    tx.rollback().await.expect("rolled back");
    let settled = ctx.new_event("settled");
    ctx.publishes(settled.clone()).await;
    ctx.publishes(settled).await;
    let received = ctx.receives_one(LONG).await;
    assert_eq!(
        Event::from_body(&received.body).expect("an event").subject,
        "settled"
    );
    relay.stops().await;
    ctx.expect_nothing_visible().await;
    assert_eq!(
        ctx.count("SELECT count(*) FROM outbox").await,
        1,
        "the same id is published once"
    );
}

async fn events_of_a_repository_arrive_in_order(ctx: Ctx) {
    for n in 0..30 {
        ctx.publishes(ctx.new_event(&n.to_string())).await;
    }
    let relay = ctx.relays();
    for n in 30..40 {
        ctx.publishes(ctx.new_event(&n.to_string())).await;
    }
    for n in 0..40 {
        let received = ctx.receives_one(LONG).await;
        assert_eq!(
            Event::from_body(&received.body).expect("an event").subject,
            n.to_string()
        );
        ctx.deletes(&[received]).await;
    }
    relay.stops().await;
    assert_eq!(
        ctx.count("SELECT count(*) FROM outbox WHERE sent_at IS NULL")
            .await,
        0
    );
}

async fn an_event_with_a_time_waits_for_it(ctx: Ctx) {
    let relay = ctx.relays();
    let later = Utc::now() + Duration::from_millis(1500);
    ctx.publishes(NewEvent {
        not_before: Some(later),
        ..ctx.new_event("later")
    })
    .await;
    ctx.publishes(ctx.new_event("now")).await;
    let first = ctx.receives_one(LONG).await;
    assert_eq!(
        Event::from_body(&first.body).expect("an event").subject,
        "now"
    );
    ctx.deletes(&[first]).await;
    let second = ctx.receives_one(LONG).await;
    assert_eq!(
        Event::from_body(&second.body).expect("an event").subject,
        "later"
    );
    assert!(Utc::now() >= later, "sent too early");
    relay.stops().await;
}

/// A relay and how to see whether it leads.
fn relay_of(ctx: &Ctx) -> (Running, tokio::sync::watch::Receiver<bool>) {
    let relay = Relay::new(ctx.pool.clone(), Arc::clone(&ctx.queue));
    let leading = relay.leading();
    (
        Running::start(|stop| async move { relay.run(stop).await }),
        leading,
    )
}

async fn another_relay_takes_over_when_the_leader_dies(ctx: Ctx) {
    let (first, mut first_leads) = relay_of(&ctx);
    within("a leader", first_leads.wait_for(|leads| *leads))
        .await
        .expect("the relay runs");
    let (second, mut second_leads) = relay_of(&ctx);
    ctx.publishes(ctx.new_event("one")).await;
    let received = ctx.receives_one(LONG).await;
    ctx.deletes(&[received]).await;
    assert!(!*second_leads.borrow(), "one leads at a time");
    all_sent(&ctx).await;
    first.task.abort();
    within("a new leader", second_leads.wait_for(|leads| *leads))
        .await
        .expect("the relay runs");
    ctx.publishes(ctx.new_event("two")).await;
    let received = ctx.receives_one(LONG).await;
    assert_eq!(
        Event::from_body(&received.body).expect("an event").subject,
        "two"
    );
    second.stops().await;
}

async fn a_leader_that_loses_its_connection_is_none(ctx: Ctx) {
    let (relay, mut leads) = relay_of(&ctx);
    within("a leader", leads.wait_for(|leads| *leads))
        .await
        .expect("the relay runs");
    ctx.executes(
        "SELECT pg_terminate_backend(pid) FROM pg_locks
         WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    )
    .await;
    ctx.publishes(ctx.new_event("after")).await;
    within("the loss", leads.wait_for(|leads| !*leads))
        .await
        .expect("the relay runs");
    let received = ctx.receives_one(LONG).await;
    assert_eq!(
        Event::from_body(&received.body).expect("an event").subject,
        "after"
    );
    assert!(*leads.borrow(), "it leads again");
    relay.stops().await;
}

async fn an_event_the_queue_cannot_take_dies_and_stops_nobody(ctx: Ctx) {
    let long = object(json!({"text": "x".repeat(MAX_BODY_BYTES)}));
    let long = ctx
        .publishes(NewEvent {
            data: long,
            ..ctx.new_event("too long")
        })
        .await;
    ctx.executes(
        "INSERT INTO outbox (workspace_id, kind, data) SELECT id, 'git.push', '[]' FROM workspaces WHERE name = 'acme'",
    )
    .await;
    ctx.publishes(ctx.new_event("fits")).await;
    let relay = ctx.relays();
    let received = ctx.receives_one(LONG).await;
    assert_eq!(
        Event::from_body(&received.body).expect("an event").subject,
        "fits"
    );
    let letters = ctx.dead_letters(2).await;
    assert_eq!(letters[0].event_id, Some(long));
    assert!(
        letters[0].reason.contains("put less into `data`"),
        "{}",
        letters[0].reason
    );
    assert!(
        letters[1].reason.contains("insert an object"),
        "{}",
        letters[1].reason
    );
    assert!(
        letters
            .iter()
            .all(|letter| letter.workspace_id == Some(ctx.workspace))
    );
    relay.stops().await;
    assert_eq!(
        ctx.count("SELECT count(*) FROM outbox WHERE sent_at IS NULL")
            .await,
        0
    );
}

/// What a crash between sending and marking leaves.
const FORGET_MARKS: &str = "UPDATE outbox SET sent_at = NULL";

async fn all_sent(ctx: &Ctx) {
    eventually("all rows marked", async || {
        (ctx.count("SELECT count(*) FROM outbox WHERE sent_at IS NULL")
            .await
            == 0)
            .then_some(())
    })
    .await;
}

async fn an_event_sent_twice_arrives_once(ctx: Ctx) {
    ctx.publishes(ctx.new_event("once")).await;
    let relay = ctx.relays();
    all_sent(&ctx).await;
    relay.stops().await;
    ctx.executes(FORGET_MARKS).await;
    let relay = ctx.relays();
    all_sent(&ctx).await;
    relay.stops().await;
    let received = ctx.receives_one(LONG).await;
    ctx.deletes(&[received]).await;
    ctx.expect_nothing_visible().await;
}

/// Past the queue's window the inbox is what makes handling once.
async fn handles_once_what_arrives_twice(ctx: Ctx) {
    let (handler, mut deliveries) = Counting::new(ctx.pool.clone(), 0);
    let consumer = ctx.consumes(handler, settings());
    ctx.publishes(ctx.new_event("a1")).await;
    let relay = ctx.relays();
    deliveries.expect_next("a1").await;
    all_sent(&ctx).await;
    relay.stops().await;
    ctx.executes(FORGET_MARKS).await;
    ctx.executes("UPDATE queue_deduplication SET sent_at = sent_at - interval '6 minutes'")
        .await;
    let relay = ctx.relays();
    deliveries.expect_next("a1").await;
    relay.stops().await;
    consumer.stops().await;
    assert_eq!(ctx.count("SELECT last_number FROM work_counters").await, 1);
}

#[tokio::test]
async fn an_event_that_arrives_twice_is_handled_once() {
    tell(Kind::Postgres, handles_once_what_arrives_twice).await;
}

#[tokio::test]
async fn an_event_that_arrives_twice_is_handled_once_without_deduplication() {
    tell(Kind::SqsStandard, handles_once_what_arrives_twice).await;
}

/// What a faulty queue does with the messages of a batch.
#[derive(Clone, Copy)]
enum Fault {
    Fails,
    LosesAnswer,
    HoldsFirst,
    RefusesFirst,
}

/// A queue that has one fault for each of its first batches.
struct Faulty {
    queue: Arc<dyn QueueClient>,
    faults: Mutex<VecDeque<Fault>>,
}

impl Faulty {
    fn failure(&self) -> QueueError {
        QueueError::SqsEntry {
            queue: self.queue.name().into(),
            code: "InternalError".into(),
        }
    }
}

#[async_trait]
impl QueueClient for Faulty {
    fn name(&self) -> &str {
        self.queue.name()
    }

    async fn send_batch(&self, messages: &[Message]) -> Result<Vec<NotSent>, QueueError> {
        let fault = self
            .faults
            .lock()
            .expect("no panic while locked")
            .pop_front();
        let first = |reason| Ok(vec![NotSent { index: 0, reason }]);
        match fault {
            None => self.queue.send_batch(messages).await,
            Some(Fault::Fails) => Err(self.failure()),
            Some(Fault::LosesAnswer) => {
                self.queue.send_batch(messages).await?;
                Err(self.failure())
            }
            Some(Fault::HoldsFirst) => {
                self.queue.send_batch(&messages[1..]).await?;
                first(NotSentReason::Later("busy".into()))
            }
            Some(Fault::RefusesFirst) => {
                self.queue.send_batch(&messages[1..]).await?;
                first(NotSentReason::Refused("no such character".into()))
            }
        }
    }

    async fn receive(
        &self,
        max: usize,
        wait: Duration,
        visibility: Duration,
        stop: &CancellationToken,
    ) -> Result<Vec<Received>, QueueError> {
        self.queue.receive(max, wait, visibility, stop).await
    }

    async fn delete(&self, receipts: &[Receipt]) -> Result<(), QueueError> {
        self.queue.delete(receipts).await
    }

    async fn extend_visibility(
        &self,
        receipt: &Receipt,
        duration: Duration,
    ) -> Result<(), QueueError> {
        self.queue.extend_visibility(receipt, duration).await
    }

    async fn release(&self, receipts: &[Receipt]) -> Result<(), QueueError> {
        self.queue.release(receipts).await
    }
}

/// Publishes two events of different groups, relays them over a queue with these faults, and gives what arrived.
async fn arrives_over(ctx: &Ctx, faults: &[Fault], count: usize) -> Vec<String> {
    ctx.publishes(ctx.new_event("first")).await;
    ctx.publishes(NewEvent {
        repository: None,
        ..ctx.new_event("second")
    })
    .await;
    let faults = Mutex::new(faults.iter().copied().collect());
    let relay = ctx.relays_to(Arc::new(Faulty {
        queue: Arc::clone(&ctx.queue),
        faults,
    }));
    let received = ctx.receives_all(count, LONG).await;
    all_sent(ctx).await;
    relay.stops().await;
    ctx.deletes(&received).await;
    ctx.expect_nothing_visible().await;
    let mut subjects: Vec<String> = received
        .iter()
        .map(|message| Event::from_body(&message.body).expect("an event").subject)
        .collect();
    subjects.sort();
    subjects
}

async fn survives_a_failing_queue(ctx: Ctx) {
    let faults = [Fault::Fails, Fault::LosesAnswer, Fault::Fails];
    assert_eq!(arrives_over(&ctx, &faults, 2).await, ["first", "second"]);
}

async fn sends_later_what_was_not_taken(ctx: Ctx) {
    assert_eq!(
        arrives_over(&ctx, &[Fault::HoldsFirst], 2).await,
        ["first", "second"]
    );
}

async fn buries_what_the_queue_refuses(ctx: Ctx) {
    assert_eq!(
        arrives_over(&ctx, &[Fault::RefusesFirst], 1).await,
        ["second"]
    );
    let letter = ctx.dead_letters(1).await.remove(0);
    assert_eq!(
        letter.reason,
        "the queue refuses the message: no such character"
    );
    assert_eq!(
        Event::from_body(&letter.body).expect("an event").subject,
        "first"
    );
}

#[tokio::test]
async fn a_queue_that_fails_loses_nothing() {
    tell(Kind::Postgres, survives_a_failing_queue).await;
}

#[tokio::test]
async fn an_event_the_queue_does_not_take_now_is_sent_later() {
    tell(Kind::Postgres, sends_later_what_was_not_taken).await;
}

#[tokio::test]
async fn an_event_the_queue_refuses_dies() {
    tell(Kind::Postgres, buries_what_the_queue_refuses).await;
}

async fn purges_what_is_old(ctx: Ctx) {
    ctx.executes(
        "INSERT INTO queue_deduplication (queue, deduplication_id, sent_at) VALUES
             ('events', 'old', now() - interval '11 minutes'), ('events', 'new', now() - interval '9 minutes');
         INSERT INTO inbox (event_id, handler, workspace_id, handled_at)
         SELECT gen_random_uuid(), age, id, now() - age::interval
         FROM workspaces, unnest(ARRAY['31 days', '29 days']) AS age;
         INSERT INTO idempotency_keys (actor_id, key, request_digest, status, body, created_at)
         SELECT id, age, '', 201, '', now() - age::interval
         FROM users, unnest(ARRAY['25 hours', '23 hours']) AS age WHERE login = 'g1t';
         INSERT INTO rule_evaluations (workspace_id, repository_id, moment, ref_name, old_sha, new_sha, outcome, verdicts,
                                       facts_digest, judge_digest, evaluated_at)
         SELECT workspace_id, id, 'push', age, '', '', 'pass', '[]', '', '', now() - age::interval
         FROM repositories, unnest(ARRAY['91 days', '89 days']) AS age, generate_series(1, 1001) ORDER BY age DESC;
         INSERT INTO guest_sessions (pid) VALUES (pg_backend_pid()), (0)",
    )
    .await;
    let mut connection = ctx.pool.acquire().await.expect("a connection");
    let purged = retention::purge(&mut connection).await.expect("purged");
    assert_eq!(
        purged,
        retention::Purged {
            deduplication: 1,
            inbox: 1,
            answers: 1,
            evaluations: 1001,
            guest_sessions: 1
        }
    );
    assert_eq!(
        ctx.count("SELECT count(*) FROM queue_deduplication WHERE deduplication_id = 'new'")
            .await,
        1
    );
    assert_eq!(
        ctx.count("SELECT count(*) FROM inbox WHERE handler = '29 days'")
            .await,
        1
    );
    assert_eq!(
        ctx.count("SELECT count(*) FROM rule_evaluations WHERE ref_name = '89 days'")
            .await,
        1001
    );
}

#[tokio::test]
async fn what_has_had_its_time_is_removed() {
    tell(Kind::Postgres, purges_what_is_old).await;
}

async fn names_events_by_their_time(ctx: Ctx) {
    ctx.executes(
        "INSERT INTO outbox (workspace_id, kind) SELECT id, 'a.made' FROM workspaces, generate_series(1, 5)",
    )
    .await;
    let of_now = "SELECT count(*) FROM outbox WHERE substr(id::text, 15, 1) = '7' AND substr(id::text, 20, 1) IN ('8', '9', 'a', 'b')
         AND abs(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint
                 - extract(epoch FROM created_at) * 1000) < 1000";
    assert_eq!(ctx.count(of_now).await, 5);
}

#[tokio::test]
async fn an_event_that_brings_no_id_gets_one_that_sorts_by_time() {
    tell(Kind::Postgres, names_events_by_their_time).await;
}
