//! Branches, commits and refs.

use g1t_kit::db::Db;
use g1t_kit::types::{Enforcement, Ruleset};
use g1t_kit::{Fault, Page, Reply, Repository, Request, facts, git, judge, shape as shapes};
use serde_json::{Value, json};

use crate::shape;

/// Most branches that one look at git gives.
const BRANCHES: u32 = 1_000;

/// Branches by name.
pub async fn branches(db: &Db, request: &Request, repository: &Repository) -> Result<Reply, Fault> {
    let protection = Protection::load(db, repository).await?;
    let page = Page::of(request)?;
    let wanted = u32::try_from(page.offset() + page.limit())
        .unwrap_or(BRANCHES)
        .clamp(1, BRANCHES);
    let after = page.after().map(str::to_owned);
    let all = git::branches(repository.git_id(), after, wanted).await?;
    let skipped = usize::try_from(page.offset()).unwrap_or_default();
    let all: Vec<_> = all.into_iter().skip(skipped).collect();
    let (all, next) = page.cut(all, |branch| branch.name.clone());
    let items: Vec<Value> = all
        .iter()
        .map(|branch| branch_json(request, &protection, &branch.name, &branch.head))
        .collect();
    Reply::list(request, &items, next)
}

/// One branch.
pub async fn branch(
    db: &Db,
    request: &Request,
    repository: &Repository,
    name: &str,
) -> Result<Reply, Fault> {
    let head = git::resolve(repository.git_id(), format!("refs/heads/{name}")).await?;
    let head = head.ok_or_else(|| Fault::not_found(format!("The branch {name}")))?;
    let protection = Protection::load(db, repository).await?;
    Reply::ok(&branch_json(request, &protection, name, &head))
}

/// Which branches rules hold for.
struct Protection<'a> {
    repository: &'a Repository,
    active: Vec<Ruleset>,
}

impl<'a> Protection<'a> {
    async fn load(db: &Db, repository: &'a Repository) -> Result<Self, Fault> {
        let mut active = facts::rulesets(db, repository).await?;
        active.retain(|ruleset| ruleset.enforcement == Enforcement::Active);
        Ok(Self { repository, active })
    }

    /// True when a rule of the repository or of its workspace holds for the branch: the judge says which do.
    fn covers(&self, branch: &str) -> bool {
        // Most repositories have no rule to ask the judge about.
        !self.active.is_empty()
            && !judge::requirements(
                &facts::repository(self.repository),
                &format!("refs/heads/{branch}"),
                &self.active,
            )
            .is_empty()
    }
}

fn branch_json(request: &Request, protection: &Protection<'_>, name: &str, head: &str) -> Value {
    let path = protection.repository.api_path();
    json!({
        "name": name,
        "commit": { "sha": head, "url": request.api_url(&format!("{path}/commits/{head}")) },
        "protected": protection.covers(name),
    })
}

/// Commits of a branch or from a commit on, newest first.
pub async fn commits(request: &Request, repository: &Repository) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let from = request
        .query("sha")
        .unwrap_or(&repository.default_branch)
        .to_owned();
    let Some(head) = git::resolve(repository.git_id(), from.clone()).await? else {
        return Err(Fault::not_found(format!("The commit or branch {from}")));
    };
    let skip: i64 = match page.after() {
        Some(after) => after
            .parse()
            .map_err(|_| Fault::bad_request("`after` is not a cursor this list gave"))?,
        None => page.offset(),
    };
    let skip = u32::try_from(skip).map_err(|_| Fault::bad_request("`page` is too far"))?;
    let limit = u32::try_from(page.per_page()).unwrap_or(100);
    let list = git::log(repository.git_id(), head, skip, limit).await?;
    let items: Vec<Value> = list
        .commits
        .iter()
        .map(|commit| shape::commit(request, repository, commit))
        .collect();
    let next = list.cut.then(|| (skip + limit).to_string());
    Reply::list(request, &items, next)
}

/// One ref, by its name without `refs/`.
pub async fn git_ref(
    request: &Request,
    repository: &Repository,
    name: &str,
) -> Result<Reply, Fault> {
    let full = format!("refs/{name}");
    let found = git::resolve(repository.git_id(), full.clone()).await?;
    let sha = found.ok_or_else(|| Fault::not_found(format!("The ref {full}")))?;
    Reply::ok(&json!({
        "ref": full,
        "node_id": shapes::node_id("Ref", &full),
        "url": request.api_url(&format!("{}/git/{full}", repository.api_path())),
        "object": { "type": "commit", "sha": sha, "url": request.api_url(&format!("{}/commits/{sha}", repository.api_path())) },
    }))
}
