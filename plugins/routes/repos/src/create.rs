//! Making repositories, and listing them.

use g1t_kit::access::{self, Need};
use g1t_kit::db::{Db, Transaction};
use g1t_kit::{
    Fault, FieldError, Id, Page, Reply, Repository, Request, Scope, git_write, idempotency, params,
};
use serde::Deserialize;

use crate::shape;

#[derive(Deserialize)]
struct Create {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    private: Option<bool>,
    /// Ours: the branch that new work starts from; `main` when left out.
    #[serde(default)]
    default_branch: Option<String>,
}

const NAME_CHARACTERS: usize = 100;
const DESCRIPTION_CHARACTERS: usize = 350;
/// As the CHECK of `repositories.default_branch`, in bytes: what git stores has to be a file's name.
const BRANCH_BYTES: usize = 200;
/// Branches of the queue are g1t's own.
const QUEUE_BRANCHES: &str = "g1t-queue";

fn errors(body: &Create) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if !is_name(&body.name) {
        let told =
            "a name has 1 to 100 letters, digits, '.', '_' and '-', and does not end in .git";
        errors.push(FieldError::invalid("Repository", "name", told));
    }
    if body
        .description
        .as_ref()
        .is_some_and(|text| text.chars().count() > DESCRIPTION_CHARACTERS)
    {
        errors.push(FieldError::invalid(
            "Repository",
            "description",
            "at most 350 characters",
        ));
    }
    if body
        .default_branch
        .as_ref()
        .is_some_and(|branch| !is_branch_name(branch))
    {
        let told = "is no name that git takes for a branch";
        errors.push(FieldError::invalid("Repository", "default_branch", told));
    }
    errors
}

/// What git takes for a branch (`git check-ref-format --branch`), but those of the queue.
fn is_branch_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.ends_with(".lock")
    };
    let is_taken = |c: char| !c.is_control() && !" ~^:?*[\\".contains(c);
    let is_own = name == QUEUE_BRANCHES || name.starts_with("g1t-queue/");
    name.len() <= BRANCH_BYTES
        && !name.starts_with('-')
        && !matches!(name, "HEAD" | "@")
        && name.chars().all(is_taken)
        && name.split('/').all(is_part)
        && !name.contains("..")
        && !name.contains("@{")
        && !is_own
}

fn is_name(name: &str) -> bool {
    let well_formed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=NAME_CHARACTERS).contains(&name.len())
        && name.chars().all(well_formed)
        && !matches!(name, "." | "..")
        && !name.ends_with(".git")
}

/// Makes a repository: its row, then the bare repository. Should the process die between the two, whoever uses the
/// repository first makes it.
pub async fn create(db: Db, request: &Request, workspace: Id) -> Result<Reply, Fault> {
    request.actor().require_scope(Scope::RepoAdmin)?;
    request.actor().refuse_agents("make repositories")?;
    let body: Create = request.github_json()?;
    let wrong = errors(&body);
    if !wrong.is_empty() {
        return Err(Fault::validation(wrong));
    }
    let tx = db.begin().await?;
    if let Some(reply) = idempotency::answered(&tx, request).await? {
        return Ok(reply);
    }
    let id = insert(&tx, workspace, &body).await?;
    // Whoever makes one may set it up, whatever the base permission is.
    let params = params![workspace, id, request.actor().id, "admin"];
    tx.execute(include_str!("sql/collaborator_put.sql"), params)
        .await?;
    let repository = access::repository(&tx, request, &body.name, Need::Read).await?;
    let reply = Reply::created(&shape::repository(request, &repository))?
        .location(request.api_url(&repository.api_path()));
    idempotency::keep(&tx, request, &reply).await?;
    tx.commit().await?;
    git_write::create_repository(repository.git_id(), repository.default_branch).await?;
    Ok(reply)
}

async fn insert(tx: &Transaction, workspace: Id, body: &Create) -> Result<Id, Fault> {
    let params = params![
        workspace,
        body.name,
        body.description.clone().unwrap_or_default(),
        body.private.unwrap_or(true),
        body.default_branch.as_deref().unwrap_or("main")
    ];
    match tx.one(include_str!("sql/create.sql"), params).await {
        Ok(row) => Ok(row.get("id")?),
        Err(error) if error.is_unique() => Err(Fault::field(
            "Repository",
            "name",
            "this name is taken: choose another",
        )),
        Err(error) => Err(error.into()),
    }
}

/// Repositories of the workspace that the asker can read, by name.
pub async fn list(db: &Db, request: &Request, workspace: Id) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let after = page.after().unwrap_or_default().to_owned();
    let rows = db
        .query(
            include_str!("sql/list.sql"),
            params![
                workspace,
                request.actor().id,
                after,
                page.limit(),
                page.offset()
            ],
        )
        .await?;
    let all = rows
        .iter()
        .map(Repository::from_row)
        .collect::<Result<Vec<_>, _>>()?;
    let (all, next) = page.cut(all, |repository| repository.name.to_lowercase());
    let items: Vec<_> = all
        .iter()
        .map(|repository| shape::repository(request, repository))
        .collect();
    Reply::list(request, &items, next)
}

#[cfg(test)]
mod tests {
    use super::{is_branch_name, is_name};

    #[test]
    fn a_default_branch_that_git_would_not_take_is_refused_before_anything_is_made() {
        for fine in ["main", "release/1.0", "a@b", "über"] {
            assert!(is_branch_name(fine), "{fine}");
        }
        let long = "b".repeat(201);
        for wrong in [
            "",
            "-a",
            "HEAD",
            "@",
            "a..b",
            "a b",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
            "a\0",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.",
            "a.lock",
            "a.lock/b",
            "a@{1}",
            "g1t-queue",
            "g1t-queue/x",
            &long,
        ] {
            assert!(!is_branch_name(wrong), "{wrong}");
        }
    }

    #[test]
    fn names_that_could_leave_the_folder_are_refused() {
        assert!(is_name("site") && is_name("a.b_c-1"));
        for wrong in ["", ".", "..", "a/b", "a b", "x.git", &"n".repeat(101)] {
            assert!(!is_name(wrong), "{wrong}");
        }
    }
}
