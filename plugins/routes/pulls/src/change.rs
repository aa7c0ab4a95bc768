//! Changing a pull request: its words, whether it is open, what it wants to merge into.

use g1t_domain::queue::Removal;
use g1t_kit::Scope;
use g1t_kit::db::{Db, Transaction};
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::pulls::{
    self, Place, Pull, PullState, by_id, record_closed, record_merged, tick_queues,
};
use g1t_kit::types::Role;
use g1t_kit::{Fault, Reply, Repository, Request, params, queues};
use serde::Deserialize;
use serde_json::json;

use crate::create::{custom, ends, text_errors};
use crate::head::stand;
use crate::merge::landed;
use crate::view;

#[derive(Deserialize)]
struct Body {
    title: Option<String>,
    body: Option<String>,
    state: Option<String>,
    base: Option<String>,
    draft: Option<bool>,
}

/// What is asked for, put together.
struct Wanted {
    title: String,
    body: String,
    state: PullState,
    base: String,
}

/// Changes what the body names. The author may; others need `triage` to close and reopen, `write` for the rest.
pub async fn change(
    db: Db,
    request: &Request,
    repository: &Repository,
    pull: Pull,
) -> Result<Reply, Fault> {
    request.actor().require_scope(Scope::RepoWrite)?;
    let body: Body = request.github_json()?;
    require_role(request, repository, &pull, &body)?;
    let place = Place {
        workspace: repository.workspace_id,
        repository: repository.id,
        pull: pull.id,
    };
    let (tx, pull) = hold(db, repository, place).await?;
    let wanted = wanted(&pull, body)?;
    let is_reopened = !pull.state.is_open() && wanted.state.is_open();
    let is_retargeted = wanted.base != pull.base_branch;
    let by = Some(request.actor().id);
    if wanted.state == PullState::Closed {
        record_closed(&tx, place, "by_hand", by).await?;
    }
    update(&tx, &pull, &wanted).await?;
    if is_reopened || is_retargeted {
        stand_on(&tx, repository, &pull, &wanted.base).await?;
    }
    if is_retargeted {
        let why = Removal::Retargeted(wanted.base.clone());
        queues::leave(&tx, place, by, &why, None).await?;
    }
    let pull_now = by_id(&tx, repository.id, pull.id).await?;
    for kind in kinds(&pull, &pull_now) {
        let mut data = pull_now.event_data();
        data["before_base"] = json!(pull.base_branch);
        publish(
            &tx,
            NewEvent::of(request, repository, kind, pull_now.subject(), data),
        )
        .await?;
    }
    tick_queues(&tx, place).await?;
    let db = tx.commit().await?;
    Reply::ok(&view::json_of(&db, request, repository, &pull_now).await?)
}

/// The pull request as it is now, held until the transaction is over, with the merge recorded that git may have already:
/// what is changed is nobody's older picture of it.
async fn hold(db: Db, repository: &Repository, place: Place) -> Result<(Transaction, Pull), Fault> {
    let tx = db.begin().await?;
    let pull = pulls::hold(&tx, repository.id, place.pull).await?;
    let Some(merged) = landed(repository, &pull).await? else {
        return Ok((tx, pull));
    };
    record_merged(&tx, place, &merged).await?;
    // Whatever comes of the change, the merge stays recorded.
    let tx = tx.commit().await?.begin().await?;
    let pull = pulls::hold(&tx, repository.id, place.pull).await?;
    Ok((tx, pull))
}

fn require_role(
    request: &Request,
    repository: &Repository,
    pull: &Pull,
    body: &Body,
) -> Result<(), Fault> {
    if pull.author.id == request.actor().id {
        return Ok(());
    }
    let is_more =
        body.title.is_some() || body.body.is_some() || body.base.is_some() || body.draft.is_some();
    repository.require(if is_more { Role::Write } else { Role::Triage })
}

fn wanted(pull: &Pull, body: Body) -> Result<Wanted, Fault> {
    let title = body.title.unwrap_or_else(|| pull.title.clone());
    let text = body.body.unwrap_or_else(|| pull.body.clone());
    let mut errors = text_errors(&title, &text);
    if title.trim().is_empty() {
        errors.push(g1t_kit::FieldError::missing("PullRequest", "title"));
    }
    if !errors.is_empty() {
        return Err(Fault::validation(errors));
    }
    let is_draft = body.draft.unwrap_or(pull.state == PullState::Draft);
    let open = if is_draft {
        PullState::Draft
    } else {
        PullState::Open
    };
    let state = match (body.state.as_deref(), pull.state) {
        (Some("open" | "closed"), PullState::Merged) => {
            return Err(Fault::field(
                "PullRequest",
                "state",
                "a merged pull request stays merged",
            ));
        }
        (Some("open"), _) => open,
        (Some("closed"), _) => PullState::Closed,
        (Some(_), _) => {
            return Err(Fault::field(
                "PullRequest",
                "state",
                "give `open` or `closed`",
            ));
        }
        (None, PullState::Open | PullState::Draft) => open,
        (None, ended) => ended,
    };
    let base = body.base.unwrap_or_else(|| pull.base_branch.clone());
    if base != pull.base_branch && !state.is_open() {
        return Err(Fault::field(
            "PullRequest",
            "base",
            "only an open pull request can be pointed at another base",
        ));
    }
    Ok(Wanted {
        title,
        body: text,
        state,
        base,
    })
}

async fn update(tx: &Transaction, pull: &Pull, wanted: &Wanted) -> Result<(), Fault> {
    if pull.state == PullState::Merged {
        let params = params![pull.id, wanted.title, wanted.body];
        tx.execute(include_str!("sql/update_words.sql"), params)
            .await?;
        return Ok(());
    }
    let params = params![pull.id, wanted.title, wanted.body, wanted.state.word()];
    match tx.execute(include_str!("sql/update.sql"), params).await {
        Ok(1) => Ok(()),
        Ok(_) => Err(Fault::conflict("merged", "it was merged at this moment")),
        Err(error) if error.is_unique() => Err(second(pull, &wanted.base)),
        Err(error) => Err(error.into()),
    }
}

async fn stand_on(
    tx: &Transaction,
    repository: &Repository,
    pull: &Pull,
    base: &str,
) -> Result<(), Fault> {
    let (head_sha, base_sha) = ends(repository, &pull.head_branch, base).await?;
    let stand = stand(repository, &base_sha, &head_sha).await?;
    if stand.ahead == 0 {
        return Err(custom(format!(
            "No commits between {base} and {}",
            pull.head_branch
        )));
    }
    let params = params![pull.id, base, base_sha, head_sha, stand.ahead, stand.behind];
    match tx.execute(include_str!("sql/stand_on.sql"), params).await {
        Ok(_) => Ok(()),
        Err(error) if error.is_unique() => Err(second(pull, base)),
        Err(error) => Err(error.into()),
    }
}

fn second(pull: &Pull, base: &str) -> Fault {
    custom(format!(
        "Another pull request from {} into {base} is open already.",
        pull.head_branch
    ))
}

/// What has happened, of all that may. Closing publishes its own.
fn kinds(before: &Pull, now: &Pull) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    if !before.state.is_open() && now.state.is_open() {
        kinds.push("pull.reopened");
    } else if before.base_branch != now.base_branch {
        kinds.push("pull.retargeted");
    }
    let is_draft_changed =
        before.state.is_open() && now.state.is_open() && before.state != now.state;
    if before.title != now.title || before.body != now.body || is_draft_changed {
        kinds.push("pull.edited");
    }
    kinds
}

#[cfg(test)]
mod tests;
