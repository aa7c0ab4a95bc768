//! Dead letters, listed and sent again.

use g1t_events::WorkspaceId;
use g1t_events::dead_letters::{DeadLetterId, ResendError, list, resend};

use crate::support::{Answer, Ctx, Scripted, message, settings, stories};

stories! {
    against postgres = Postgres, against sqs_fifo = SqsFifo, against sqs_standard = SqsStandard;
    {
        a_dead_letter_is_sent_again_and_handled,
        dead_letters_are_listed_newest_first_and_by_workspace,
    }
}

async fn a_dead_letter_is_sent_again_and_handled(ctx: Ctx) {
    let (handler, mut deliveries) = Scripted::new([("a1", vec![Answer::Reject("not yet")])]);
    let consumer = ctx.consumes(handler, settings());
    let relay = ctx.relays();
    let id = ctx.publishes(ctx.new_event("a1")).await;
    deliveries.expect_next("a1").await;
    let letter = ctx.dead_letters(1).await.remove(0);
    assert_eq!(
        (letter.workspace_id, letter.resent_at),
        (Some(ctx.workspace), None)
    );
    resend(&ctx.pool, &*ctx.queue, letter.id)
        .await
        .expect("sent again");
    assert_eq!(deliveries.expect_next("a1").await.id, id, "the same event");
    assert!(ctx.dead_letters(1).await[0].resent_at.is_some());
    consumer.stops().await;
    relay.stops().await;
    ctx.expect_nothing_visible().await;
}

async fn dead_letters_are_listed_newest_first_and_by_workspace(ctx: Ctx) {
    let (handler, mut deliveries) = Scripted::new([("a1", vec![Answer::Reject("no")])]);
    let consumer = ctx.consumes(handler, settings());
    let relay = ctx.relays();
    ctx.publishes(ctx.new_event("a1")).await;
    deliveries.expect_next("a1").await;
    let known = ctx.dead_letters(1).await.remove(0);
    ctx.sends(&[message("x", "no event")]).await;
    let unknown = ctx.dead_letters(2).await.remove(1);

    let all = list(&ctx.pool, None, None, 10).await.expect("a list");
    assert_eq!(all, [unknown.clone(), known.clone()]);
    let of_workspace = list(&ctx.pool, Some(ctx.workspace), None, 10)
        .await
        .expect("a list");
    assert_eq!(of_workspace, std::slice::from_ref(&known));
    assert_eq!(
        list(&ctx.pool, Some(WorkspaceId(9999)), None, 10)
            .await
            .expect("a list"),
        []
    );
    let second_page = list(&ctx.pool, None, Some(unknown.id), 1)
        .await
        .expect("a list");
    assert_eq!(second_page, [known]);

    let missing = DeadLetterId(9999);
    let answer = resend(&ctx.pool, &*ctx.queue, missing).await;
    assert!(
        matches!(answer, Err(ResendError::Missing(id)) if id == missing),
        "{answer:?}"
    );
    // Sent again it dies again, as a letter of its own.
    resend(&ctx.pool, &*ctx.queue, unknown.id)
        .await
        .expect("sent again");
    assert_eq!(ctx.dead_letters(3).await[2].body, "no event");
    consumer.stops().await;
    relay.stops().await;
}
