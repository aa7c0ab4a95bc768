//! Cutting a batch into requests.

use std::collections::HashSet;

use crate::limits::{MAX_BATCH_BYTES, MAX_BATCH_MESSAGES};
use crate::queue::client::Message;

/// Which messages go in which request, in order. With groups, a request has at most one message of each: when it fails,
/// what follows can still be held back.
pub(super) fn requests(messages: &[Message], groups: bool) -> Vec<Vec<usize>> {
    let mut requests: Vec<Vec<usize>> = Vec::new();
    let mut left: Vec<usize> = (0..messages.len()).collect();
    while !left.is_empty() {
        let mut seen = HashSet::new();
        let (mut now, mut later, mut bytes) = (Vec::new(), Vec::new(), 0);
        for index in left {
            let Some(message) = messages.get(index) else {
                continue;
            };
            let size = message.body.len();
            let fits = now.len() < MAX_BATCH_MESSAGES
                && (now.is_empty() || bytes + size <= MAX_BATCH_BYTES);
            // A group whose turn did not fit is seen too, or its next message would go before it.
            let first = seen.insert(&message.group) || !groups;
            if fits && first {
                bytes += size;
                now.push(index);
            } else {
                later.push(index);
            }
        }
        requests.push(now);
        left = later;
    }
    requests
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::GroupId;

    fn messages(groups: &str, body: &str) -> Vec<Message> {
        let message = |(index, group): (usize, char)| Message {
            group: GroupId::named(group.to_string()),
            deduplication_id: index.to_string(),
            body: body.to_owned(),
        };
        groups.chars().enumerate().map(message).collect()
    }

    #[test]
    fn a_request_has_one_message_of_a_group() {
        assert_eq!(
            requests(&messages("aabac", "x"), true),
            [vec![0, 2, 4], vec![1], vec![3]]
        );
        assert_eq!(
            requests(&messages("aabac", "x"), false),
            [vec![0, 1, 2, 3, 4]]
        );
        assert!(requests(&[], true).is_empty());
    }

    #[test]
    fn a_request_has_ten_messages_and_no_more_bytes_than_allowed() {
        assert_eq!(
            requests(&messages("abcdefghijkl", "x"), true)
                .iter()
                .map(Vec::len)
                .collect::<Vec<_>>(),
            [10, 2]
        );
        let half = "x".repeat(MAX_BATCH_BYTES / 2);
        assert_eq!(
            requests(&messages("abc", &half), true),
            [vec![0, 1], vec![2]]
        );
    }

    #[test]
    fn a_message_that_does_not_fit_is_not_overtaken_by_its_group() {
        let mut all = messages("abb", "x");
        all[0].body = "x".repeat(MAX_BATCH_BYTES - 1);
        all[1].body = "long".into();
        assert_eq!(requests(&all, true), [vec![0], vec![1], vec![2]]);
    }
}
