//! Writing, changing and removing rulesets. Queues are looked at afterwards: what they wait for may have changed.

use g1t_kit::db::{Db, DbError, Row, Transaction};
use g1t_kit::facts::Stored;
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::{Fault, FieldError, Id, Reply, Request, idempotency, judge, params};
use serde_json::json;

use crate::body::{Body, RESOURCE, blank};
use crate::place::Place;
use crate::row::Ruleset;
use crate::view::no_ruleset;

/// Writes a new ruleset.
pub async fn create(db: Db, request: &Request, place: &Place) -> Result<Reply, Fault> {
    let body: Body = request.github_json()?;
    let stored = checked(body, blank(place.repository_id().is_none()))?;
    let tx = db.begin().await?;
    if let Some(reply) = idempotency::answered(&tx, request).await? {
        return Ok(reply);
    }
    let params = params![
        place.workspace_id(),
        place.repository_id(),
        stored.name,
        stored.target,
        stored.enforcement,
        stored.include,
        stored.exclude,
        stored.repositories,
        stored.bypass,
        stored.rules
    ];
    let row = tx.one(include_str!("sql/insert.sql"), params).await;
    let ruleset = written(row, &stored)?;
    announce(&tx, request, place, &ruleset.stored, "ruleset.created").await?;
    let json = ruleset.json(request, place);
    let address = request.api_url(&format!("{}/{}", place.path(), ruleset.stored.id));
    let reply = Reply::created(&json)?.location(address);
    idempotency::keep(&tx, request, &reply).await?;
    tx.commit().await?;
    Ok(reply)
}

/// Changes a ruleset: fields that are left out stay as they are.
pub async fn update(db: Db, request: &Request, place: &Place, id: Id) -> Result<Reply, Fault> {
    let body: Body = request.github_json()?;
    let tx = db.begin().await?;
    let before = held(&tx, place, id).await?;
    let stored = checked(body, before.stored)?;
    let params = params![
        place.workspace_id(),
        id,
        stored.name,
        stored.target,
        stored.enforcement,
        stored.include,
        stored.exclude,
        stored.repositories,
        stored.bypass,
        stored.rules
    ];
    let row = tx.one(include_str!("sql/update.sql"), params).await;
    let ruleset = written(row, &stored)?;
    announce(&tx, request, place, &ruleset.stored, "ruleset.updated").await?;
    tx.commit().await?;
    Reply::ok(&ruleset.json(request, place))
}

/// Removes a ruleset.
pub async fn delete(db: Db, request: &Request, place: &Place, id: Id) -> Result<Reply, Fault> {
    let tx = db.begin().await?;
    let before = held(&tx, place, id).await?;
    let params = params![place.workspace_id(), id];
    tx.execute(include_str!("sql/delete.sql"), params).await?;
    announce(&tx, request, place, &before.stored, "ruleset.deleted").await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// A ruleset of this very place, held until the transaction ends.
async fn held(tx: &Transaction, place: &Place, id: Id) -> Result<Ruleset, Fault> {
    let params = params![place.workspace_id(), place.repository_id(), id];
    let row = tx.optional(include_str!("sql/hold.sql"), params).await?;
    Ok(Ruleset::from_row(&row.ok_or_else(|| no_ruleset(id))?)?)
}

/// What the judge would take.
fn checked(body: Body, stored: Stored) -> Result<Stored, Fault> {
    let stored = body.over(stored)?;
    let errors = judge::check_ruleset(&stored.ruleset());
    if errors.is_empty() {
        return Ok(stored);
    }
    let error = |error: g1t_kit::types::FieldError| {
        FieldError::new(RESOURCE, &error.field, &error.code, error.message)
    };
    Err(Fault::validation(errors.into_iter().map(error).collect()))
}

fn written(row: Result<Row, DbError>, stored: &Stored) -> Result<Ruleset, Fault> {
    match row {
        Ok(row) => Ok(Ruleset::from_row(&row)?),
        Err(error) if error.is_unique() => {
            let why = format!(
                "there is a ruleset named {} already; take another name",
                stored.name
            );
            let error = FieldError::new(RESOURCE, "name", "already_exists", why);
            Err(Fault::validation(vec![error]))
        }
        Err(error) => Err(error.into()),
    }
}

/// Publishes the change, and asks for a look at every queue it may concern.
async fn announce(
    tx: &Transaction,
    request: &Request,
    place: &Place,
    stored: &Stored,
    kind: &str,
) -> Result<(), Fault> {
    let workspace = place.workspace_id();
    let data = json!({
        "id": stored.id,
        "name": stored.name,
        "target": stored.target,
        "enforcement": stored.enforcement,
    });
    let mut event = NewEvent::new(workspace, kind, format!("ruleset/{}", stored.id), data)
        .actor(request.actor().id);
    if let Some(repository) = place.repository_id() {
        event = event.repository(repository);
    }
    publish(tx, event).await?;
    let params = params![workspace, place.repository_id()];
    for row in tx.query(include_str!("sql/queues.sql"), params).await? {
        let branch: String = row.get("base_branch")?;
        let tick = NewEvent::queue_tick(workspace, row.get("repository_id")?, &branch);
        publish(tx, tick).await?;
    }
    Ok(())
}
