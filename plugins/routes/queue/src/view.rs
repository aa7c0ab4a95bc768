//! Reading a queue.

use g1t_kit::db::Db;
use g1t_kit::{Fault, Reply, Repository, Request, params};
use serde_json::{Value, json};

use crate::entry::{Check, Entry, attempt};

/// The queue of a branch: entries in order, then those that left last. A branch without a queue has an empty one.
pub async fn queue(
    db: &Db,
    request: &Request,
    repository: &Repository,
    branch: &str,
) -> Result<Reply, Fault> {
    let live = entries(db, request, repository, branch, true).await?;
    let recent = entries(db, request, repository, branch, false).await?;
    let candidates: Vec<String> = live
        .iter()
        .chain(&recent)
        .filter_map(|entry| entry.candidate.clone())
        .collect();
    let checks = checks(db, repository, &candidates).await?;
    let json = |entries: Vec<Entry>| {
        entries
            .into_iter()
            .map(|entry| entry.json(&checks))
            .collect::<Vec<Value>>()
    };
    Reply::ok(&json!({ "branch": branch, "entries": json(live), "recent": json(recent) }))
}

/// One entry with every build it has had.
pub async fn one(
    db: &Db,
    request: &Request,
    repository: &Repository,
    id: &str,
) -> Result<Reply, Fault> {
    Reply::ok(&json_of(db, request, repository, id).await?)
}

/// The JSON of one entry with every build it has had.
pub async fn json_of(
    db: &Db,
    request: &Request,
    repository: &Repository,
    id: &str,
) -> Result<Value, Fault> {
    let entry = find(db, request, repository, id).await?;
    let mut attempts = Vec::new();
    for row in db
        .query(include_str!("sql/attempts.sql"), params![id])
        .await?
    {
        attempts.push(attempt(&row)?);
    }
    let candidates: Vec<String> = entry.candidate.iter().cloned().collect();
    let checks = checks(db, repository, &candidates).await?;
    let mut json = entry.json(&checks);
    json["attempts"] = json!(attempts);
    Ok(json)
}

/// An entry by its id.
pub async fn find(
    db: &Db,
    request: &Request,
    repository: &Repository,
    id: &str,
) -> Result<Entry, Fault> {
    let params = params![repository.id, None::<String>, true, id];
    let row = db.optional(include_str!("sql/entries.sql"), params).await?;
    let row = row.ok_or_else(|| Fault::not_found(format!("The queue entry {id}")))?;
    Ok(Entry::from_row(request, repository, &row)?)
}

async fn entries(
    db: &Db,
    request: &Request,
    repository: &Repository,
    branch: &str,
    is_live: bool,
) -> Result<Vec<Entry>, Fault> {
    let params = params![repository.id, branch, is_live, None::<String>];
    let rows = db.query(include_str!("sql/entries.sql"), params).await?;
    Ok(rows
        .iter()
        .map(|row| Entry::from_row(request, repository, row))
        .collect::<Result<_, _>>()?)
}

async fn checks(
    db: &Db,
    repository: &Repository,
    candidates: &[String],
) -> Result<Vec<Check>, Fault> {
    let rows = db
        .query(
            include_str!("sql/checks.sql"),
            params![repository.id, candidates],
        )
        .await?;
    Ok(rows.iter().map(Check::from_row).collect::<Result<_, _>>()?)
}
