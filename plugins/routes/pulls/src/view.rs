//! Reading one pull request.

use g1t_kit::db::{Db, DbError};
use g1t_kit::pulls::Pull;
use g1t_kit::{Fault, Reply, Repository, Request, params};
use serde_json::{Value, json};

use crate::head::head_of;
use crate::rules::{Heads, show_unmet};
use crate::shape::{Detail, full};

/// A pull request, with the rules that do not pass yet, overlaps and its place in the queue.
pub async fn one(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
) -> Result<Reply, Fault> {
    Reply::ok(&json_of(db, request, repository, pull).await?)
}

/// The JSON of a pull request.
pub async fn json_of(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
) -> Result<Value, Fault> {
    let detail = Detail {
        unmet: unmet(db, request, repository, pull).await?,
        overlaps: overlaps(db, pull).await?,
        queue: queue(db, pull).await?,
    };
    Ok(full(request, repository, pull, detail))
}

async fn unmet(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
) -> Result<Vec<Value>, Fault> {
    if !pull.state.is_open() {
        return Ok(Vec::new());
    }
    let head = head_of(repository, &pull.head_branch).await?;
    let base = head_of(repository, &pull.base_branch).await?;
    let (Some(head), Some(base)) = (head, base) else {
        return Ok(Vec::new());
    };
    show_unmet(db, request, repository, pull, &Heads { head, base }).await
}

async fn overlaps(db: &Db, pull: &Pull) -> Result<Vec<Value>, DbError> {
    let rows = db
        .query(include_str!("sql/overlaps.sql"), params![pull.id])
        .await?;
    rows.iter()
        .map(|row| {
            Ok(json!({
                "number": row.get::<i64>("number")?,
                "title": row.get::<String>("title")?,
                "files": row.get::<Vec<String>>("files")?,
            }))
        })
        .collect()
}

async fn queue(db: &Db, pull: &Pull) -> Result<Value, DbError> {
    let Some(row) = db
        .optional(include_str!("sql/queue_entry.sql"), params![pull.id])
        .await?
    else {
        return Ok(Value::Null);
    };
    Ok(json!({
        "entry": row.get::<String>("id")?,
        "state": row.get::<String>("state")?,
        "position": row.get::<i64>("place")?,
        "base": row.get::<String>("base_branch")?,
        "reason": row.get::<String>("reason")?,
        "reason_code": row.get::<String>("reason_code")?,
    }))
}
