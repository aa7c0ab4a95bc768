//! How two branches stand to each other, as opening and pointing elsewhere need it.

use g1t_kit::db::Db;
use g1t_kit::{Fault, FieldError, Repository, git, params};

/// What errors name.
pub const RESOURCE: &str = "PullRequest";
/// Longest title in characters, and longest body in bytes: the database's limits.
const MOST_TITLE_CHARS: usize = 256;
const MOST_BODY_BYTES: usize = 262_144;

/// Two branches that a pull request can be between.
pub struct Stand {
    /// Head of the base branch.
    pub base_sha: String,
    /// Head of the head branch.
    pub head_sha: String,
    /// Commits that the head has and the base lacks.
    pub ahead: i32,
    /// Commits that the base has and the head lacks.
    pub behind: i32,
}

impl Stand {
    /// Looks at both branches; says what is wrong with them.
    pub async fn of(repository: &Repository, base: &str, head: &str) -> Result<Self, Fault> {
        check_names(base, head)?;
        let id = repository.git_id();
        let base_sha = git::resolve(id, branch_ref(base)).await?;
        let head_sha = git::resolve(id, branch_ref(head)).await?;
        let (Some(base_sha), Some(head_sha)) = (&base_sha, &head_sha) else {
            let mut errors = Vec::new();
            for (field, name, sha) in [("base", base, &base_sha), ("head", head, &head_sha)] {
                if sha.is_none() {
                    let why = format!("there is no branch `{name}`; push it first");
                    errors.push(FieldError::invalid(RESOURCE, field, why));
                }
            }
            return Err(Fault::validation(errors));
        };
        let apart = git::distance(id, base_sha.clone(), head_sha.clone()).await?;
        if apart.ahead == 0 {
            return Err(custom("head", format!("No commits between {base} and {head}")));
        }
        Ok(Self {
            base_sha: base_sha.clone(),
            head_sha: head_sha.clone(),
            ahead: i32::try_from(apart.ahead).unwrap_or(i32::MAX),
            behind: i32::try_from(apart.behind).unwrap_or(i32::MAX),
        })
    }
}

fn check_names(base: &str, head: &str) -> Result<(), Fault> {
    for (field, name) in [("base", base), ("head", head)] {
        if name.is_empty() {
            return Err(Fault::missing(RESOURCE, field));
        }
        if name.starts_with("g1t-queue/") {
            let why = "branches of the merge queue come and go; name another";
            return Err(custom(field, why));
        }
    }
    if base == head {
        return Err(custom("head", "the head and the base are the same branch"));
    }
    Ok(())
}

/// A mistake that none of GitHub's words says.
pub fn custom(field: &str, why: impl Into<String>) -> Fault {
    Fault::validation(vec![FieldError::new(RESOURCE, field, "custom", why)])
}

/// Refuses a second open pull request between the same branches.
pub async fn refuse_twin(
    db: &Db,
    repository: &Repository,
    base: &str,
    head: &str,
) -> Result<(), Fault> {
    let params = params![repository.id, head, base];
    let twin = db
        .optional(include_str!("sql/open_number.sql"), params)
        .await?;
    match twin {
        None => Ok(()),
        Some(row) => Err(twin_fault(
            repository,
            head,
            &format!(" (#{})", row.get::<i64>("number")?),
        )),
    }
}

/// What a second one is answered.
pub fn twin_fault(repository: &Repository, head: &str, which: &str) -> Fault {
    let workspace = &repository.workspace;
    custom(
        "head",
        format!("A pull request already exists for {workspace}:{head}{which}."),
    )
}

/// Checks a title; gives it without spaces around it.
pub fn title(text: &str) -> Result<String, Fault> {
    let title = text.trim();
    if title.is_empty() {
        return Err(Fault::missing(RESOURCE, "title"));
    }
    if title.chars().count() > MOST_TITLE_CHARS {
        let why = format!("a title has at most {MOST_TITLE_CHARS} characters");
        return Err(Fault::field(RESOURCE, "title", why));
    }
    Ok(title.to_owned())
}

/// Checks a body.
pub fn body(text: String) -> Result<String, Fault> {
    if text.len() > MOST_BODY_BYTES {
        let why = format!("a body has at most {MOST_BODY_BYTES} bytes");
        return Err(Fault::field(RESOURCE, "body", why));
    }
    Ok(text)
}

/// Full name of a branch.
pub fn branch_ref(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_not_merged_into_itself_nor_from_a_queue() {
        assert!(check_names("main", "fix").is_ok());
        assert!(check_names("main", "main").is_err());
        assert!(check_names("main", "").is_err());
        assert!(check_names("main", "g1t-queue/qe_1-1").is_err());
    }

    #[test]
    fn a_title_is_there_and_fits() {
        assert_eq!(title(" Fix it "), Ok("Fix it".to_owned()));
        assert!(title("  ").is_err());
        assert!(title(&"ä".repeat(256)).is_ok());
        assert!(title(&"a".repeat(257)).is_err());
    }
}
