//! What every queue client promises.

use std::time::Duration;

use g1t_events::{Message, PostgresQueue, QueueClient};
use tokio_util::sync::CancellationToken;

use crate::support::{
    Ctx, Kind, LONG, PATIENCE, SHORT, bodies, eventually, message, set, stories, within,
};

stories! {
    against postgres = Postgres, against sqs_fifo = SqsFifo;
    {
        a_group_is_handed_out_in_order_and_one_at_a_time,
        groups_do_not_wait_for_each_other,
        a_deduplication_id_is_taken_once,
        a_batch_of_many_arrives_whole_and_in_order,
        what_is_given_back_is_first_again,
        two_receivers_share_the_groups_and_never_a_message,
    }
}

stories! {
    against postgres_only = Postgres;
    {
        what_a_dead_process_had_in_hand_comes_again_at_once,
    }
}

stories! {
    against postgres_too = Postgres, against sqs_fifo_too = SqsFifo, against sqs_standard = SqsStandard;
    {
        a_message_that_nobody_deletes_comes_again,
        a_stale_receipt_does_nothing,
        an_extension_keeps_a_message_hidden,
        a_waiting_receive_answers_when_a_message_is_sent,
        a_waiting_receive_ends_when_told_to_stop,
        a_body_arrives_as_it_was_sent,
    }
}

async fn a_group_is_handed_out_in_order_and_one_at_a_time(ctx: Ctx) {
    ctx.sends(&[message("a", "a1"), message("a", "a2")]).await;
    ctx.sends(&[message("a", "a3")]).await;
    for expected in ["a1", "a2", "a3"] {
        let received = ctx.receives_one(LONG).await;
        assert_eq!(received.body, expected);
        assert_eq!(received.receive_count, 1);
        assert_eq!(
            received.group.as_ref().map(|group| group.as_str()),
            Some("a")
        );
        ctx.expect_nothing_visible().await;
        ctx.deletes(&[received]).await;
    }
    ctx.expect_nothing_visible().await;
}

async fn groups_do_not_wait_for_each_other(ctx: Ctx) {
    ctx.sends(&[
        message("a", "a1"),
        message("a", "a2"),
        message("b", "b1"),
        message("b", "b2"),
    ])
    .await;
    let firsts = ctx.receives_all(2, LONG).await;
    assert_eq!(
        bodies(&firsts)
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>(),
        ["a1", "b1"].into()
    );
    let b1 = firsts
        .iter()
        .find(|message| message.body == "b1")
        .expect("b1 is there")
        .clone();
    ctx.deletes(&[b1]).await;
    assert_eq!(
        ctx.receives_one(LONG).await.body,
        "b2",
        "a1 is late, b goes on"
    );
    ctx.expect_nothing_visible().await;
}

async fn a_deduplication_id_is_taken_once(ctx: Ctx) {
    let first = message("a", "first");
    let again = Message {
        body: "again".into(),
        ..first.clone()
    };
    let elsewhere = Message {
        group: message("b", "").group,
        ..again.clone()
    };
    ctx.sends(&[first.clone(), again.clone()]).await;
    ctx.sends(&[again, elsewhere]).await;
    ctx.sends(&[message("a", "another")]).await;
    let received = ctx.receives_one(LONG).await;
    assert_eq!(received.body, "first");
    assert_eq!(
        received.deduplication_id.as_deref(),
        Some(first.deduplication_id.as_str())
    );
    ctx.deletes(&[received]).await;
    ctx.sends(&[first]).await;
    let received = ctx.receives_one(LONG).await;
    assert_eq!(
        received.body, "another",
        "the id stays taken after the message is gone"
    );
    ctx.deletes(&[received]).await;
    ctx.expect_nothing_visible().await;
}

async fn a_batch_of_many_arrives_whole_and_in_order(ctx: Ctx) {
    let all: Vec<Message> = (0..24)
        .map(|n| message(&format!("g{}", n % 3), &format!("{:02}", n / 3)))
        .collect();
    ctx.sends(&all).await;
    let mut seen: std::collections::BTreeMap<String, Vec<String>> = Default::default();
    for _ in 0..24 / 3 {
        let received = ctx.receives_all(3, LONG).await;
        for message in &received {
            let group = message.group.as_ref().expect("a group").as_str().to_owned();
            seen.entry(group).or_default().push(message.body.clone());
        }
        ctx.deletes(&received).await;
    }
    let in_order: Vec<String> = (0..8).map(|n| format!("{n:02}")).collect();
    assert_eq!(seen.len(), 3);
    assert!(seen.values().all(|bodies| *bodies == in_order), "{seen:?}");
}

async fn what_is_given_back_is_first_again(ctx: Ctx) {
    ctx.sends(&[message("a", "a1"), message("a", "a2")]).await;
    let received = ctx.receives_one(LONG).await;
    ctx.queue
        .release(&[received.receipt])
        .await
        .expect("the queue answers");
    let again = ctx.receives_one(LONG).await;
    assert_eq!(again.body, "a1");
    let counted = match ctx.kind {
        Kind::Postgres => 1,
        // SQS cannot take a delivery off the count.
        Kind::SqsFifo | Kind::SqsStandard => 2,
    };
    assert_eq!(again.receive_count, counted);
}

async fn two_receivers_share_the_groups_and_never_a_message(ctx: Ctx) {
    let all: Vec<Message> = (0..40)
        .map(|n| message(&format!("g{}", n % 4), &format!("{n:02}")))
        .collect();
    ctx.sends(&all).await;
    let drain = async || {
        let mut seen = Vec::new();
        loop {
            let received = ctx.receives(Duration::ZERO, LONG).await;
            if received.is_empty() {
                return seen;
            }
            seen.extend(received.iter().map(|message| message.body.clone()));
            ctx.deletes(&received).await;
        }
    };
    let (one, two) = tokio::join!(drain(), drain());
    // Both may stop while the other has the last messages in hand: whoever is left takes the rest.
    let rest = drain().await;
    let mut seen: Vec<String> = one.into_iter().chain(two).chain(rest).collect();
    seen.sort();
    assert_eq!(seen, (0..40).map(|n| format!("{n:02}")).collect::<Vec<_>>());
}

async fn a_message_that_nobody_deletes_comes_again(ctx: Ctx) {
    ctx.sends(&[message("a", "a1")]).await;
    let first = ctx.receives_one(SHORT).await;
    ctx.expect_nothing_visible().await;
    let second = ctx.receives_one(SHORT).await;
    assert_eq!((second.body.as_str(), second.receive_count), ("a1", 2));
    assert_ne!(second.receipt, first.receipt);
    assert_eq!(ctx.receives_one(LONG).await.receive_count, 3);
}

async fn what_a_dead_process_had_in_hand_comes_again_at_once(ctx: Ctx) {
    let other = PostgresQueue::new(ctx.pool.clone(), "events");
    let stop = CancellationToken::new();
    ctx.sends(&[message("a", "a1"), message("b", "b1")]).await;
    let holds = "SELECT count(*) FROM queue_messages WHERE holder IS NOT NULL";
    // It says that it lives soon after it begins: what it took before that waits for its time-out.
    let held = eventually("a message that is held", async || {
        let taken = other.receive(1, Duration::ZERO, LONG, &stop).await;
        let taken = taken.expect("the queue answers").pop()?;
        if ctx.count(holds).await == 1 {
            return Some(taken);
        }
        let given_back = other.release(&[taken.receipt]).await;
        given_back.expect("the queue answers");
        None
    })
    .await;
    assert_eq!(held.body, "a1");
    let own = ctx.receives_one(LONG).await;
    assert_eq!(own.body, "b1", "what the living hold stays hidden");
    ctx.expect_nothing_visible().await;
    drop(other);
    let again = ctx.receives_one(LONG).await;
    assert_eq!((again.body.as_str(), again.receive_count), ("a1", 2));
    ctx.expect_nothing_visible().await;
}

async fn a_stale_receipt_does_nothing(ctx: Ctx) {
    ctx.sends(&[message("a", "a1")]).await;
    let stale = ctx.receives_one(SHORT).await;
    let fresh = ctx.receives_one(LONG).await;
    ctx.queue
        .extend_visibility(&stale.receipt, Duration::ZERO)
        .await
        .expect("passed over");
    ctx.queue
        .release(std::slice::from_ref(&stale.receipt))
        .await
        .expect("passed over");
    ctx.expect_nothing_visible().await;
    ctx.deletes(&[stale]).await;
    ctx.queue
        .extend_visibility(&fresh.receipt, Duration::ZERO)
        .await
        .expect("the queue answers");
    let again = ctx.receives_one(LONG).await;
    assert_eq!(again.body, "a1", "the stale receipt deleted nothing");
    ctx.deletes(std::slice::from_ref(&again)).await;
    ctx.deletes(&[again]).await;
    ctx.expect_nothing_visible().await;
}

async fn an_extension_keeps_a_message_hidden(ctx: Ctx) {
    ctx.sends(&[message("a", "a1")]).await;
    let received = ctx.receives_one(SHORT).await;
    ctx.queue
        .extend_visibility(&received.receipt, LONG)
        .await
        .expect("the queue answers");
    let early = ctx.receives(2 * SHORT, LONG).await;
    assert!(early.is_empty(), "{early:?}");
    ctx.queue
        .extend_visibility(&received.receipt, Duration::ZERO)
        .await
        .expect("the queue answers");
    assert_eq!(ctx.receives_one(LONG).await.body, "a1");
}

async fn a_waiting_receive_answers_when_a_message_is_sent(ctx: Ctx) {
    let stop = CancellationToken::new();
    let waiting = ctx.queue.receive(10, PATIENCE, LONG, &stop);
    let messages = [message("a", "a1")];
    let send = ctx.sends(&messages);
    let (received, ()) = within("an answer", async { tokio::join!(biased; waiting, send) }).await;
    assert_eq!(bodies(&received.expect("the queue answers")), ["a1"]);
}

async fn a_waiting_receive_ends_when_told_to_stop(ctx: Ctx) {
    let stop = CancellationToken::new();
    let waiting = ctx.queue.receive(10, LONG, LONG, &stop);
    let (received, ()) = within("the end", async {
        tokio::join!(biased; waiting, async { stop.cancel() })
    })
    .await;
    assert!(received.expect("no error").is_empty());
    ctx.sends(&[message("a", "a1")]).await;
    let received = ctx
        .queue
        .receive(10, LONG, LONG, &stop)
        .await
        .expect("no error");
    assert!(received.is_empty(), "who is told to stop takes nothing");
}

async fn a_body_arrives_as_it_was_sent(ctx: Ctx) {
    let texts = ["{\"a\":\"<&>'\\\\ \\u0001\"}", "äöü 漢字\t\r\n", "x"];
    let all: Vec<Message> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| message(&n.to_string(), text))
        .collect();
    ctx.sends(&all).await;
    let received = ctx.receives_all(texts.len(), LONG).await;
    assert_eq!(set(&bodies(&received)), set(&texts));
}
