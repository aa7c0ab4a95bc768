//! Every limit and interval of this crate, each with its unit and its reason.

use std::time::Duration;

/// Bytes of one message body. SQS refuses messages above 256 KiB in queues of the usual settings; the rest is left for
/// the message's attributes. An event above it goes to the dead letters instead of stopping the relay.
pub const MAX_BODY_BYTES: usize = 240 * 1024;

/// Bytes of all bodies in one request to SQS: it counts a batch like one message.
pub const MAX_BATCH_BYTES: usize = 240 * 1024;

/// Messages in one request, to send as to receive: SQS takes no more.
pub const MAX_BATCH_MESSAGES: usize = 10;

/// How long one receive waits for a message. Ends at once when there is one, so it only says how often an idle consumer
/// looks round.
pub const RECEIVE_WAIT: Duration = Duration::from_secs(20);

/// How long a message stays hidden without a heartbeat. Short, because with SQS it is what a crash costs: everything behind
/// the message in its group waits. Two attempts of a heartbeat fit in it, however slow ([`SQS_ATTEMPT`]).
pub const VISIBILITY: Duration = Duration::from_secs(30);

/// Heartbeats in one visibility time-out: two may get lost before a message is given to somebody else.
pub const HEARTBEAT_PARTS: u32 = 3;

/// The longest a message can be hidden: SQS's limit of 12 hours, from the receive on; a margin is left for that.
pub const MAX_HIDDEN: Duration = Duration::from_secs(11 * 60 * 60);

/// Within this time a deduplication id is taken once: what SQS promises for FIFO queues.
pub const DEDUPLICATION_WINDOW: Duration = Duration::from_secs(5 * 60);

/// When the row of a deduplication id is removed: twice the window, so that removing never shortens it.
pub const DEDUPLICATION_KEPT: Duration = Duration::from_secs(10 * 60);

/// How long the inbox remembers an event: above the 14 days that SQS can keep a message, and the time people take to
/// send a dead letter again.
pub const INBOX_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long the answer of a create is given again to who sends it again: what the API promises.
pub const ANSWERS_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// How long what the judge decided is kept, to be shown and judged again: what the domain promises.
pub const EVALUATIONS_KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Old rows removed by one statement: few enough that it holds nobody up.
pub const PURGE_ROWS: i64 = 1000;

/// How often old rows are removed.
pub const RETENTION_EVERY: Duration = Duration::from_secs(10 * 60);

/// Messages handled at the same time by one consumer: handlers wait for the database and git more than they compute.
pub const CONCURRENCY: usize = 8;

/// Deliveries of one message before it goes to the dead letters. With the waits between them, two minutes and more: longer
/// than a restart of the database takes.
pub const MAX_RECEIVES: u32 = 8;

/// The longest one handling may take: without it a handler that hangs would hold its group for ever by its heartbeats.
pub const HANDLE_LIMIT: Duration = Duration::from_secs(5 * 60);

/// How long a stopping consumer waits for what runs: below the 30 s that process managers usually give.
pub const STOP_LIMIT: Duration = Duration::from_secs(20);

/// Rows of the outbox that the relay reads at once: ten batches of SQS.
pub const RELAY_ROWS: i64 = 100;

/// How often a relay that is not the leader asks whether there is none: what the leader's crash costs in delay.
pub const LEADER_POLL: Duration = Duration::from_secs(1);

/// How often the leader looks without being woken: notifications get lost when a connection does. It is also how soon
/// a leader sees that it lost its lock.
pub const RELAY_POLL: Duration = Duration::from_secs(5);

/// How often the Postgres queue looks without being woken, for the same reason.
pub const QUEUE_POLL: Duration = Duration::from_secs(2);

/// How often a process that takes messages of the Postgres queue makes sure that it still holds the lock that says so.
pub const HOLDER_CHECK: Duration = Duration::from_secs(5);

/// First wait after a failure of the queue or the database; each further one doubles it.
pub const BACK_OFF_FIRST: Duration = Duration::from_millis(200);

/// The longest wait after failures.
pub const BACK_OFF_MOST: Duration = Duration::from_secs(30);

/// Wait before the second delivery after a failure, doubled for each further one; a handler may ask for longer.
pub const RETRY_FIRST: Duration = Duration::from_secs(1);

/// The longest such wait.
pub const RETRY_MOST: Duration = Duration::from_secs(5 * 60);

/// The longest one request to SQS waits for a message; a receive makes several. SQS offers 20 s, but a poll cannot be
/// called back, so this is also what stopping an idle consumer costs.
pub const SQS_POLL: Duration = Duration::from_secs(5);

/// One attempt of a request to SQS: above [`SQS_POLL`], for a poll is one request.
pub const SQS_ATTEMPT: Duration = Duration::from_secs(15);

/// Attempts of a request, and of what failed in a batch. The client of AWS waits longer after each, and longer still when
/// it is throttled.
pub const SQS_ATTEMPTS: u32 = 4;

/// Opening a connection to SQS.
pub const SQS_CONNECT: Duration = Duration::from_secs(5);

/// One pass of the relay over due rows: a connection that hangs is given up, and the leadership with it.
pub const RELAY_PASS: Duration = Duration::from_secs(120);

/// The longest the database may take to answer whoever wants to lead: connecting, asking for the lock.
pub const LEADER_ANSWER: Duration = Duration::from_secs(10);

/// Characters of the reason kept with a dead letter: it may come from a component, and people read it.
pub const MAX_REASON_CHARS: usize = 2000;

/// Dead letters on one page.
pub const MAX_LISTED: i64 = 100;

/// The wait after `failures` failures in a row: `first`, doubled each time, at most `most`.
pub fn back_off(failures: u32, first: Duration, most: Duration) -> Duration {
    let doublings = failures.saturating_sub(1).min(20);
    first.saturating_mul(1 << doublings).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let waits = [1, 2, 3, 8, 9, u32::MAX]
            .map(|failures| back_off(failures, BACK_OFF_FIRST, BACK_OFF_MOST).as_millis());
        assert_eq!(waits, [200, 400, 800, 25_600, 30_000, 30_000]);
    }

    #[test]
    fn limits_agree_with_each_other() {
        assert!(SQS_POLL < SQS_ATTEMPT);
        assert!(SQS_POLL.subsec_nanos() == 0, "SQS waits whole seconds");
        assert!(DEDUPLICATION_WINDOW < DEDUPLICATION_KEPT);
        assert!(VISIBILITY < MAX_HIDDEN);
        const { assert!(MAX_BODY_BYTES <= MAX_BATCH_BYTES) };
    }
}
