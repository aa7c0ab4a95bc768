use crate::bindings::g1t::rules::types;
use crate::db::{Db, DbError, Row};
use crate::pulls::{Pull, PullState};
use crate::{Fault, Id, Repository, git, params};

/// Commits and files that facts hold at most; the contract's numbers.
const MOST_COMMITS: u32 = 10_000;
const MOST_FILES: u32 = 50_000;

/// A merge that somebody asks for.
pub struct Merge<'a> {
    /// Where.
    pub repository: &'a Repository,
    /// Who asks.
    pub actor: types::Actor,
    /// What.
    pub pull: &'a Pull,
    /// Head of the pull request, as git has it now.
    pub head: &'a str,
    /// Head of the base branch, as git has it now.
    pub base_head: &'a str,
    /// `merge`, `squash`, `rebase` or `fast-forward`.
    pub method: &'a str,
    /// The moment of the decision, in milliseconds since 1970.
    pub now_ms: i64,
}

/// A repository as facts have it.
pub fn repository(repository: &Repository) -> types::Repository {
    types::Repository {
        id: repository.git_id(),
        workspace: repository.workspace.clone(),
        name: repository.name.clone(),
        default_branch: repository.default_branch.clone(),
        private: repository.private,
        topics: repository.topics.clone(),
    }
}

/// A user as facts have one, with the role on a repository.
///
/// # Errors
/// What the database says; a user that is gone has no role.
pub async fn actor(
    db: &Db,
    user: Id,
    token: Option<String>,
    repository: &Repository,
) -> Result<types::Actor, DbError> {
    let sql = include_str!("../sql/facts_actor.sql");
    let row = db
        .one(sql, params![user, repository.id, repository.workspace_id])
        .await?;
    let kind: String = row.get("kind")?;
    Ok(types::Actor {
        id: u64::try_from(user).unwrap_or_default(),
        login: row.get("login")?,
        kind: actor_kind(&kind),
        role: crate::access::role_of_rank(row.get("role_rank")?),
        owner: row.get("owner")?,
        teams: Vec::new(),
        token,
        acts_for: row.get::<Option<Id>>("acts_for")?.map(Id::unsigned_abs),
    })
}

/// g1t itself, as the queue judges candidates.
pub fn system() -> types::Actor {
    types::Actor {
        id: 0,
        login: "g1t".to_owned(),
        kind: types::ActorKind::System,
        role: types::Role::Admin,
        owner: false,
        teams: Vec::new(),
        token: None,
        acts_for: None,
    }
}

/// Statuses and check runs on a commit: every report, so that the judge sees reruns and second reporters. `since_ms`
/// leaves out what began before; a candidate counts only what began after it was made.
///
/// # Errors
/// What the database says.
pub async fn checks(
    db: &Db,
    repository: &Repository,
    sha: &str,
    since_ms: Option<i64>,
) -> Result<Vec<types::Check>, DbError> {
    let sql = include_str!("../sql/facts_checks.sql");
    let rows = db.query(sql, params![repository.id, sha, since_ms]).await?;
    rows.iter().map(check).collect()
}

fn check(row: &Row) -> Result<types::Check, DbError> {
    let state: String = row.get("state")?;
    let integration: i64 = row.get("integration")?;
    Ok(types::Check {
        name: row.get("name")?,
        state: check_state(&state),
        integration: u64::try_from(integration).unwrap_or_default(),
        started: row.get("started_ms")?,
        url: row.get("url")?,
        more: Vec::new(),
    })
}

/// What a status's state or a check run's conclusion says.
pub(super) fn check_state(word: &str) -> types::CheckState {
    match word {
        "success" | "neutral" | "skipped" => types::CheckState::Passed,
        "failure" | "error" | "timed_out" | "action_required" => types::CheckState::Failed,
        "cancelled" | "stale" => types::CheckState::NoVerdict,
        _ => types::CheckState::Running,
    }
}

/// Everything a rule may know about a merge.
///
/// # Errors
/// What the database or git says.
pub async fn merge(db: &Db, merge: Merge<'_>) -> Result<types::Facts, Fault> {
    let (repository, pull) = (merge.repository, merge.pull);
    let (base, head) = (merge.base_head.to_owned(), merge.head.to_owned());
    let id = repository.git_id();
    let commits = git::commits(id, base.clone(), head.clone(), MOST_COMMITS).await?;
    let files = git::changes(id, base.clone(), head.clone(), MOST_FILES).await?;
    let up_to_date = git::is_ancestor(id, base.clone(), head.clone()).await?;
    let reviews = db
        .query(include_str!("../sql/facts_reviews.sql"), params![pull.id])
        .await?;
    let mut facts = empty(merge.repository, merge.actor, merge.now_ms);
    facts.moment = types::Moment::Merge;
    facts.given = types::Parts {
        commits: true,
        files: true,
        reviews: true,
        code_owners: false,
        checks: true,
        work_items: false,
    };
    facts.ref_change = types::RefChange {
        name: format!("refs/heads/{}", pull.base_branch),
        old: base.clone(),
        new: head.clone(),
        fast_forward: true,
    };
    facts.commits = commits.commits;
    facts.commits_cut = commits.cut;
    facts.files = files.files;
    facts.files_cut = files.cut;
    facts.checks = checks(db, repository, &head, None).await?;
    facts.reviews = reviews.iter().map(review).collect::<Result<_, _>>()?;
    let heads = (base.as_str(), head.as_str());
    let mut asked = pull_request(db, pull, heads, merge.method).await?;
    asked.up_to_date = up_to_date;
    facts.pull_request = Some(asked);
    Ok(facts)
}

/// A pull request as facts have one, up to date with the head of its base (`heads`: that, and its own).
///
/// # Errors
/// What the database says.
pub async fn pull_request(
    db: &Db,
    pull: &Pull,
    (base_head, head): (&str, &str),
    method: &str,
) -> Result<types::PullRequest, DbError> {
    let last = db
        .one(include_str!("../sql/facts_last_push.sql"), params![pull.id])
        .await?;
    Ok(types::PullRequest {
        number: u64::try_from(pull.number).unwrap_or_default(),
        title: pull.title.clone(),
        body: pull.body.clone(),
        author: pull.author.login.clone(),
        author_id: pull.author.id.unsigned_abs(),
        author_kind: actor_kind(pull.author.kind.word()),
        author_acts_for: last
            .get::<Option<Id>>("author_acts_for")?
            .map(Id::unsigned_abs),
        draft: pull.state == PullState::Draft,
        labels: Vec::new(),
        base: pull.base_branch.clone(),
        head_branch: pull.head_branch.clone(),
        base_head: base_head.to_owned(),
        head: head.to_owned(),
        up_to_date: true,
        last_pusher: last.get("last_pusher")?,
        last_pusher_id: last.get::<Id>("last_pusher_id")?.unsigned_abs(),
        last_push: last.get("last_push_ms")?,
        open_threads: 0,
        merge_method: method.to_owned(),
        confidence: None,
        cost: None,
        more: Vec::new(),
    })
}

/// What the judge looks at on a candidate (the state it stands on, and itself): its checks, and which files the rules'
/// paths are held against.
pub fn candidate(
    repository: &Repository,
    base_branch: &str,
    (onto, sha): (&str, &str),
    checks: Vec<types::Check>,
    files: crate::git_types::FileList,
    now_ms: i64,
) -> types::Facts {
    let mut facts = empty(repository, system(), now_ms);
    facts.moment = types::Moment::Queue;
    facts.given.files = true;
    facts.given.checks = true;
    facts.ref_change = types::RefChange {
        name: format!("refs/heads/{base_branch}"),
        old: onto.to_owned(),
        new: sha.to_owned(),
        fast_forward: true,
    };
    facts.files = files.files;
    facts.files_cut = files.cut;
    facts.checks = checks;
    facts
}

fn empty(of: &Repository, actor: types::Actor, now: i64) -> types::Facts {
    types::Facts {
        moment: types::Moment::Merge,
        now,
        given: types::Parts {
            commits: false,
            files: false,
            reviews: false,
            code_owners: false,
            checks: false,
            work_items: false,
        },
        actor,
        repository: repository(of),
        ref_change: types::RefChange {
            name: String::new(),
            old: String::new(),
            new: String::new(),
            fast_forward: true,
        },
        commits: Vec::new(),
        commits_cut: false,
        files: Vec::new(),
        files_cut: false,
        pull_request: None,
        reviews: Vec::new(),
        code_owners: Vec::new(),
        checks: Vec::new(),
        work_items: Vec::new(),
        more: Vec::new(),
    }
}

fn review(row: &Row) -> Result<types::Review, DbError> {
    let kind: String = row.get("kind")?;
    let state: String = row.get("state")?;
    Ok(types::Review {
        reviewer: row.get("login")?,
        reviewer_id: row.get::<Id>("reviewer_id")?.unsigned_abs(),
        reviewer_acts_for: row.get::<Option<Id>>("acts_for")?.map(Id::unsigned_abs),
        reviewer_kind: actor_kind(&kind),
        reviewer_role: crate::access::role_of_rank(row.get("role_rank")?),
        reviewer_teams: Vec::new(),
        state: match state.as_str() {
            "approved" => types::ReviewState::Approved,
            "changes_requested" => types::ReviewState::ChangesRequested,
            "dismissed" => types::ReviewState::Dismissed,
            _ => types::ReviewState::Commented,
        },
        head: row.get("head_sha")?,
        submitted: row.get("submitted_ms")?,
        more: Vec::new(),
    })
}

fn actor_kind(word: &str) -> types::ActorKind {
    match word {
        "agent" => types::ActorKind::Agent,
        "system" => types::ActorKind::System,
        _ => types::ActorKind::Person,
    }
}

/// A role by its word.
pub(super) fn role(word: &str) -> Option<types::Role> {
    crate::access::role_of_word(word)
}
