//! Branches of a repository, as git has them now.

use g1t_kit::{Fault, Repository, git};

use crate::create::custom;

/// Full name of a branch.
pub fn branch_ref(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

/// Head of a branch; none when there is no such branch.
pub async fn head_of(repository: &Repository, branch: &str) -> Result<Option<String>, Fault> {
    // What is no branch name cannot name one: git says `invalid`, and for the caller it does not exist.
    match git::resolve(repository.git_id(), branch_ref(branch)).await {
        Ok(head) => Ok(head),
        Err(g1t_kit::git_types::Error::Invalid(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Where a pull request stands between two commits.
pub struct Stand {
    /// Commits that the head has and the base lacks.
    pub ahead: i32,
    /// Commits that the base has and the head lacks.
    pub behind: i32,
}

/// How far a head is from its base; GitHub's 422 for two that have no commit in common, which nothing can merge.
pub async fn stand(repository: &Repository, base: &str, head: &str) -> Result<Stand, Fault> {
    let (from, to) = (base.to_owned(), head.to_owned());
    if git::merge_base(repository.git_id(), from, to)
        .await?
        .is_none()
    {
        return Err(custom(
            "The head has no commit in common with the base: make the change on a branch of the base".to_owned(),
        ));
    }
    let distance = git::distance(repository.git_id(), base.to_owned(), head.to_owned()).await?;
    let count = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    Ok(Stand {
        ahead: count(distance.ahead),
        behind: count(distance.behind),
    })
}
