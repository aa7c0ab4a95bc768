//! Publishing: a row in `outbox`, in the transaction that makes the event happen.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sqlx::{Postgres, Transaction};

use crate::event::{ActorId, EventId, EventKind, RepositoryId, WorkspaceId};

/// An event to be published.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Its id. One that is already published is not published again: so what a crash left can be settled twice.
    pub id: EventId,
    /// What happened.
    pub kind: EventKind,
    /// The workspace it happened in.
    pub workspace: WorkspaceId,
    /// The repository, when it is about one.
    pub repository: Option<RepositoryId>,
    /// Who did it; none for the system.
    pub actor: Option<ActorId>,
    /// What it is about.
    pub subject: String,
    /// Version of the shape of `data`, from 1.
    pub version: u32,
    /// What happened, in detail.
    pub data: Map<String, Value>,
    /// Not to be handled before.
    pub not_before: Option<DateTime<Utc>>,
}

impl NewEvent {
    /// An event of version 1 with a new id, of the system, about no repository and without data.
    pub fn new(kind: EventKind, workspace: WorkspaceId, subject: impl Into<String>) -> Self {
        Self {
            id: EventId::new(),
            kind,
            workspace,
            repository: None,
            actor: None,
            subject: subject.into(),
            version: 1,
            data: Map::new(),
            not_before: None,
        }
    }
}

const INSERT: &str = "
    INSERT INTO outbox (id, workspace_id, repository_id, actor_id, kind, subject, version, data, not_before)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (id) DO NOTHING";

/// Publishes `event` when `tx` commits, and not at all when it does not. Takes the transaction, so that no caller can
/// publish beside it.
///
/// # Errors
///
/// What the database says; the transaction is then of no use.
pub async fn publish(
    tx: &mut Transaction<'_, Postgres>,
    event: &NewEvent,
) -> Result<EventId, sqlx::Error> {
    let NewEvent {
        id,
        kind,
        workspace,
        repository,
        actor,
        subject,
        version,
        data,
        not_before,
    } = event;
    sqlx::query(INSERT)
        .bind(id)
        .bind(workspace)
        .bind(repository)
        .bind(actor)
        .bind(kind.as_str())
        .bind(subject)
        .bind(i32::try_from(*version).unwrap_or(i32::MAX))
        .bind(sqlx::types::Json(data))
        .bind(not_before)
        .execute(&mut **tx)
        .await?;
    Ok(*id)
}
