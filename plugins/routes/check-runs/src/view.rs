//! Reading runs.

use g1t_kit::db::{Db, Row};
use g1t_kit::percent::encode;
use g1t_kit::shape::node_id;
use g1t_kit::time::rfc3339;
use g1t_kit::{Fault, Id, Page, Reply, Repository, Request, git, params};
use serde_json::{Value, json};

use crate::body::{RESOURCE, Run};
use crate::output::Output;

/// One run.
pub async fn one(
    db: &Db,
    request: &Request,
    repository: &Repository,
    id: Id,
) -> Result<Reply, Fault> {
    Reply::ok(&json_of(
        request,
        repository,
        &find(db, repository, id).await?,
    )?)
}

/// A run's annotations, in the order they came.
pub async fn annotations(
    db: &Db,
    request: &Request,
    repository: &Repository,
    id: Id,
) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let run = run_of(&find(db, repository, id).await?)?;
    let first = page.after_id()?.unwrap_or(page.offset());
    let skip = usize::try_from(first).unwrap_or_default();
    let limit = usize::try_from(page.limit()).unwrap_or_default();
    let annotations: Vec<_> = run
        .output
        .annotations
        .into_iter()
        .skip(skip)
        .take(limit)
        .collect();
    let (annotations, next) = page.cut(annotations, |_| (first + page.per_page()).to_string());
    Reply::list(request, &annotations, next)
}

/// Runs on a commit, newest first. `filter=latest` (what is meant when nothing is said) leaves out runs that a newer one
/// of the same name and reporter replaces; `filter=all` shows all.
pub async fn list(
    db: &Db,
    request: &Request,
    repository: &Repository,
    name: &str,
) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let latest = match request.query("filter") {
        None | Some("latest") => true,
        Some("all") => false,
        Some(_) => {
            return Err(Fault::field(
                RESOURCE,
                "filter",
                "must be `latest` or `all`",
            ));
        }
    };
    let sha = resolve(repository, name).await?;
    let (check, status) = (request.query("check_name"), request.query("status"));
    let counted = params![repository.id, sha, latest, check, status];
    let count = db.one(include_str!("sql/count.sql"), counted).await?;
    let params = params![
        repository.id,
        sha,
        latest,
        check,
        status,
        page.after_id()?,
        page.limit(),
        page.offset()
    ];
    let mut runs = Vec::new();
    for row in db.query(include_str!("sql/list.sql"), params).await? {
        runs.push((row.get::<Id>("id")?, json_of(request, repository, &row)?));
    }
    let (runs, next) = page.cut(runs, |(id, _)| id.to_string());
    let runs: Vec<Value> = runs.into_iter().map(|(_, json)| json).collect();
    let total: i64 = count.get("total")?;
    let reply = Reply::ok(&json!({ "total_count": total, "check_runs": runs }))?;
    Ok(match next {
        Some(cursor) => reply.next_page(request, &cursor),
        None => reply,
    })
}

/// There is none of that number here.
pub fn no_run(id: impl std::fmt::Display) -> Fault {
    Fault::not_found(format!("The check run {id}"))
}

/// The run of a row of `sql/one.sql`.
pub fn run_of(row: &Row) -> Result<Run, Fault> {
    let output: Output = serde_json::from_value(row.get("output")?)
        .map_err(|error| Fault::internal(format!("output of a check run: {error}")))?;
    Ok(Run {
        name: row.get("name")?,
        status: row.get("status")?,
        conclusion: row.get("conclusion")?,
        started_at_ms: row.get("started_at_ms")?,
        completed_at_ms: row.get("completed_at_ms")?,
        details_url: row.get("details_url")?,
        external_id: row.get("external_id")?,
        output,
    })
}

/// GitHub's check run, from a row of `sql/one.sql` or `sql/list.sql`. Who reported it stands where GitHub has an app.
pub fn json_of(request: &Request, repository: &Repository, row: &Row) -> Result<Value, Fault> {
    let run = run_of(row)?;
    let id: Id = row.get("id")?;
    let (workspace, name) = (encode(&repository.workspace), encode(&repository.name));
    let url = request.api_url(&format!("/repos/{workspace}/{name}/check-runs/{id}"));
    let text = |text: String| Some(text).filter(|text| !text.is_empty());
    let reporter: Id = row.get("reporter_id")?;
    let login: String = row.get("reporter_login")?;
    let reporter_name = text(row.get("reporter_name")?).unwrap_or_else(|| login.clone());
    Ok(json!({
        "id": id,
        "node_id": node_id("CheckRun", id),
        "name": run.name,
        "head_sha": row.get::<String>("sha")?,
        "external_id": run.external_id,
        "url": url,
        "html_url": format!("{}/{workspace}/{name}/runs/{id}", request.public_url()),
        "details_url": text(run.details_url),
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": run.started_at_ms.map(rfc3339),
        "completed_at": run.completed_at_ms.map(rfc3339),
        "output": {
            "title": run.output.title,
            "summary": run.output.summary,
            "text": run.output.text,
            "annotations_count": run.output.annotations.len(),
            "annotations_url": format!("{url}/annotations"),
        },
        "check_suite": { "id": row.get::<Id>("suite_id")? },
        "app": {
            "id": reporter,
            "node_id": node_id("User", reporter),
            "slug": login,
            "name": reporter_name,
        },
        "pull_requests": [],
    }))
}

async fn find(db: &Db, repository: &Repository, id: Id) -> Result<Row, Fault> {
    let row = db
        .optional(include_str!("sql/one.sql"), params![repository.id, id])
        .await?;
    row.ok_or_else(|| no_run(id))
}

/// The commit of a branch, a tag or an id; GitHub writes refs as `heads/main` too.
async fn resolve(repository: &Repository, name: &str) -> Result<String, Fault> {
    let id = repository.git_id();
    let mut found = git::resolve(id, name.to_owned()).await?;
    if found.is_none() && (name.starts_with("heads/") || name.starts_with("tags/")) {
        found = git::resolve(id, format!("refs/{name}")).await?;
    }
    found.ok_or_else(|| Fault::not_found(format!("The commit {name}")))
}

#[cfg(test)]
mod tests;
