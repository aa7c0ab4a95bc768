//! One event: turns until the queue is at rest, and a note for when to look again.

use g1t_domain::Time;
use g1t_domain::queue::{Action, decide};
use g1t_kit::db::{Db, Transaction};
use g1t_kit::events::{Event, Failure};
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::{Fault, Id, inbox, params, time};

use crate::load;
use crate::queue::Queue;
use crate::rules;
use crate::work::{self, Work};
use crate::write;

const HANDLER: &str = "queue-tick";

/// Turns of one event. Each builds or lands something or is the last, so a queue that needs more than this is tried again
/// with what was done so far.
const MAX_TURNS: usize = 200;

/// Handles `queue.tick`. A redelivered one only looks again, so the event is noted last: what a crash left is still owed.
pub async fn handle(event: Event) -> Result<(), Failure> {
    let Some(queue) = Queue::of(&event).await? else {
        return Ok(());
    };
    let wake = run(&queue).await?;
    finish(&event, &queue, wake).await?;
    work::remove_branches(&queue).await?;
    Ok(())
}

enum Turn {
    Worked(Vec<Work>),
    Rest(Option<Time>),
}

async fn run(queue: &Queue) -> Result<Option<Time>, Fault> {
    for _ in 0..MAX_TURNS {
        match turn(queue).await? {
            Turn::Rest(wake) => return Ok(wake),
            Turn::Worked(pieces) => {
                for piece in &pieces {
                    work::carry_out(queue, piece).await?;
                }
            }
        }
    }
    Err(Fault::busy(format!(
        "the queue of {} is not at rest after {MAX_TURNS} turns",
        queue.branch
    )))
}

async fn turn(queue: &Queue) -> Result<Turn, Fault> {
    let tx = Db::open().await?.begin().await?;
    let Some(id) = lock(&tx, queue).await? else {
        return Ok(Turn::Rest(None));
    };
    let mut loaded = load::snapshot(&tx, queue, id).await?;
    rules::answer(&tx, queue, &mut loaded).await?;
    let actions = decide(&loaded.snapshot, Time(time::now_ms()));
    if let Some(wake) = at_rest(&actions) {
        tx.commit().await?;
        return Ok(Turn::Rest(wake));
    }
    let pieces = write::actions(&tx, queue, &loaded, &actions).await?;
    tx.commit().await?;
    Ok(Turn::Worked(pieces))
}

async fn lock(tx: &Transaction, queue: &Queue) -> Result<Option<Id>, Fault> {
    let params = params![queue.repository.id, queue.branch];
    let row = tx
        .optional(include_str!("sql/queue_lock.sql"), params)
        .await?;
    Ok(row.map(|row| row.get("id")).transpose()?)
}

/// The moment to look again, when nothing else is to be done.
fn at_rest(actions: &[Action]) -> Option<Option<Time>> {
    match actions {
        [] => Some(None),
        [Action::WakeAt(when)] => Some(Some(*when)),
        _ => None,
    }
}

async fn finish(event: &Event, queue: &Queue, wake: Option<Time>) -> Result<(), Fault> {
    let tx = Db::open().await?.begin().await?;
    if inbox::begin_once(&tx, event, HANDLER).await?
        && let Some(when) = wake
    {
        let (workspace, repository) = (queue.repository.workspace_id, queue.repository.id);
        let params = params![workspace, repository, queue.subject(), when.0];
        let is_set: bool = tx
            .one(include_str!("sql/wake.sql"), params)
            .await?
            .get("is_set")?;
        if !is_set {
            publish(
                &tx,
                NewEvent::queue_tick(workspace, repository, &queue.branch).not_before_ms(when.0),
            )
            .await?;
        }
    }
    tx.commit().await?;
    Ok(())
}
