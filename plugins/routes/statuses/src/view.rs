//! Reading statuses.

use g1t_kit::db::{Db, Row};
use g1t_kit::percent::encode;
use g1t_kit::shape::{User, node_id, owner};
use g1t_kit::time::rfc3339;
use g1t_kit::{Fault, Page, Reply, Repository, Request, git, params};
use serde_json::{Value, json};

/// What the newest report of every context and reporter says together, and each of them.
pub async fn combined(
    db: &Db,
    request: &Request,
    repository: &Repository,
    name: &str,
) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let sha = resolve(repository, name).await?;
    let sum = db
        .one(include_str!("sql/sum.sql"), params![repository.id, sha])
        .await?;
    let params = params![
        repository.id,
        sha,
        page.after_id()?,
        page.limit(),
        page.offset()
    ];
    let rows = db.query(include_str!("sql/latest.sql"), params).await?;
    let (statuses, next) = shown(request, repository, &page, rows)?;
    let url = request.api_url(&format!("{}/commits/{sha}", path(repository)));
    let reply = Reply::ok(&json!({
        "state": sum.get::<String>("state")?,
        "statuses": statuses,
        "sha": sha,
        "total_count": sum.get::<i64>("total")?,
        "repository": repository_json(request, repository),
        "commit_url": url,
        "url": format!("{url}/status"),
    }))?;
    Ok(match next {
        Some(cursor) => reply.next_page(request, &cursor),
        None => reply,
    })
}

/// Every report on a commit, newest first.
pub async fn list(
    db: &Db,
    request: &Request,
    repository: &Repository,
    name: &str,
) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let sha = resolve(repository, name).await?;
    let params = params![
        repository.id,
        sha,
        page.after_id()?,
        page.limit(),
        page.offset()
    ];
    let rows = db.query(include_str!("sql/list.sql"), params).await?;
    let (statuses, next) = shown(request, repository, &page, rows)?;
    Reply::list(request, &statuses, next)
}

fn shown(
    request: &Request,
    repository: &Repository,
    page: &Page,
    rows: Vec<Row>,
) -> Result<(Vec<Value>, Option<String>), Fault> {
    let mut statuses = Vec::new();
    for row in &rows {
        statuses.push((row.get::<i64>("id")?, json_of(request, repository, row)?));
    }
    let (statuses, next) = page.cut(statuses, |(id, _)| id.to_string());
    Ok((statuses.into_iter().map(|(_, json)| json).collect(), next))
}

/// GitHub's status, from a row of `sql/list.sql` or `sql/insert.sql`.
pub fn json_of(request: &Request, repository: &Repository, row: &Row) -> Result<Value, Fault> {
    let id: i64 = row.get("id")?;
    let sha: String = row.get("sha")?;
    let time = rfc3339(row.get("created_at_ms")?);
    let creator = User::from_row(row, "creator")?;
    let text = |text: String| Some(text).filter(|text| !text.is_empty());
    Ok(json!({
        "id": id,
        "node_id": node_id("Status", id),
        "url": request.api_url(&format!("{}/statuses/{sha}", path(repository))),
        "avatar_url": "",
        "state": row.get::<String>("state")?,
        "description": text(row.get("description")?),
        "target_url": text(row.get("target_url")?),
        "context": row.get::<String>("context")?,
        "created_at": time,
        "updated_at": time,
        "creator": creator.map(|user| user.json(request)),
    }))
}

fn repository_json(request: &Request, repository: &Repository) -> Value {
    let path = path(repository);
    json!({
        "id": repository.id,
        "node_id": node_id("Repository", repository.id),
        "name": repository.name,
        "full_name": repository.full_name(),
        "private": repository.private,
        "owner": owner(request, repository.workspace_id, &repository.workspace),
        "description": repository.description,
        "url": request.api_url(&path),
        "html_url": format!("{}/{}", request.public_url(), repository.full_name()),
    })
}

fn path(repository: &Repository) -> String {
    format!(
        "/repos/{}/{}",
        encode(&repository.workspace),
        encode(&repository.name)
    )
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
