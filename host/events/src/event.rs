//! An event and its ids, and the body of the message it travels in.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::limits::MAX_BODY_BYTES;

/// An event's id for ever: a UUIDv7. A second delivery has the same one.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type,
)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct EventId(pub Uuid);

impl EventId {
    /// A new id, later than all that were made before in this process.
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }
}

impl Default for EventId {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Makes a newtype for the number of a row.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type)]
        #[serde(transparent)]
        #[sqlx(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// Number of a workspace.
    WorkspaceId
}
number! {
    /// Number of a repository.
    RepositoryId
}
number! {
    /// Number of the user who did something.
    ActorId
}

/// A dotted lower-case word, such as `git.push`: the same rule as the CHECK of `outbox.kind`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EventKind(String);

/// A word that is no kind of event.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no kind of event: write lower-case words joined by dots, such as `pull.merged`")]
pub struct BadKind(pub String);

impl EventKind {
    /// The kind as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for EventKind {
    type Error = BadKind;

    fn try_from(text: String) -> Result<Self, BadKind> {
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        };
        if text.contains('.') && text.split('.').all(is_word) {
            Ok(Self(text))
        } else {
            Err(BadKind(text))
        }
    }
}

impl TryFrom<&str> for EventKind {
    type Error = BadKind;

    fn try_from(text: &str) -> Result<Self, BadKind> {
        Self::try_from(text.to_owned())
    }
}

impl From<EventKind> for String {
    fn from(kind: EventKind) -> Self {
        kind.0
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Messages of one group are handed out in the order they were sent, one at a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(String);

impl GroupId {
    /// The group of a repository's events, or, for those that are about none, of their workspace's.
    pub fn of(workspace: WorkspaceId, repository: Option<RepositoryId>) -> Self {
        match repository {
            Some(repository) => Self(repository.to_string()),
            None => Self(format!("w{workspace}")),
        }
    }

    /// A group by its name.
    pub fn named(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Something that happened, as `g1t:events/types.event` has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Unique for ever.
    pub id: EventId,
    /// What happened.
    pub kind: EventKind,
    /// The workspace it happened in.
    pub workspace: WorkspaceId,
    /// The repository, when it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<RepositoryId>,
    /// Who did it; none for the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<ActorId>,
    /// What it is about, such as `pull/12`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// When it happened; milliseconds since 1970 in the message.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub time: DateTime<Utc>,
    /// Version of the shape of `data` for this kind, from 1.
    pub version: u32,
    /// An object whose shape `kind` and `version` say.
    pub data: Map<String, Value>,
}

/// A message body that is no event.
#[derive(Debug, thiserror::Error)]
#[error("the message is no event of this version of g1t-work")]
pub struct Unreadable(#[source] serde_json::Error);

/// An event that no queue would take.
#[derive(Debug, thiserror::Error)]
pub enum Unsendable {
    /// The body is too long.
    #[error(
        "the event has {bytes} bytes as a message and {MAX_BODY_BYTES} are allowed: put less into `data`"
    )]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It is no JSON.
    #[error("the event does not become JSON")]
    Json(#[source] serde_json::Error),
}

impl Event {
    /// The group it is sent in.
    pub fn group(&self) -> GroupId {
        GroupId::of(self.workspace, self.repository)
    }

    /// The body of its message.
    ///
    /// # Errors
    ///
    /// When it is above [`MAX_BODY_BYTES`].
    pub fn to_body(&self) -> Result<String, Unsendable> {
        let json = serde_json::to_string(self).map_err(Unsendable::Json)?;
        let body = escaped(&json);
        if body.len() > MAX_BODY_BYTES {
            return Err(Unsendable::TooLong { bytes: body.len() });
        }
        Ok(body)
    }

    /// Reads the body of a message.
    ///
    /// # Errors
    ///
    /// When it is no event.
    pub fn from_body(body: &str) -> Result<Self, Unreadable> {
        serde_json::from_str(body).map_err(Unreadable)
    }
}

/// JSON with all that lies beyond U+FFFD as escapes; it only stands inside strings. SQS takes no U+FFFE and U+FFFF in a
/// body, and some servers of its protocol nothing above them.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c <= '\u{FFFD}' {
            text.push(c);
        } else {
            let units = c
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<String>();
            text.push_str(&units);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: Value) -> Event {
        let Value::Object(data) = data else {
            panic!("data is an object")
        };
        Event {
            id: EventId(Uuid::from_u128(7)),
            kind: EventKind::try_from("git.push").expect("a kind"),
            workspace: WorkspaceId(3),
            repository: Some(RepositoryId(12)),
            actor: None,
            subject: "refs/heads/main".into(),
            time: DateTime::from_timestamp_millis(1_700_000_000_123).expect("a time"),
            version: 1,
            data,
        }
    }

    #[test]
    fn the_body_is_the_event() {
        let event = event(serde_json::json!({"forced": false}));
        let body = event.to_body().expect("short enough");
        assert_eq!(
            body,
            r#"{"id":"00000000-0000-0000-0000-000000000007","kind":"git.push","workspace":3,"repository":12,"subject":"refs/heads/main","time":1700000000123,"version":1,"data":{"forced":false}}"#
        );
        assert_eq!(Event::from_body(&body).expect("readable"), event);
    }

    #[test]
    fn characters_that_sqs_refuses_are_escaped() {
        let event = event(serde_json::json!({"name": "a\u{FFFF}b\u{FFFE}\u{1}🦀ü"}));
        let body = event.to_body().expect("short enough");
        assert!(
            body.chars().all(|c| (' '..='\u{FFFD}').contains(&c)),
            "{body}"
        );
        assert_eq!(Event::from_body(&body).expect("readable"), event);
    }

    #[test]
    fn an_event_too_long_for_the_queue_is_refused_here() {
        let fits = event(serde_json::json!({"text": "x".repeat(MAX_BODY_BYTES - 1024)}));
        assert!(fits.to_body().is_ok());
        let long = event(serde_json::json!({"text": "x".repeat(MAX_BODY_BYTES)}));
        assert!(matches!(long.to_body(), Err(Unsendable::TooLong { .. })));
    }

    #[test]
    fn kinds_are_dotted_words() {
        for kind in ["git.push", "merge_group.checks_requested", "a.b.c"] {
            assert!(EventKind::try_from(kind).is_ok(), "{kind}");
        }
        for kind in [
            "",
            "push",
            "git.",
            ".push",
            "git..push",
            "Git.push",
            "git.push2",
            "git push.x",
        ] {
            assert!(EventKind::try_from(kind).is_err(), "{kind}");
        }
    }

    #[test]
    fn events_of_a_repository_are_one_group_and_the_others_their_workspaces() {
        assert_eq!(
            GroupId::of(WorkspaceId(3), Some(RepositoryId(12))).as_str(),
            "12"
        );
        assert_eq!(GroupId::of(WorkspaceId(3), None).as_str(), "w3");
    }
}
