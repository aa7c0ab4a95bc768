//! Making runs and changing them.

use g1t_kit::db::{Db, Row, Transaction};
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::time::now_ms;
use g1t_kit::{Fault, Id, Reply, Repository, Request, git, idempotency, params};
use serde_json::json;

use crate::body::{Body, RESOURCE, Run};
use crate::view::{self, no_run};

/// Makes a run on a commit of the repository.
pub async fn create(db: Db, request: &Request, repository: &Repository) -> Result<Reply, Fault> {
    let mut body: Body = request.github_json()?;
    let sha = body.head_sha.take();
    let run = body.over(Run::blank(), now_ms())?;
    let sha = sha.ok_or_else(|| Fault::missing(RESOURCE, "head_sha"))?;
    let sha = commit(repository, &sha).await?;
    let tx = db.begin().await?;
    if let Some(reply) = idempotency::answered(&tx, request).await? {
        return Ok(reply);
    }
    let params = params![
        repository.workspace_id,
        repository.id,
        sha,
        run.name,
        run.status,
        run.conclusion,
        run.external_id,
        run.details_url,
        json!(run.output),
        request.actor().id,
        run.started_at_ms,
        run.completed_at_ms
    ];
    let id: Id = tx
        .one(include_str!("sql/insert.sql"), params)
        .await?
        .get("id")?;
    announce(
        &tx,
        request,
        repository,
        (id, &sha, &run),
        "check_run.created",
    )
    .await?;
    if run.is_completed() {
        announce(
            &tx,
            request,
            repository,
            (id, &sha, &run),
            "check_run.completed",
        )
        .await?;
    }
    let row = find(&tx, repository, id).await?;
    let json = view::json_of(request, repository, &row)?;
    let address = request.api_url(&format!("{}/check-runs/{id}", repository.api_path()));
    let reply = Reply::created(&json)?.location(address);
    idempotency::keep(&tx, request, &reply).await?;
    tx.commit().await?;
    Ok(reply)
}

/// Changes a run. Only who reported it may: a required check can be pinned to its reporter.
pub async fn update(
    db: Db,
    request: &Request,
    repository: &Repository,
    id: Id,
) -> Result<Reply, Fault> {
    let body: Body = request.github_json_or_empty()?;
    let tx = db.begin().await?;
    let held = params![repository.id, id];
    tx.query(include_str!("sql/hold.sql"), held).await?;
    let row = find(&tx, repository, id).await?;
    if row.get::<Id>("reporter_id")? != request.actor().id {
        return Err(Fault::forbidden(format!(
            "only {}, who reported check run {id}, may change it; report a run of your own",
            row.get::<String>("reporter_login")?
        )));
    }
    let sha: String = row.get("sha")?;
    let before = view::run_of(&row)?;
    let run = body.over(before.clone(), now_ms())?;
    let params = params![
        repository.id,
        id,
        run.name,
        run.status,
        run.conclusion,
        run.external_id,
        run.details_url,
        json!(run.output),
        run.started_at_ms,
        run.completed_at_ms
    ];
    tx.execute(include_str!("sql/update.sql"), params).await?;
    if let Some(kind) = news(&before, &run) {
        announce(&tx, request, repository, (id, &sha, &run), kind).await?;
    }
    let row = find(&tx, repository, id).await?;
    tx.commit().await?;
    Reply::ok(&view::json_of(request, repository, &row)?)
}

/// What a change means to whoever waits for the check: an outcome (also another one, or of another name), or that there is
/// none any more.
fn news(before: &Run, after: &Run) -> Option<&'static str> {
    let told = |run: &Run| (run.name.clone(), run.conclusion.clone());
    if told(before) == told(after) {
        return None;
    }
    let kind = if after.is_completed() {
        "check_run.completed"
    } else {
        "check_run.created"
    };
    Some(kind)
}

async fn find(tx: &Transaction, repository: &Repository, id: Id) -> Result<Row, Fault> {
    let row = tx
        .optional(include_str!("sql/one.sql"), params![repository.id, id])
        .await?;
    row.ok_or_else(|| no_run(id))
}

async fn announce(
    tx: &Transaction,
    request: &Request,
    repository: &Repository,
    (id, sha, run): (Id, &str, &Run),
    kind: &str,
) -> Result<(), Fault> {
    let data = json!({ "sha": sha, "name": run.name, "conclusion": run.conclusion, "id": id });
    publish(tx, NewEvent::of(request, repository, kind, sha, data)).await?;
    Ok(())
}

/// A commit that is reported on has to be in the repository: a report on anything else would wait there for whoever
/// pushes that commit later.
async fn commit(repository: &Repository, sha: &str) -> Result<String, Fault> {
    let unknown = || {
        let why = format!(
            "no commit with the id {sha} is in {}",
            repository.full_name()
        );
        Fault::field(RESOURCE, "head_sha", why)
    };
    let is_whole = sha.len() == 40 && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_whole {
        return Err(unknown());
    }
    let sha = sha.to_ascii_lowercase();
    match git::resolve(repository.git_id(), sha.clone()).await? {
        Some(found) if found == sha => Ok(sha),
        Some(_) | None => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, conclusion: Option<&str>) -> Run {
        Run {
            name: name.into(),
            status: conclusion.map_or("in_progress", |_| "completed").into(),
            conclusion: conclusion.map(str::to_owned),
            ..Run::blank()
        }
    }

    #[test]
    fn an_outcome_is_told_once() {
        let (running, passed) = (run("a", None), run("a", Some("success")));
        assert_eq!(news(&running, &passed), Some("check_run.completed"));
        assert_eq!(news(&passed, &passed), None);
        assert_eq!(
            news(&passed, &run("a", Some("failure"))),
            Some("check_run.completed")
        );
    }

    #[test]
    fn a_run_that_begins_again_is_told() {
        assert_eq!(
            news(&run("a", Some("failure")), &run("a", None)),
            Some("check_run.created")
        );
    }
}
