//! How many requests a token may make: a fixed window of an hour from its first request on, as GitHub counts.
//!
//! Each process counts by itself and forgets at its end: the limit keeps one client from taking all there is, it is no
//! account. Behind several hosts a token has that many times as much.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use http::{HeaderName, HeaderValue};

use super::answer::Answer;
use crate::limits;

/// Seconds of a window.
const WINDOW_S: u64 = 60 * 60;

/// A token's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    /// In seconds since 1970.
    ends_s: u64,
    used: u32,
}

/// What a token has left, as of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quota {
    limit: u32,
    used: u32,
    ends_s: u64,
    /// Seconds until there is more, when this request was one too many.
    pub(super) wait_s: Option<u64>,
}

impl Window {
    /// Counts a request at `now_s` in the window that was, or in a new one when that is over. A refused one does not count.
    fn count(before: Option<Self>, now_s: u64, limit: u32) -> (Self, Quota) {
        let window = before.filter(|window| now_s < window.ends_s);
        let mut window = window.unwrap_or(Self {
            ends_s: now_s.saturating_add(WINDOW_S),
            used: 0,
        });
        let is_over = window.used >= limit;
        if !is_over {
            window.used += 1;
        }
        let quota = Quota {
            limit,
            used: window.used,
            ends_s: window.ends_s,
            wait_s: is_over.then(|| window.ends_s - now_s),
        };
        (window, quota)
    }
}

impl Quota {
    /// Puts GitHub's headers on an answer.
    pub(super) fn stamp(&self, answer: &mut Answer) {
        let remaining = self.limit.saturating_sub(self.used);
        let told = [
            ("x-ratelimit-limit", u64::from(self.limit)),
            ("x-ratelimit-remaining", u64::from(remaining)),
            ("x-ratelimit-used", u64::from(self.used)),
            ("x-ratelimit-reset", self.ends_s),
        ];
        let headers = answer.headers_mut();
        for (name, number) in told {
            headers.insert(HeaderName::from_static(name), HeaderValue::from(number));
        }
        let resource = HeaderName::from_static("x-ratelimit-resource");
        headers.insert(resource, HeaderValue::from_static("core"));
    }
}

/// The windows of all tokens, by their ids.
#[derive(Debug)]
pub(super) struct Rates {
    limit: u32,
    windows: Mutex<HashMap<String, Window>>,
}

impl Rates {
    /// `limit` requests an hour for each token.
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit,
            windows: Mutex::default(),
        }
    }

    /// Counts a request of a token.
    pub(super) fn count(&self, token: &str, now_s: u64) -> Quota {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let before = windows.get(token).copied();
        let (window, quota) = Window::count(before, now_s, self.limit);
        if before.is_none() && windows.len() >= limits::RATED_TOKENS {
            make_room(&mut windows, now_s, self.limit);
        }
        windows.insert(token.to_owned(), window);
        quota
    }
}

/// Forgets windows that are over; when that is not enough, all but those of tokens that have nothing left.
fn make_room(windows: &mut HashMap<String, Window>, now_s: u64, limit: u32) {
    windows.retain(|_, window| now_s < window.ends_s);
    if windows.len() >= limits::RATED_TOKENS {
        windows.retain(|_, window| window.used >= limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_000_000;

    #[test]
    fn a_token_has_its_limit_until_its_hour_is_over() {
        let rates = Rates::new(2);
        let told: Vec<_> = (0..3)
            .map(|second| rates.count("ada", NOW + second))
            .map(|quota| (quota.used, quota.ends_s, quota.wait_s))
            .collect();
        let ends_s = NOW + WINDOW_S;
        assert_eq!(
            told,
            [
                (1, ends_s, None),
                (2, ends_s, None),
                (2, ends_s, Some(WINDOW_S - 2))
            ]
        );
        assert_eq!(
            rates.count("bob", NOW).wait_s,
            None,
            "others have their own"
        );
        let next = rates.count("ada", ends_s);
        assert_eq!((next.used, next.ends_s), (1, ends_s + WINDOW_S));
    }

    #[test]
    fn the_headers_are_githubs() {
        let quota = Rates::new(5).count("ada", NOW);
        let mut answer = http::Response::new(super::super::full("x"));
        quota.stamp(&mut answer);
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("x-ratelimit-limit"), "5");
        assert_eq!(header("x-ratelimit-remaining"), "4");
        assert_eq!(header("x-ratelimit-used"), "1");
        assert_eq!(header("x-ratelimit-reset"), (NOW + WINDOW_S).to_string());
        assert_eq!(header("x-ratelimit-resource"), "core");
    }

    #[test]
    fn many_tokens_do_not_fill_the_memory_and_free_nobody_who_is_over() {
        let rates = Rates::new(2);
        for _ in 0..3 {
            rates.count("over", NOW);
        }
        for token in 0..limits::RATED_TOKENS + 10 {
            rates.count(&token.to_string(), NOW);
        }
        let kept = rates.windows.lock().unwrap().len();
        assert!(kept <= limits::RATED_TOKENS, "{kept}");
        assert!(rates.count("over", NOW).wait_s.is_some());
    }
}
