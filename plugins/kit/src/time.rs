//! Times: milliseconds since 1970 inside, RFC 3339 in UTC outside.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};

/// Now, in milliseconds since 1970. The one clock of a component.
pub fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// RFC 3339 in UTC with whole seconds, as GitHub writes times.
pub fn rfc3339(time_ms: i64) -> String {
    let time = DateTime::from_timestamp_millis(time_ms).unwrap_or(DateTime::UNIX_EPOCH);
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Milliseconds of an RFC 3339 time of any zone.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|time| time.timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_both_ways() {
        assert_eq!(rfc3339(1_700_000_000_999), "2023-11-14T22:13:20Z");
        assert_eq!(
            parse_rfc3339("2023-11-14T23:13:20+01:00"),
            Some(1_700_000_000_000)
        );
        assert_eq!(parse_rfc3339("yesterday"), None);
    }
}
