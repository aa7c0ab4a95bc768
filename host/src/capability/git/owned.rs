use std::sync::Arc;

use g1t_repos::limits::LAND_WAIT;
use g1t_repos::{Landed, Oid, Repos};
use sqlx::Row;
use uuid::Uuid;

use super::convert;
use crate::bindings::app::g1t::git::types as wit;
use crate::intents::{self, Intent};
use crate::manifest::Access;
use crate::runtime::{GuestState, Services};

/// A repository that the call may use: having one is the proof that it was checked.
pub(super) struct Owned {
    services: Arc<Services>,
    pub(super) id: u64,
    workspace: i64,
    actor: Option<i64>,
}

/// What the check needs, taken out of the store.
pub(super) struct Asking {
    services: Arc<Services>,
    workspace: Option<i64>,
    actor: Option<i64>,
    granted: bool,
}

impl Asking {
    pub(super) fn new(state: &GuestState, needs: Access) -> Self {
        Self {
            services: Arc::clone(&state.services),
            workspace: state.call.workspace,
            actor: state.call.actor,
            granted: state
                .component
                .grants
                .git
                .is_some_and(|granted| granted >= needs),
        }
    }

    /// # Errors
    /// `no-repository` for one of another workspace, as for one that does not exist.
    pub(super) async fn owned(self, repository: u64) -> Result<Owned, wit::Error> {
        let id = i64::try_from(repository).map_err(|_| wit::Error::NoRepository)?;
        let sql = include_str!("../../sql/repository_workspace.sql");
        let row = sqlx::query(sql)
            .bind(id)
            .fetch_optional(&self.services.pool)
            .await
            .map_err(|_| busy())?;
        let row = row.ok_or(wit::Error::NoRepository)?;
        let workspace: i64 = row.try_get("workspace_id").map_err(|_| busy())?;
        if !self.granted || self.workspace != Some(workspace) {
            return Err(wit::Error::NoRepository);
        }
        let owned = Owned {
            services: self.services,
            id: repository,
            workspace,
            actor: self.actor,
        };
        // A process that died between the row and the folder left a row without one: the first use makes it.
        if !owned.repos().exists(repository) {
            let branch: String = row.try_get("default_branch").map_err(|_| busy())?;
            owned
                .repos()
                .create(repository, &branch)
                .await
                .map_err(convert::error)?;
        }
        Ok(owned)
    }
}

fn busy() -> wit::Error {
    wit::Error::Busy("the database does not answer; try again".into())
}

impl Owned {
    pub(super) fn repos(&self) -> &Repos {
        &self.services.repos
    }

    /// Moves a branch to a commit and publishes it, whatever happens to the process or to the guest that asked: the work
    /// is a task of its own, which no deadline of a guest cuts off between the record and the move.
    pub(super) async fn land(
        self,
        branch: String,
        expected: Oid,
        commit: Oid,
    ) -> Result<Landed, wit::Error> {
        let landing = tokio::spawn(async move { self.land_here(&branch, expected, commit).await });
        landing
            .await
            .map_err(|_| wit::Error::Other("landing stopped unexpectedly".into()))?
    }

    async fn land_here(
        &self,
        branch: &str,
        expected: Oid,
        commit: Oid,
    ) -> Result<Landed, wit::Error> {
        let lock = self
            .repos()
            .lock_within(self.id, LAND_WAIT)
            .await
            .map_err(convert::error)?;
        let pool = &self.services.pool;
        intents::settle_repository(pool, self.repos(), &lock)
            .await
            .map_err(|error| lost(&error))?;
        let intent = self.intent(branch, expected, commit)?;
        // A row is for a move that may happen: a branch that is elsewhere is told of below.
        let heads = self
            .repos()
            .ref_heads(self.id, vec![intent.ref_name.clone()])
            .await
            .map_err(convert::error)?;
        if heads == [expected] && expected != commit {
            intents::record(pool, &lock, std::slice::from_ref(&intent))
                .await
                .map_err(|error| lost(&error))?;
        }
        let landed = self.repos().land(&lock, branch, expected, commit).await;
        match landed {
            // It may still be going on, with the repository locked until it is over: the settling comes after it.
            Err(error @ g1t_repos::Error::Busy(_)) => Err(convert::error(error)),
            landed => {
                let settled = intents::settle_push(pool, self.repos(), &lock, intent.push).await;
                if let Err(error) = settled {
                    // What git did stands. The row stays too, and the next settling finds it.
                    lost(&error);
                }
                landed.map_err(convert::error)
            }
        }
    }

    fn intent(&self, branch: &str, expected: Oid, commit: Oid) -> Result<Intent, wit::Error> {
        Ok(Intent {
            id: Uuid::now_v7(),
            push: Uuid::now_v7(),
            workspace: self.workspace,
            repository: i64::try_from(self.id).map_err(|_| wit::Error::NoRepository)?,
            actor: self.actor,
            ref_name: g1t_repos::branch_ref(branch).map_err(convert::error)?,
            old: expected,
            new: commit,
            forced: false,
        })
    }
}

fn lost(error: &intents::IntentError) -> wit::Error {
    tracing::error!(
        error = error as &dyn std::error::Error,
        "a landing could not be recorded"
    );
    busy()
}
