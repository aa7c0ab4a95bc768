//! Handling once: which handler has done which event, noted in the handler's own transaction.

use crate::db::{DbError, Transaction};
use crate::events::Event;
use crate::params;

/// Notes an event as done by a handler; false when it was already, and there is nothing to do. Waits for another
/// delivery of the same event that is being handled now.
///
/// # Errors
/// As [`DbError`] says.
pub async fn begin_once(tx: &Transaction, event: &Event, handler: &str) -> Result<bool, DbError> {
    let params = params![event.id, handler, event.workspace_id()];
    Ok(tx
        .execute(include_str!("sql/inbox_begin_once.sql"), params)
        .await?
        == 1)
}
