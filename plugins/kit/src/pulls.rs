//! Pull requests, as several components read and end them.

use g1t_domain::queue::Removal;
use g1t_domain::{MergeMethod, UnknownMergeMethod};
use serde_json::{Value, json};

use crate::db::{Db, DbError, Row, Transaction};
use crate::outbox::{NewEvent, publish};
use crate::shape::User;
use crate::{Fault, Id, Repository, params, queues};

/// State of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    /// Its author does not want it to be merged yet.
    Draft,
    /// To be merged.
    Open,
    /// On its base branch.
    Merged,
    /// Ended without being merged.
    Closed,
}

impl PullState {
    /// The stored word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Open => "open",
            Self::Merged => "merged",
            Self::Closed => "closed",
        }
    }

    /// True until it is merged or closed.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Draft | Self::Open)
    }

    fn from_word(word: &str) -> Option<Self> {
        [Self::Draft, Self::Open, Self::Merged, Self::Closed]
            .into_iter()
            .find(|state| state.word() == word)
    }
}

/// How merging would go, as of the last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mergeable {
    /// Without a conflict.
    Clean,
    /// With one.
    Conflicting,
    /// It is being found out.
    Checking,
    /// It cannot be found out.
    Unknown,
}

impl Mergeable {
    /// The stored word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Conflicting => "conflicting",
            Self::Checking => "checking",
            Self::Unknown => "unknown",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [
            Self::Clean,
            Self::Conflicting,
            Self::Checking,
            Self::Unknown,
        ]
        .into_iter()
        .find(|state| state.word() == word)
    }
}

/// A merge without the queue that was decided and may not be recorded yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeIntent {
    /// What the base branch is moved to.
    pub sha: String,
    /// How.
    pub method: MergeMethod,
    /// By whom.
    pub actor: Id,
}

/// A pull request.
#[derive(Clone, Debug)]
pub struct Pull {
    /// Its number among all.
    pub id: Id,
    /// Its number in its repository.
    pub number: i64,
    /// First line.
    pub title: String,
    /// The rest.
    pub body: String,
    /// Draft, open, merged or closed.
    pub state: PullState,
    /// Who opened it.
    pub author: User,
    /// The author's name and address.
    pub author_name: String,
    /// See `author_name`.
    pub author_email: String,
    /// Branch it wants to merge into.
    pub base_branch: String,
    /// Branch it comes from.
    pub head_branch: String,
    /// Head that the last event brought.
    pub head_sha: String,
    /// Head of the base branch then.
    pub base_sha: String,
    /// Commits that the base has and it lacks.
    pub behind: i32,
    /// Commits that it has and the base lacks.
    pub ahead: i32,
    /// Files it changes.
    pub changed_files: i32,
    /// How merging would go.
    pub mergeable: Mergeable,
    /// Paths that conflict.
    pub conflict_files: Vec<String>,
    /// Who pushed its head last.
    pub last_pusher_id: Option<Id>,
    /// A merge under way.
    pub merge_intent: Option<MergeIntent>,
    /// Who merged it.
    pub merged_by: Option<User>,
    /// What the base branch was moved to.
    pub merge_commit_sha: Option<String>,
    /// When it was merged, in milliseconds since 1970.
    pub merged_at_ms: Option<i64>,
    /// When it was merged or closed, in milliseconds since 1970.
    pub closed_at_ms: Option<i64>,
    /// When it was opened, in milliseconds since 1970.
    pub created_at_ms: i64,
    /// When it changed last, in milliseconds since 1970.
    pub updated_at_ms: i64,
}

impl Pull {
    /// From a row with the columns of `sql/pull_find.sql`.
    ///
    /// # Errors
    /// [`DbError::Bug`] when a column is missing.
    pub fn from_row(row: &Row) -> Result<Self, DbError> {
        let unknown = |what: &str| DbError::Bug(format!("a pull request with an unknown {what}"));
        let state: String = row.get("state")?;
        let mergeable: String = row.get("mergeable")?;
        Ok(Self {
            id: row.get("id")?,
            number: row.get("number")?,
            title: row.get("title")?,
            body: row.get("body")?,
            state: PullState::from_word(&state).ok_or_else(|| unknown("state"))?,
            author: User::from_row(row, "author")?.ok_or_else(|| unknown("author"))?,
            author_name: row.get("author_name")?,
            author_email: row.get("author_email")?,
            base_branch: row.get("base_branch")?,
            head_branch: row.get("head_branch")?,
            head_sha: row.get("head_sha")?,
            base_sha: row.get("base_sha")?,
            behind: row.get("behind")?,
            ahead: row.get("ahead")?,
            changed_files: row.get("changed_files")?,
            mergeable: Mergeable::from_word(&mergeable).ok_or_else(|| unknown("mergeability"))?,
            conflict_files: row.get("conflict_files")?,
            last_pusher_id: row.get("last_pusher_id")?,
            merge_intent: intent(row)?,
            merged_by: User::from_row(row, "merged_by")?,
            merge_commit_sha: row.get("merge_commit_sha")?,
            merged_at_ms: row.get("merged_at_ms")?,
            closed_at_ms: row.get("closed_at_ms")?,
            created_at_ms: row.get("created_at_ms")?,
            updated_at_ms: row.get("updated_at_ms")?,
        })
    }

    /// What events of this pull request are about.
    pub fn subject(&self) -> String {
        subject(self.number)
    }

    /// The part that the data of every event of a pull request has.
    pub fn event_data(&self) -> Value {
        json!({
            "number": self.number,
            "head": self.head_branch,
            "head_sha": self.head_sha,
            "base": self.base_branch,
        })
    }
}

fn intent(row: &Row) -> Result<Option<MergeIntent>, DbError> {
    let sha: Option<String> = row.get("merge_intent_sha")?;
    let method: Option<String> = row.get("merge_intent_method")?;
    let actor: Option<Id> = row.get("merge_intent_actor_id")?;
    let (Some(sha), Some(method), Some(actor)) = (sha, method, actor) else {
        return Ok(None);
    };
    let method = method_of_column(&method)?;
    Ok(Some(MergeIntent { sha, method, actor }))
}

/// A merge method by its stored word.
///
/// # Errors
/// [`DbError::Bug`] for a word that the database would not take.
pub fn method_of_column(word: &str) -> Result<MergeMethod, DbError> {
    MergeMethod::parse(word)
        .map_err(|UnknownMergeMethod(word)| DbError::Bug(format!("the merge method {word}")))
}

/// What events of a pull request are about.
pub fn subject(number: i64) -> String {
    format!("pull/{number}")
}

/// A pull request by its number.
///
/// # Errors
/// [`Fault::NotFound`] when the repository has none of that number.
pub async fn find(db: &Db, repository: &Repository, number: i64) -> Result<Pull, Fault> {
    let row = db
        .optional(
            include_str!("sql/pull_find.sql"),
            params![repository.id, number, None::<Id>],
        )
        .await?;
    let row = row.ok_or_else(|| Fault::not_found(format!("Pull request #{number}")))?;
    Ok(Pull::from_row(&row)?)
}

/// A pull request by its id.
///
/// # Errors
/// [`Fault::NotFound`] when it is gone.
pub async fn by_id(db: &Db, repository: Id, id: Id) -> Result<Pull, Fault> {
    let row = db
        .optional(
            include_str!("sql/pull_find.sql"),
            params![repository, None::<i64>, id],
        )
        .await?;
    let row = row.ok_or_else(|| Fault::not_found("The pull request"))?;
    Ok(Pull::from_row(&row)?)
}

/// As [`by_id`], held: nobody else merges, closes or changes it until the transaction is over.
///
/// # Errors
/// As [`by_id`].
pub async fn hold(tx: &Transaction, repository: Id, id: Id) -> Result<Pull, Fault> {
    // A statement of its own: the one that waited sees the row as it was when it began to wait.
    tx.query(include_str!("sql/pull_hold.sql"), params![id])
        .await?;
    by_id(tx, repository, id).await
}

/// Where a pull request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its workspace.
    pub workspace: Id,
    /// Its repository.
    pub repository: Id,
    /// Its id.
    pub pull: Id,
}

/// What landed a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// What the base branch was moved to.
    pub sha: String,
    /// Who wanted it; none when nobody is known.
    pub by: Option<Id>,
    /// How: `merge`, `squash`, `rebase`, `fast-forward`, or `push` when somebody pushed it to the base branch.
    pub method: &'static str,
}

/// Records that a pull request is on its base branch, and publishes `pull.merged`; false when it was recorded already.
/// For whoever finds the base branch to contain it: doing it twice changes nothing.
///
/// # Errors
/// As [`DbError`] says.
pub async fn record_merged(
    tx: &Transaction,
    place: Place,
    merged: &Merged,
) -> Result<bool, DbError> {
    let params = params![place.pull, merged.sha, merged.by];
    let Some(row) = tx
        .optional(include_str!("sql/pull_record_merged.sql"), params)
        .await?
    else {
        return Ok(false);
    };
    let mut data = ended_data(&row)?;
    data["merge_commit_sha"] = json!(merged.sha);
    data["method"] = json!(merged.method);
    publish_of(
        tx,
        place,
        "pull.merged",
        row.get("number")?,
        data,
        merged.by,
    )
    .await?;
    tick_queues(tx, place).await?;
    Ok(true)
}

/// Closes a pull request, takes it out of its queue, and publishes `pull.closed` with the reason; false when it was not
/// open.
///
/// # Errors
/// As [`DbError`] says.
pub async fn record_closed(
    tx: &Transaction,
    place: Place,
    reason: &str,
    by: Option<Id>,
) -> Result<bool, DbError> {
    let Some(row) = tx
        .optional(
            include_str!("sql/pull_record_closed.sql"),
            params![place.pull],
        )
        .await?
    else {
        return Ok(false);
    };
    let mut data = ended_data(&row)?;
    data["reason"] = json!(reason);
    publish_of(tx, place, "pull.closed", row.get("number")?, data, by).await?;
    queues::leave(tx, place, by, &Removal::Closed, None).await?;
    tick_queues(tx, place).await?;
    Ok(true)
}

fn ended_data(row: &Row) -> Result<Value, DbError> {
    let (number, head, head_sha): (i64, String, String) = (
        row.get("number")?,
        row.get("head_branch")?,
        row.get("head_sha")?,
    );
    Ok(
        json!({ "number": number, "head": head, "head_sha": head_sha, "base": row.get::<String>("base_branch")? }),
    )
}

async fn publish_of(
    tx: &Transaction,
    place: Place,
    kind: &str,
    number: i64,
    data: Value,
    by: Option<Id>,
) -> Result<(), DbError> {
    let event =
        NewEvent::new(place.workspace, kind, subject(number), data).repository(place.repository);
    let event = match by {
        Some(actor) => event.actor(actor),
        None => event,
    };
    publish(tx, event).await?;
    Ok(())
}

/// Asks for a look at every queue that a pull request is in: something about it changed.
///
/// # Errors
/// As [`DbError`] says.
pub async fn tick_queues(tx: &Transaction, place: Place) -> Result<(), DbError> {
    for row in tx
        .query(include_str!("sql/pull_queues.sql"), params![place.pull])
        .await?
    {
        let branch: String = row.get("base_branch")?;
        publish(
            tx,
            NewEvent::queue_tick(place.workspace, place.repository, &branch),
        )
        .await?;
    }
    Ok(())
}
