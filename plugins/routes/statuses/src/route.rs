//! Which request is answered where, and taking a report in.

use g1t_kit::access::{self, Need};
use g1t_kit::db::Db;
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::{Fault, Reply, Repository, Request, git, idempotency, no_such_route, params};
use serde_json::json;

use crate::body::{Body, RESOURCE, is_sha};
use crate::view;

/// Answers a request.
pub async fn route(request: &Request) -> Result<Reply, Fault> {
    let segments = request.segments();
    let ["repos", _, repo, rest @ ..] = segments.as_slice() else {
        return Err(no_such_route(request));
    };
    let db = Db::open().await?;
    match (request.method().as_str(), rest) {
        ("POST", ["statuses", sha]) => {
            let repository = access::repository(&db, request, repo, Need::Checks).await?;
            create(db, request, &repository, sha).await
        }
        ("GET", ["commits", name, "status"]) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            view::combined(&db, request, &repository, name).await
        }
        ("GET", ["commits", name, "statuses"]) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            view::list(&db, request, &repository, name).await
        }
        _ => Err(no_such_route(request)),
    }
}

async fn create(
    db: Db,
    request: &Request,
    repository: &Repository,
    sha: &str,
) -> Result<Reply, Fault> {
    let report = request.github_json::<Body>()?.report()?;
    let sha = commit(repository, sha).await?;
    let tx = db.begin().await?;
    if let Some(reply) = idempotency::answered(&tx, request).await? {
        return Ok(reply);
    }
    let params = params![
        repository.workspace_id,
        repository.id,
        sha,
        report.context,
        report.state,
        report.description,
        report.target_url,
        request.actor().id
    ];
    let row = tx.one(include_str!("sql/insert.sql"), params).await?;
    let data = json!({ "sha": sha, "context": report.context, "state": report.state });
    publish(
        &tx,
        NewEvent::of(request, repository, "status.created", &sha, data),
    )
    .await?;
    let reply = Reply::created(&view::json_of(request, repository, &row)?)?;
    idempotency::keep(&tx, request, &reply).await?;
    tx.commit().await?;
    Ok(reply)
}

/// A commit that is reported on has to be in the repository: a report on anything else would wait there for whoever
/// pushes that commit later.
async fn commit(repository: &Repository, sha: &str) -> Result<String, Fault> {
    let unknown = || {
        let why = format!(
            "no commit with the id {sha} is in {}",
            repository.full_name()
        );
        Fault::field(RESOURCE, "sha", why)
    };
    if !is_sha(sha) {
        return Err(unknown());
    }
    let sha = sha.to_ascii_lowercase();
    match git::resolve(repository.git_id(), sha.clone()).await? {
        Some(found) if found == sha => Ok(sha),
        Some(_) | None => Err(unknown()),
    }
}
