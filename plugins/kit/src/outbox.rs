//! Publishing: an event is a row of `outbox`, written in the transaction that makes it happen.

use serde_json::Value;
use uuid::Uuid;

use crate::db::{DbError, Transaction};
use crate::{Id, Request, params};

/// An event that is about to happen.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    workspace: Id,
    repository: Option<Id>,
    actor: Option<Id>,
    kind: String,
    subject: String,
    data: Value,
    not_before_ms: Option<i64>,
}

impl NewEvent {
    /// An event of a workspace by nobody in particular: the system.
    pub fn new(
        workspace: Id,
        kind: impl Into<String>,
        subject: impl Into<String>,
        data: Value,
    ) -> Self {
        Self {
            workspace,
            repository: None,
            actor: None,
            kind: kind.into(),
            subject: subject.into(),
            data,
            not_before_ms: None,
        }
    }

    /// An event of a repository, by whoever asks.
    pub fn of(
        request: &Request,
        repository: &crate::Repository,
        kind: impl Into<String>,
        subject: impl Into<String>,
        data: Value,
    ) -> Self {
        Self::new(repository.workspace_id, kind, subject, data)
            .repository(repository.id)
            .actor(request.actor().id)
    }

    /// Asks for a look at the queue of a branch.
    pub fn queue_tick(workspace: Id, repository: Id, branch: &str) -> Self {
        let data = serde_json::json!({ "branch": branch });
        Self::new(workspace, "queue.tick", format!("queue/{branch}"), data).repository(repository)
    }

    /// Says which repository it is about.
    #[must_use]
    pub fn repository(mut self, repository: Id) -> Self {
        self.repository = Some(repository);
        self
    }

    /// Says more than its subject does.
    #[must_use]
    pub fn data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    /// Says who did it.
    #[must_use]
    pub fn actor(mut self, actor: Id) -> Self {
        self.actor = Some(actor);
        self
    }

    /// Holds it back until a time in milliseconds since 1970.
    #[must_use]
    pub fn not_before_ms(mut self, time_ms: i64) -> Self {
        self.not_before_ms = Some(time_ms);
        self
    }
}

/// Publishes an event when the transaction commits; gives its id.
///
/// # Errors
/// As [`DbError`] says.
pub async fn publish(tx: &Transaction, event: NewEvent) -> Result<Uuid, DbError> {
    let id = Uuid::now_v7();
    let NewEvent {
        workspace,
        repository,
        actor,
        kind,
        subject,
        data,
        not_before_ms,
    } = event;
    let params = params![
        id,
        workspace,
        repository,
        actor,
        kind,
        subject,
        data,
        not_before_ms
    ];
    tx.execute(include_str!("sql/outbox_publish.sql"), params)
        .await?;
    Ok(id)
}
