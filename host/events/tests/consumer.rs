//! From the queue to the handlers.

use std::sync::Arc;
use std::time::Duration;

use g1t_events::ConsumerSettings;
use tokio::sync::Notify;

use crate::support::{Answer, Counting, Ctx, LONG, SHORT, Scripted, message, settings, stories};

stories! {
    against postgres = Postgres, against sqs_fifo = SqsFifo;
    {
        a_retry_holds_its_group_and_no_other,
        a_group_goes_on_after_a_death,
        a_message_that_kills_the_process_each_time_dies_untried,
        what_was_received_while_stopping_is_visible_at_once,
    }
}

stories! {
    against postgres_too = Postgres, against sqs_fifo_too = SqsFifo, against sqs_standard = SqsStandard;
    {
        what_was_handled_is_gone,
        a_handler_that_fails_is_tried_again_and_then_the_event_dies,
        a_rejected_event_dies_at_once,
        a_message_that_is_no_event_dies,
        a_handler_that_panics_is_tried_again,
        a_handler_that_hangs_is_dropped,
        a_heartbeat_keeps_others_away,
        a_stop_waits_for_what_runs,
        a_stop_does_not_wait_for_ever,
        a_second_delivery_changes_nothing,
    }
}

async fn what_was_handled_is_gone(ctx: Ctx) {
    let (handler, mut deliveries) = Scripted::new([]);
    let event = ctx.event("refs/heads/main");
    ctx.sends_event("a", &event).await;
    let consumer = ctx.consumes(handler, settings());
    assert_eq!(deliveries.next().await, event);
    consumer.stops().await;
    let left = ctx.receives(2 * SHORT, LONG).await;
    assert!(left.is_empty(), "{left:?}");
    deliveries.expect_no_more();
}

async fn a_retry_holds_its_group_and_no_other(ctx: Ctx) {
    let (handler, mut deliveries) = Scripted::new([("a1", vec![Answer::Retry(SHORT)])]);
    for subject in ["a1", "a2"] {
        ctx.sends_event("a", &ctx.event(subject)).await;
    }
    let consumer = ctx.consumes(handler, settings());
    deliveries.expect_next("a1").await;
    ctx.sends_event("b", &ctx.event("b1")).await;
    for subject in ["b1", "a1", "a2"] {
        deliveries.expect_next(subject).await;
    }
    consumer.stops().await;
}

async fn a_handler_that_fails_is_tried_again_and_then_the_event_dies(ctx: Ctx) {
    let again = || Answer::Retry(Duration::ZERO);
    let (handler, mut deliveries) = Scripted::new([("a1", vec![again(), again(), again()])]);
    let event = ctx.event("a1");
    ctx.sends_event("a", &event).await;
    let consumer = ctx.consumes(handler, settings());
    for _ in 0..3 {
        deliveries.expect_next("a1").await;
    }
    let letter = ctx.dead_letters(1).await.remove(0);
    assert_eq!(
        letter.reason,
        "not handled in 3 tries; the last: the database is busy"
    );
    assert_eq!((letter.event_id, letter.receive_count), (Some(event.id), 3));
    assert_eq!(letter.body, event.to_body().expect("short enough"));
    consumer.stops().await;
    ctx.expect_nothing_visible().await;
    deliveries.expect_no_more();
}

async fn a_group_goes_on_after_a_death(ctx: Ctx) {
    let (handler, mut deliveries) =
        Scripted::new([("a1", vec![Answer::Reject("no such repository")])]);
    for subject in ["a1", "a2"] {
        ctx.sends_event("a", &ctx.event(subject)).await;
    }
    let consumer = ctx.consumes(handler, settings());
    deliveries.expect_next("a1").await;
    deliveries.expect_next("a2").await;
    assert_eq!(
        ctx.count("SELECT count(*) FROM dead_letters").await,
        1,
        "written before the next is given out"
    );
    consumer.stops().await;
}

async fn a_rejected_event_dies_at_once(ctx: Ctx) {
    let (handler, mut deliveries) =
        Scripted::new([("a1", vec![Answer::Reject("a\0 strange reason")])]);
    ctx.sends_event("a", &ctx.event("a1")).await;
    let consumer = ctx.consumes(handler, settings());
    deliveries.expect_next("a1").await;
    let letter = ctx.dead_letters(1).await.remove(0);
    assert_eq!(
        (letter.reason.as_str(), letter.receive_count),
        ("a\u{FFFD} strange reason", 1)
    );
    consumer.stops().await;
    ctx.expect_nothing_visible().await;
    deliveries.expect_no_more();
}

async fn a_message_that_is_no_event_dies(ctx: Ctx) {
    let (handler, mut deliveries) = Scripted::new([]);
    ctx.sends(&[message("a", "{\"id\":\"not an id\"}")]).await;
    let consumer = ctx.consumes(handler, settings());
    let letter = ctx.dead_letters(1).await.remove(0);
    assert!(
        letter
            .reason
            .starts_with("the message is no event of this version of g1t-work: "),
        "{}",
        letter.reason
    );
    assert_eq!(
        (letter.body.as_str(), letter.workspace_id),
        ("{\"id\":\"not an id\"}", None)
    );
    consumer.stops().await;
    ctx.expect_nothing_visible().await;
    deliveries.expect_no_more();
}

async fn a_message_that_kills_the_process_each_time_dies_untried(ctx: Ctx) {
    ctx.sends_event("a", &ctx.event("a1")).await;
    for _ in 0..3 {
        let received = ctx.receives_one(LONG).await;
        ctx.queue
            .extend_visibility(&received.receipt, Duration::ZERO)
            .await
            .expect("the queue answers");
    }
    let (handler, mut deliveries) = Scripted::new([]);
    let consumer = ctx.consumes(handler, settings());
    let letter = ctx.dead_letters(1).await.remove(0);
    assert!(
        letter
            .reason
            .starts_with("given out 4 times and never answered"),
        "{}",
        letter.reason
    );
    consumer.stops().await;
    deliveries.expect_no_more();
}

async fn a_handler_that_panics_is_tried_again(ctx: Ctx) {
    let (handler, mut deliveries) = Scripted::new([("a1", vec![Answer::Panic])]);
    ctx.sends_event("a", &ctx.event("a1")).await;
    let consumer = ctx.consumes(handler, settings());
    deliveries.expect_next("a1").await;
    deliveries.expect_next("a1").await;
    consumer.stops().await;
    assert_eq!(ctx.count("SELECT count(*) FROM dead_letters").await, 0);
}

async fn a_handler_that_hangs_is_dropped(ctx: Ctx) {
    let never = Arc::new(Notify::new());
    let (handler, mut deliveries) =
        Scripted::new([("a1", vec![Answer::WhenTold(Arc::clone(&never))])]);
    ctx.sends_event("a", &ctx.event("a1")).await;
    let limits = ConsumerSettings {
        handle_limit: Duration::from_millis(50),
        max_receives: 1,
        ..settings()
    };
    let consumer = ctx.consumes(handler, limits);
    deliveries.expect_next("a1").await;
    let letter = ctx.dead_letters(1).await.remove(0);
    assert_eq!(
        letter.reason,
        "not handled in 1 tries; the last: handling took longer than 50ms"
    );
    assert_eq!(Arc::strong_count(&never), 1, "the handling was dropped");
    consumer.stops().await;
}

async fn a_heartbeat_keeps_others_away(ctx: Ctx) {
    let told = Arc::new(Notify::new());
    let (handler, mut deliveries) =
        Scripted::new([("a1", vec![Answer::WhenTold(Arc::clone(&told))])]);
    ctx.sends_event("a", &ctx.event("a1")).await;
    let consumer = ctx.consumes(
        handler,
        ConsumerSettings {
            concurrency: 1,
            ..settings()
        },
    );
    deliveries.expect_next("a1").await;
    let taken = ctx.receives(3 * SHORT, LONG).await;
    assert!(
        taken.is_empty(),
        "given to another while it is handled: {taken:?}"
    );
    told.notify_one();
    consumer.stops().await;
    let left = ctx.receives(2 * SHORT, LONG).await;
    assert!(left.is_empty(), "{left:?}");
    deliveries.expect_no_more();
}

async fn a_stop_waits_for_what_runs(ctx: Ctx) {
    let told = Arc::new(Notify::new());
    let (handler, mut deliveries) =
        Scripted::new([("a1", vec![Answer::WhenTold(Arc::clone(&told))])]);
    ctx.sends_event("a", &ctx.event("a1")).await;
    let consumer = ctx.consumes(handler, settings());
    deliveries.expect_next("a1").await;
    consumer.stop.cancel();
    ctx.sends_event("b", &ctx.event("b1")).await;
    told.notify_one();
    consumer.stops().await;
    let left = ctx.receives_one(LONG).await;
    assert!(
        left.body.contains("b1"),
        "a1 is done and b1 is for others: {left:?}"
    );
    deliveries.expect_no_more();
}

async fn a_stop_does_not_wait_for_ever(ctx: Ctx) {
    let (handler, mut deliveries) = Scripted::new([("a1", vec![Answer::WhenTold(Arc::default())])]);
    ctx.sends_event("a", &ctx.event("a1")).await;
    let limits = ConsumerSettings {
        stop_limit: Duration::from_millis(50),
        visibility: LONG,
        ..settings()
    };
    let consumer = ctx.consumes(handler, limits);
    deliveries.expect_next("a1").await;
    consumer.stops().await;
    let left = ctx.receives_one(LONG).await;
    assert!(
        left.body.contains("a1"),
        "visible at once, although it was hidden for long: {left:?}"
    );
}

async fn what_was_received_while_stopping_is_visible_at_once(ctx: Ctx) {
    let told = Arc::new(Notify::new());
    let (handler, mut deliveries) =
        Scripted::new([("a1", vec![Answer::WhenTold(Arc::clone(&told))])]);
    for group in ["a", "b", "c"] {
        ctx.sends_event(group, &ctx.event(&format!("{group}1")))
            .await;
    }
    let consumer = ctx.consumes(
        handler,
        ConsumerSettings {
            concurrency: 1,
            visibility: LONG,
            ..settings()
        },
    );
    deliveries.expect_next("a1").await;
    consumer.stop.cancel();
    told.notify_one();
    consumer.stops().await;
    assert_eq!(
        ctx.receives_all(2, LONG).await.len(),
        2,
        "what was not started is for others"
    );
    deliveries.expect_no_more();
}

async fn a_second_delivery_changes_nothing(ctx: Ctx) {
    let (handler, mut deliveries) = Counting::new(ctx.pool.clone(), 1);
    ctx.sends_event("a", &ctx.event("a1")).await;
    let consumer = ctx.consumes(handler, settings());
    deliveries.expect_next("a1").await;
    deliveries.expect_next("a1").await;
    consumer.stops().await;
    assert_eq!(ctx.count("SELECT last_number FROM work_counters").await, 1);
}
