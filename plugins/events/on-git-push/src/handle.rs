//! From an event to the pull requests it concerns.

use g1t_kit::db::Db;
use g1t_kit::events::{Event, Failure};
use g1t_kit::pulls::{Pull, by_id, find};
use g1t_kit::{Fault, Id, Repository, access, params};
use serde::Deserialize;

use crate::look::{Change, look};
use crate::record;

/// Nobody: the repository is looked at as the system, whose role does not matter here.
const NOBODY: Id = 0;

#[derive(Deserialize)]
struct Push {
    #[serde(rename = "ref")]
    name: String,
    after: String,
    #[serde(default)]
    pusher_id: Option<Id>,
}

#[derive(Deserialize)]
struct OfPull {
    number: i64,
}

/// What an event says has happened.
pub enum Cause {
    /// A branch was moved, made or removed.
    Push {
        /// Without `refs/heads/`.
        branch: String,
        /// Where it was moved to.
        after: String,
        /// By whom.
        pusher: Option<Id>,
    },
    /// A pull request is to be looked at for the first time, or from another side.
    Pull(i64),
}

impl Cause {
    /// None for a push that moves no branch.
    fn of(event: &Event) -> Result<Option<Self>, Failure> {
        if event.kind != "git.push" {
            return Ok(Some(Self::Pull(event.data::<OfPull>()?.number)));
        }
        let push: Push = event.data()?;
        let Some(branch) = push.name.strip_prefix("refs/heads/") else {
            return Ok(None);
        };
        let pusher = push
            .pusher_id
            .or(event.actor.and_then(|actor| Id::try_from(actor).ok()));
        Ok(Some(Self::Push {
            branch: branch.to_owned(),
            after: push.after,
            pusher,
        }))
    }

    /// Who moved a branch to a commit, as far as this event tells.
    pub fn pusher_of(&self, branch: &str, head: &str) -> Option<Id> {
        match self {
            Self::Push {
                branch: pushed,
                after,
                pusher,
            } if pushed == branch && after == head => *pusher,
            Self::Push { .. } | Self::Pull(_) => None,
        }
    }
}

/// Handles one event.
pub async fn handle(event: Event) -> Result<(), Failure> {
    let Some(cause) = Cause::of(&event)? else {
        return Ok(());
    };
    let id = event.repository_id()?;
    let db = Db::open().await.map_err(Fault::from)?;
    let repository = match access::repository_by_id(&db, id, NOBODY).await {
        Ok(repository) => repository,
        // Removed since: there is nothing to bring up to date.
        Err(Fault::NotFound(_)) => return Ok(()),
        Err(fault) => return Err(fault.into()),
    };
    let seen = see(&db, &repository, &cause).await?;
    record::all(db, &event, &repository, &cause, &seen).await?;
    match seen.failed {
        Some(fault) => Err(fault.into()),
        None => Ok(()),
    }
}

/// What became of the pull requests of an event.
pub struct Seen {
    /// What is to be written about each.
    pub changes: Vec<(Pull, Change)>,
    /// Why one of them could not be looked at. The others do not wait for it, nor does the queue; the event comes again.
    pub failed: Option<Fault>,
}

async fn see(db: &Db, repository: &Repository, cause: &Cause) -> Result<Seen, Fault> {
    let mut seen = Seen {
        changes: Vec::new(),
        failed: None,
    };
    for pull in pulls(db, repository, cause).await? {
        let change = match change(db, repository, cause, &pull).await {
            Ok(change) => change,
            Err(fault) => {
                seen.failed = Some(fault);
                Change::Unknown
            }
        };
        seen.changes.push((pull, change));
    }
    Ok(seen)
}

async fn change(
    db: &Db,
    repository: &Repository,
    cause: &Cause,
    pull: &Pull,
) -> Result<Change, Fault> {
    let is_landing = db
        .one(include_str!("sql/is_landing.sql"), params![pull.id])
        .await?
        .get("is_landing")?;
    let is_new = matches!(cause, Cause::Pull(_));
    look(repository, pull, is_new, is_landing).await
}

async fn pulls(db: &Db, repository: &Repository, cause: &Cause) -> Result<Vec<Pull>, Fault> {
    match cause {
        Cause::Pull(number) => match find(db, repository, *number).await {
            Ok(pull) if pull.state.is_open() => Ok(vec![pull]),
            Ok(_) | Err(Fault::NotFound(_)) => Ok(Vec::new()),
            Err(fault) => Err(fault),
        },
        Cause::Push { branch, .. } => {
            let mut found = Vec::new();
            for row in db
                .query(
                    include_str!("sql/pulls_of_branch.sql"),
                    params![repository.id, branch],
                )
                .await?
            {
                found.push(by_id(db, repository.id, row.get("id")?).await?);
            }
            Ok(found)
        }
    }
}
