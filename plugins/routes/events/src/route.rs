//! Reading events.
//!
//! Wanted: a program that reads `order=asc` from cursor to cursor misses nothing. The race: numbers are given when an event
//! is written and seen when its transaction commits, so a lower number may turn up after a higher one. Hence ascending
//! reads stop before what a transaction in flight might still fill in: with no writer about, all that was seen before
//! looking for writers is settled; else what is older than transactions last is. Events that are held back are shown when
//! they are due: they are wake-up calls, and a program that polls may miss them.

use g1t_kit::db::{Db, Row};
use g1t_kit::time::rfc3339;
use g1t_kit::{Fault, Id, Reply, Request, Scope, no_such_route, no_workspace, params};
use serde_json::{Value, json};

use crate::ask::{Ask, Order};

/// Answers a request.
pub async fn route(request: &Request) -> Result<Reply, Fault> {
    match (request.method().as_str(), request.segments().as_slice()) {
        ("GET", ["workspaces", _, "events"]) => list(request).await,
        _ => Err(no_such_route(request)),
    }
}

/// What the asker may see of a workspace.
struct Sight {
    workspace: Id,
    is_member: bool,
    repositories: Vec<Id>,
}

async fn list(request: &Request) -> Result<Reply, Fault> {
    let ask = Ask::of(request)?;
    let db = Db::open().await?;
    let sight = sight(&db, request).await?;
    let rows = match ask.order {
        Order::Descending => {
            let params = params![
                sight.workspace,
                sight.repositories,
                sight.is_member,
                ask.kinds,
                ask.after,
                ask.per_page + 1
            ];
            db.query(include_str!("sql/descending.sql"), params).await?
        }
        Order::Ascending => {
            let params = params![
                sight.workspace,
                sight.repositories,
                sight.is_member,
                ask.kinds,
                ask.after,
                ask.per_page + 1,
                settled(&db, sight.workspace).await?
            ];
            db.query(include_str!("sql/ascending.sql"), params).await?
        }
    };
    let shown = usize::try_from(ask.per_page).unwrap_or(usize::MAX);
    let events = rows
        .iter()
        .take(shown)
        .map(event)
        .collect::<Result<Vec<_>, _>>()?;
    let next = match rows.get(shown.saturating_sub(1)) {
        Some(last) if rows.len() > shown => Some(last.get::<Id>("seq")?.to_string()),
        Some(_) | None => None,
    };
    Reply::list(request, &events, next)
}

/// Members see the workspace's own events, others only those of repositories they may read; whoever sees nothing is told
/// that there is no such workspace.
async fn sight(db: &Db, request: &Request) -> Result<Sight, Fault> {
    let workspace = request.workspace()?;
    request.actor().require_scope(Scope::RepoRead)?;
    let params = params![request.actor().id, workspace.id];
    let row = db.one(include_str!("sql/sight.sql"), params).await?;
    let sight = Sight {
        workspace: workspace.id,
        is_member: row.get("is_member")?,
        repositories: row.get("repositories")?,
    };
    if !sight.is_member && sight.repositories.is_empty() {
        return Err(no_workspace());
    }
    Ok(sight)
}

/// Number up to which no event can still turn up.
async fn settled(db: &Db, workspace: Id) -> Result<Id, Fault> {
    let newest = db
        .one(include_str!("sql/newest.sql"), params![workspace])
        .await?;
    // A statement of its own, after the one above: who wrote what that one did not see is found here, or has committed.
    let writers = db.one(include_str!("sql/writers.sql"), params![]).await?;
    let column = if writers.get("any")? {
        "newest_old"
    } else {
        "newest"
    };
    Ok(newest.get(column)?)
}

fn event(row: &Row) -> Result<Value, Fault> {
    Ok(json!({
        "cursor": row.get::<Id>("seq")?.to_string(),
        "id": row.get::<String>("id")?,
        "kind": row.get::<String>("kind")?,
        "repository": row.get::<Option<String>>("repository")?,
        "repository_id": row.get::<Option<Id>>("repository_id")?,
        "actor": row.get::<Option<String>>("actor")?,
        "subject": row.get::<String>("subject")?,
        "time": rfc3339(row.get("created_at_ms")?),
        "version": row.get::<i32>("version")?,
        "data": row.get::<Value>("data")?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spin_sdk::pg::DbValue;

    #[test]
    fn an_event_shows_its_cursor_as_text() {
        let row = Row::of(&[
            ("seq", DbValue::Int64(9_007_199_254_740_993)),
            ("id", DbValue::Uuid("0190".into())),
            ("kind", DbValue::Str("git.push".into())),
            ("repository", DbValue::DbNull),
            ("repository_id", DbValue::DbNull),
            ("actor", DbValue::Str("ada".into())),
            ("subject", DbValue::Str("refs/heads/main".into())),
            ("created_at_ms", DbValue::Int64(1_700_000_000_000)),
            ("version", DbValue::Int32(1)),
            ("data", DbValue::Jsonb(b"{}".to_vec())),
        ]);
        let event = event(&row).expect("it is right");
        assert_eq!(event["cursor"], "9007199254740993");
        assert_eq!(event["repository"], Value::Null);
        assert_eq!(event["time"], "2023-11-14T22:13:20Z");
    }
}
