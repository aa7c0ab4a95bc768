//! Who may do what: a repository or a workspace is only to be had together with what the asker needs there.

use crate::actor::Scope;
use crate::bindings::g1t::rules::types::Role;
use crate::db::{Db, DbError, Row};
use crate::{Fault, Id, Request, no_workspace, params};

/// What a request needs on a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// See.
    Read,
    /// Label, assign, close, reopen.
    Triage,
    /// Push, merge, use the queue.
    Write,
    /// Report statuses and check runs: never an agent.
    Checks,
    /// Settings and rulesets: never an agent.
    Maintain,
    /// Who has access: never an agent.
    Admin,
}

impl Need {
    fn scope(self) -> Scope {
        match self {
            Self::Read => Scope::RepoRead,
            Self::Triage | Self::Write => Scope::RepoWrite,
            Self::Checks => Scope::ChecksWrite,
            Self::Maintain | Self::Admin => Scope::RepoAdmin,
        }
    }

    fn role(self) -> Role {
        match self {
            Self::Read => Role::Read,
            Self::Triage => Role::Triage,
            Self::Write | Self::Checks => Role::Write,
            Self::Maintain => Role::Maintain,
            Self::Admin => Role::Admin,
        }
    }

    /// What agents are told that they may not do; none when they may.
    fn refused_to_agents(self) -> Option<&'static str> {
        match self {
            Self::Read | Self::Triage | Self::Write => None,
            Self::Checks => Some("report checks"),
            Self::Maintain => Some("change settings or rules"),
            Self::Admin => Some("change access"),
        }
    }
}

/// A repository as the asker sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repository {
    /// Its number.
    pub id: Id,
    /// Number of its workspace.
    pub workspace_id: Id,
    /// Name of its workspace.
    pub workspace: String,
    /// Its own name.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Seen by members only.
    pub private: bool,
    /// Branch name without `refs/heads/`.
    pub default_branch: String,
    /// Words it is found by.
    pub topics: Vec<String>,
    /// The methods `merge`, `squash` and `rebase` may be used.
    pub allow_merge_commit: bool,
    /// See `allow_merge_commit`.
    pub allow_squash_merge: bool,
    /// See `allow_merge_commit`.
    pub allow_rebase_merge: bool,
    /// When it was made, in milliseconds since 1970.
    pub created_at_ms: i64,
    /// When its settings changed last, in milliseconds since 1970.
    pub updated_at_ms: i64,
    /// When it was pushed to last, in milliseconds since 1970.
    pub pushed_at_ms: Option<i64>,
    /// The asker's role.
    pub role: Role,
}

impl Repository {
    /// From a row with the columns of `sql/repository.sql`.
    ///
    /// # Errors
    /// [`DbError::Bug`] when a column is missing.
    pub fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            workspace_id: row.get("workspace_id")?,
            workspace: row.get("workspace")?,
            name: row.get("name")?,
            description: row.get("description")?,
            private: row.get("private")?,
            default_branch: row.get("default_branch")?,
            topics: row.get("topics")?,
            allow_merge_commit: row.get("allow_merge_commit")?,
            allow_squash_merge: row.get("allow_squash_merge")?,
            allow_rebase_merge: row.get("allow_rebase_merge")?,
            created_at_ms: row.get("created_at_ms")?,
            updated_at_ms: row.get("updated_at_ms")?,
            pushed_at_ms: row.get("pushed_at_ms")?,
            role: role_of_rank(row.get("role_rank")?),
        })
    }

    /// `workspace/name`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.workspace, self.name)
    }

    /// Its number as git's interface wants it.
    pub fn git_id(&self) -> u64 {
        u64::try_from(self.id).unwrap_or_default()
    }

    /// Path of its API address.
    pub fn api_path(&self) -> String {
        format!("/repos/{}/{}", self.workspace, self.name)
    }

    /// Nothing when the asker has a role here.
    ///
    /// # Errors
    /// [`Fault::Forbidden`], naming the role that is needed and the one there is.
    pub fn require(&self, role: Role) -> Result<(), Fault> {
        if self.role >= role {
            return Ok(());
        }
        let (needed, name, had) = (role_word(role), self.full_name(), role_word(self.role));
        Err(Fault::forbidden(format!(
            "the role `{needed}` on {name} is needed; you have `{had}`"
        )))
    }
}

/// The repository `name` of the request's workspace, when the asker has what is needed there.
///
/// # Errors
/// [`Fault::NotFound`] for one that is missing or not for the asker to see; [`Fault::Forbidden`] naming the scope or role
/// that is lacking.
pub async fn repository(
    db: &Db,
    request: &Request,
    name: &str,
    need: Need,
) -> Result<Repository, Fault> {
    let missing = || Fault::not_found(format!("The repository {name}"));
    let workspace = request.workspace().map_err(|_| missing())?;
    let actor = request.actor();
    let row = db
        .optional(
            include_str!("sql/repository.sql"),
            params![workspace.id, name, actor.id],
        )
        .await?;
    let repository = Repository::from_row(&row.ok_or_else(missing)?)?;
    if repository.role < Role::Read {
        return Err(missing());
    }
    actor.require_scope(need.scope())?;
    if let Some(what) = need.refused_to_agents() {
        actor.refuse_agents(what)?;
    }
    repository.require(need.role())?;
    Ok(repository)
}

/// The repository of a number, as `actor` sees it: for event handlers, which have no request.
///
/// # Errors
/// [`Fault::NotFound`] for one that is gone.
pub async fn repository_by_id(db: &Db, repository: Id, actor: Id) -> Result<Repository, Fault> {
    let row = db
        .optional(
            include_str!("sql/repository_by_id.sql"),
            params![repository, actor],
        )
        .await?;
    let row = row.ok_or_else(|| Fault::not_found(format!("Repository {repository}")))?;
    Ok(Repository::from_row(&row)?)
}

/// What a request needs in a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// Be in it.
    Member,
    /// Own it: never an agent.
    Owner,
}

/// The request's workspace, when the asker belongs to it as is needed.
///
/// # Errors
/// [`Fault::NotFound`] for one that is missing or that the asker is not in; [`Fault::Forbidden`] naming what is lacking.
pub async fn workspace(db: &Db, request: &Request, need: Membership) -> Result<Id, Fault> {
    let workspace = request.workspace()?;
    let actor = request.actor();
    let row = db
        .one(
            include_str!("sql/workspace_role.sql"),
            params![actor.id, workspace.id],
        )
        .await?;
    let role: Option<String> = row.get("role")?;
    let role = role.ok_or_else(no_workspace)?;
    match need {
        Membership::Member => actor.require_scope(Scope::RepoRead)?,
        Membership::Owner => {
            actor.require_scope(Scope::WorkspaceAdmin)?;
            actor.refuse_agents("change the workspace")?;
            if role != "owner" {
                return Err(Fault::forbidden(format!(
                    "only owners of {} may do this; you are a {role}",
                    workspace.name
                )));
            }
        }
    }
    Ok(workspace.id)
}

/// A role by its rank in the database.
pub fn role_of_rank(rank: i32) -> Role {
    match rank {
        1 => Role::Read,
        2 => Role::Triage,
        3 => Role::Write,
        4 => Role::Maintain,
        5.. => Role::Admin,
        _ => Role::None,
    }
}

/// The stored word of a role.
pub fn role_word(role: Role) -> &'static str {
    match role {
        Role::None => "none",
        Role::Read => "read",
        Role::Triage => "triage",
        Role::Write => "write",
        Role::Maintain => "maintain",
        Role::Admin => "admin",
    }
}

/// A role by its stored word, or by GitHub's `pull` and `push`.
pub fn role_of_word(word: &str) -> Option<Role> {
    match word {
        "none" => Some(Role::None),
        "read" | "pull" => Some(Role::Read),
        "triage" => Some(Role::Triage),
        "write" | "push" => Some(Role::Write),
        "maintain" => Some(Role::Maintain),
        "admin" => Some(Role::Admin),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
