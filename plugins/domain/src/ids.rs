//! Ids, object names and moments, each a type of its own so that none can be taken for another.

use std::fmt;
use std::time::Duration;

/// A git object id: 40 or 64 lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(String);

/// A text that is no object id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an object id: give 40 or 64 lower-case hex digits")]
pub struct InvalidOid(pub String);

impl Oid {
    /// Reads an object id.
    ///
    /// # Errors
    ///
    /// [`InvalidOid`] for anything but 40 or 64 lower-case hex digits. Short ids are not taken: they may stop being
    /// unique.
    pub fn parse(text: &str) -> Result<Self, InvalidOid> {
        let is_hex = text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && matches!(text.len(), 40 | 64) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidOid(text.chars().take(80).collect()))
        }
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True for the id of zeros, which stands for a ref that does not exist.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.bytes().all(|byte| byte == b'0')
    }

    /// The first ten digits, for people.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An entry of a merge queue: `qe_` and a UUIDv7.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(String);

/// One build of an entry: `qa_` and a UUIDv7.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptId(String);

macro_rules! text_id {
    ($name:ident) => {
        impl $name {
            /// Takes the id as it is stored.
            #[must_use]
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as it is stored.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(EntryId);
text_id!(AttemptId);

/// The number of a pull request in its repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PullNumber(pub u64);

impl fmt::Display for PullNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A moment: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(pub i64);

impl Time {
    /// The moment `duration` later; the end of time when there is none.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let ms = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_whole_ids_only() {
        let sha1 = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(
            Oid::parse(sha1).map(|oid| oid.to_string()),
            Ok(sha1.to_owned())
        );
        assert!(Oid::parse(&"a".repeat(64)).is_ok());
        for wrong in [
            "",
            "0123456",
            &sha1.to_uppercase(),
            &format!("{sha1}0"),
            "main",
            &"é".repeat(20),
        ] {
            assert_eq!(Oid::parse(wrong), Err(InvalidOid(wrong.to_owned())));
        }
    }

    #[test]
    fn knows_the_id_of_nothing() {
        assert!(Oid::parse(&"0".repeat(40)).is_ok_and(|oid| oid.is_zero()));
        assert!(Oid::parse(&format!("{}1", "0".repeat(39))).is_ok_and(|oid| !oid.is_zero()));
    }

    #[test]
    fn a_moment_does_not_wrap_around() {
        assert_eq!(Time(5).plus(Duration::from_secs(2)), Time(2_005));
        assert_eq!(Time(5).plus(Duration::MAX), Time(i64::MAX));
    }
}
