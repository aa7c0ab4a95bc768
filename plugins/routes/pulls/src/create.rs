//! Opening a pull request.

use g1t_kit::Scope;
use g1t_kit::db::{Db, Transaction};
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::pulls::{Pull, by_id};
use g1t_kit::{Fault, FieldError, Id, Reply, Repository, Request, idempotency, params};
use serde::Deserialize;

use crate::head::{Stand, head_of, stand};
use crate::shape::summary;

const RESOURCE: &str = "PullRequest";
const MAX_TITLE_CHARACTERS: usize = 256;
const MAX_BODY_BYTES: usize = 262_144;
/// Branches of the queue are g1t's own.
const QUEUE_BRANCHES: &str = "g1t-queue/";

#[derive(Deserialize)]
struct Body {
    title: Option<String>,
    head: Option<String>,
    base: Option<String>,
    body: Option<String>,
    #[serde(default)]
    draft: bool,
}

/// What is to be opened, with both ends as git has them.
struct Opening {
    title: String,
    body: String,
    draft: bool,
    head: String,
    head_sha: String,
    base: String,
    base_sha: String,
    stand: Stand,
}

/// Opens a pull request. Its files, conflicts and overlaps are found out by the event.
pub async fn create(db: Db, request: &Request, repository: &Repository) -> Result<Reply, Fault> {
    request.actor().require_scope(Scope::RepoWrite)?;
    let opening = opening(request, repository).await?;
    let tx = db.begin().await?;
    if let Some(reply) = idempotency::answered(&tx, request).await? {
        return Ok(reply);
    }
    let number = number(&tx, repository).await?;
    refuse_second(&tx, repository, &opening).await?;
    let id = insert(&tx, request, repository, number, &opening).await?;
    let pull = by_id(&tx, repository.id, id).await?;
    let mut data = pull.event_data();
    data["title"] = pull.title.clone().into();
    data["draft"] = opening.draft.into();
    publish(
        &tx,
        NewEvent::of(request, repository, "pull.opened", pull.subject(), data),
    )
    .await?;
    let reply = reply(request, repository, &pull)?;
    idempotency::keep(&tx, request, &reply).await?;
    tx.commit().await?;
    Ok(reply)
}

fn reply(request: &Request, repository: &Repository, pull: &Pull) -> Result<Reply, Fault> {
    let mut json = summary(request, repository, pull);
    json["merged"] = false.into();
    json["mergeable"] = serde_json::Value::Null;
    json["mergeable_state"] = "unknown".into();
    let location = json["url"].as_str().unwrap_or_default().to_owned();
    Ok(Reply::created(&json)?.location(location))
}

async fn opening(request: &Request, repository: &Repository) -> Result<Opening, Fault> {
    let body: Body = request.github_json()?;
    let mut errors = Vec::new();
    let mut required =
        |field: &str, value: Option<String>| match value.filter(|value| !value.trim().is_empty()) {
            Some(value) => value,
            None => {
                errors.push(FieldError::missing(RESOURCE, field));
                String::new()
            }
        };
    let title = required("title", body.title);
    let head = required("head", body.head);
    let base = required("base", body.base);
    let text = body.body.unwrap_or_default();
    errors.extend(text_errors(&title, &text));
    let head = head_branch(repository, &head)
        .map_err(|error| errors.push(error))
        .unwrap_or_default();
    if !errors.is_empty() {
        return Err(Fault::validation(errors));
    }
    let (head_sha, base_sha) = ends(repository, &head, &base).await?;
    let stand = stand(repository, &base_sha, &head_sha).await?;
    if stand.ahead == 0 {
        return Err(custom(format!("No commits between {base} and {head}")));
    }
    Ok(Opening {
        title,
        body: text,
        draft: body.draft,
        head,
        head_sha,
        base,
        base_sha,
        stand,
    })
}

/// What is wrong with a title and a body.
pub fn text_errors(title: &str, body: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if title.chars().count() > MAX_TITLE_CHARACTERS {
        let message = format!("a title has at most {MAX_TITLE_CHARACTERS} characters");
        errors.push(FieldError::invalid(RESOURCE, "title", message));
    }
    if body.len() > MAX_BODY_BYTES {
        let message = format!("a body has at most {MAX_BODY_BYTES} bytes");
        errors.push(FieldError::invalid(RESOURCE, "body", message));
    }
    errors
}

/// `branch` or `workspace:branch` of this repository; the branches of the queue are not to be had.
fn head_branch(repository: &Repository, head: &str) -> Result<String, FieldError> {
    let branch = match head.split_once(':') {
        Some((owner, branch)) if owner.eq_ignore_ascii_case(&repository.workspace) => branch,
        Some((owner, _)) => {
            let message =
                format!("heads in repositories of {owner} are not taken; push the branch here");
            return Err(FieldError::invalid(RESOURCE, "head", message));
        }
        None => head,
    };
    if branch.starts_with(QUEUE_BRANCHES) {
        return Err(FieldError::invalid(
            RESOURCE,
            "head",
            "branches of the merge queue cannot be proposed",
        ));
    }
    Ok(branch.to_owned())
}

/// Both heads, of two branches that are there and are not the same.
pub async fn ends(
    repository: &Repository,
    head: &str,
    base: &str,
) -> Result<(String, String), Fault> {
    let head_sha = head_of(repository, head).await?;
    let base_sha = head_of(repository, base).await?;
    let mut errors = Vec::new();
    for (field, branch, sha) in [("head", head, &head_sha), ("base", base, &base_sha)] {
        if sha.is_none() {
            errors.push(FieldError::invalid(
                RESOURCE,
                field,
                format!("there is no branch {branch}"),
            ));
        }
    }
    if head == base {
        errors.push(FieldError::invalid(
            RESOURCE,
            "base",
            "a branch cannot be merged into itself",
        ));
    }
    match (head_sha, base_sha) {
        (Some(head_sha), Some(base_sha)) if errors.is_empty() => Ok((head_sha, base_sha)),
        _ => Err(Fault::validation(errors)),
    }
}

/// GitHub's 422 for what is wrong with no single field.
pub fn custom(message: String) -> Fault {
    Fault::validation(vec![FieldError::new(RESOURCE, "base", "custom", message)])
}

/// The next number of the workspace, above every number the repository has had.
async fn number(tx: &Transaction, repository: &Repository) -> Result<i64, Fault> {
    let row = tx
        .one(include_str!("sql/number_lock.sql"), params![repository.id])
        .await?;
    let last: i64 = row.get("last_pull_number")?;
    let params = params![repository.id, repository.workspace_id, last];
    Ok(tx
        .one(include_str!("sql/number_take.sql"), params)
        .await?
        .get("number")?)
}

async fn refuse_second(
    tx: &Transaction,
    repository: &Repository,
    opening: &Opening,
) -> Result<(), Fault> {
    let params = params![repository.id, opening.head, opening.base];
    if tx
        .optional(include_str!("sql/open_number.sql"), params)
        .await?
        .is_none()
    {
        return Ok(());
    }
    Err(custom(format!(
        "A pull request already exists for {}:{}.",
        repository.workspace, opening.head
    )))
}

async fn insert(
    tx: &Transaction,
    request: &Request,
    repository: &Repository,
    number: i64,
    opening: &Opening,
) -> Result<Id, Fault> {
    let params = params![
        repository.workspace_id,
        repository.id,
        number,
        opening.title,
        opening.body,
        if opening.draft { "draft" } else { "open" },
        request.actor().id,
        opening.base,
        opening.head,
        opening.head_sha,
        opening.base_sha,
        opening.stand.ahead,
        opening.stand.behind,
    ];
    Ok(tx
        .one(include_str!("sql/insert.sql"), params)
        .await?
        .get("id")?)
}
