//! Changing a repository's settings.

use g1t_kit::access::{self, Need};
use g1t_kit::db::Db;
use g1t_kit::{Fault, Reply, Repository, Request, git, params};
use serde::Deserialize;

use crate::shape;

#[derive(Deserialize)]
struct Change {
    description: Option<String>,
    private: Option<bool>,
    default_branch: Option<String>,
    allow_merge_commit: Option<bool>,
    allow_squash_merge: Option<bool>,
    allow_rebase_merge: Option<bool>,
}

/// Changes what the body names and leaves the rest.
pub async fn change(db: Db, request: &Request, repository: &Repository) -> Result<Reply, Fault> {
    let body: Change = request.github_json()?;
    if body
        .description
        .as_ref()
        .is_some_and(|text| text.chars().count() > 350)
    {
        return Err(Fault::field(
            "Repository",
            "description",
            "at most 350 characters",
        ));
    }
    if let Some(branch) = &body.default_branch {
        let head = git::resolve(repository.git_id(), format!("refs/heads/{branch}")).await?;
        if head.is_none() {
            return Err(Fault::field(
                "Repository",
                "default_branch",
                "there is no such branch: push it first",
            ));
        }
    }
    db.execute(
        include_str!("sql/change.sql"),
        params![
            repository.id,
            body.description,
            body.private,
            body.default_branch,
            body.allow_merge_commit,
            body.allow_squash_merge,
            body.allow_rebase_merge
        ],
    )
    .await?;
    let changed = access::repository(&db, request, &repository.name, Need::Read).await?;
    Reply::ok(&shape::repository(request, &changed))
}
