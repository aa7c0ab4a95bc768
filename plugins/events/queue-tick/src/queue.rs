//! Which queue a tick is about.

use g1t_kit::db::Db;
use g1t_kit::events::{Event, Failure};
use g1t_kit::{Fault, Id, Repository, access};
use serde::Deserialize;

/// Nobody: the repository is looked at as the system, whose role does not matter here.
const NOBODY: Id = 0;

/// The queue of a base branch.
pub struct Queue {
    /// Where it is.
    pub repository: Repository,
    /// The base branch, without `refs/heads/`.
    pub branch: String,
}

#[derive(Deserialize)]
struct Data {
    branch: String,
}

impl Queue {
    /// The queue an event is about; none when its repository is gone, and with it the queue.
    pub async fn of(event: &Event) -> Result<Option<Self>, Failure> {
        let data: Data = event.data()?;
        let id = event.repository_id()?;
        let db = Db::open().await.map_err(Fault::from)?;
        match access::repository_by_id(&db, id, NOBODY).await {
            Ok(repository) => Ok(Some(Self {
                repository,
                branch: data.branch,
            })),
            Err(Fault::NotFound(_)) => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Full name of the base branch.
    pub fn base_ref(&self) -> String {
        branch_ref(&self.branch)
    }

    /// What events of the queue are about.
    pub fn subject(&self) -> String {
        format!("queue/{}", self.branch)
    }
}

/// Full name of a branch.
pub fn branch_ref(branch: &str) -> String {
    format!("refs/heads/{branch}")
}
