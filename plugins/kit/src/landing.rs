//! Landing a pull request on a state: what git is asked for, the same whether the queue or a person lands it.

use g1t_domain::message::{Message, Person, Subject, message};
use g1t_domain::{MergeMethod, PullNumber};

use crate::pulls::Pull;
use crate::{Fault, Repository, git, git_types};

/// Whom the commits that are made say as their committer.
const COMMITTER_NAME: &str = "g1t";
const COMMITTER_EMAIL: &str = "noreply@g1t.invalid";
/// Commits whose authors a squash names: more would make a message nobody reads.
const MAX_AUTHORED_COMMITS: u32 = 250;

/// What is to be landed, where and how.
#[derive(Clone, Debug)]
pub struct Landing<'a> {
    /// The state to land on.
    pub onto: &'a str,
    /// The head to land.
    pub head: &'a str,
    /// How.
    pub method: MergeMethod,
    /// Written into the commits that are made, in milliseconds since 1970: the same time gives the same commits.
    pub time_ms: i64,
    /// Queue branch to set to the result.
    pub branch: Option<String>,
    /// First line that was asked for instead of ours.
    pub asked_title: Option<&'a str>,
    /// Rest of the message that was asked for instead of ours.
    pub asked_body: Option<&'a str>,
}

/// The step that lands a pull request.
///
/// # Errors
/// What git says when the commits cannot be read.
pub async fn step(
    repository: &Repository,
    pull: &Pull,
    landing: Landing<'_>,
) -> Result<git_types::Step, Fault> {
    let author = author(pull);
    let message = step_message(repository, pull, &landing, &author).await?;
    Ok(git_types::Step {
        repository: repository.git_id(),
        onto: landing.onto.to_owned(),
        head: landing.head.to_owned(),
        method: git_method(landing.method),
        title: message.title,
        body: message.body,
        author: git_types::Person {
            name: author.name,
            email: author.email,
        },
        committer: git_types::Person {
            name: COMMITTER_NAME.to_owned(),
            email: COMMITTER_EMAIL.to_owned(),
        },
        time: landing.time_ms,
        branch: landing.branch,
    })
}

async fn step_message(
    repository: &Repository,
    pull: &Pull,
    landing: &Landing<'_>,
    author: &Person,
) -> Result<Message, Fault> {
    let authors = match landing.method {
        MergeMethod::Squash => authors(repository, landing).await?,
        MergeMethod::Merge | MergeMethod::Rebase | MergeMethod::FastForward => Vec::new(),
    };
    let head = format!("{}/{}", repository.workspace, pull.head_branch);
    Ok(message(
        landing.method,
        &Subject {
            number: PullNumber(u64::try_from(pull.number).unwrap_or_default()),
            title: &pull.title,
            body: &pull.body,
            head: &head,
            author,
            authors: &authors,
            asked_title: landing.asked_title,
            asked_body: landing.asked_body,
        },
    ))
}

async fn authors(repository: &Repository, landing: &Landing<'_>) -> Result<Vec<Person>, Fault> {
    let (onto, head) = (landing.onto.to_owned(), landing.head.to_owned());
    let commits = git::commits(repository.git_id(), onto, head, MAX_AUTHORED_COMMITS).await?;
    let person = |commit: crate::types::Commit| Person {
        name: commit.author.name,
        email: commit.author.email,
    };
    Ok(commits.commits.into_iter().map(person).collect())
}

/// The author of a squash. Git takes no empty name and no empty address.
fn author(pull: &Pull) -> Person {
    let login = &pull.author.login;
    let name = if pull.author_name.is_empty() {
        login.clone()
    } else {
        pull.author_name.clone()
    };
    let email = if pull.author_email.is_empty() {
        format!("{login}@users.g1t.invalid")
    } else {
        pull.author_email.clone()
    };
    Person { name, email }
}

fn git_method(method: MergeMethod) -> git_types::MergeMethod {
    match method {
        MergeMethod::Merge => git_types::MergeMethod::Merge,
        MergeMethod::Squash => git_types::MergeMethod::Squash,
        MergeMethod::Rebase => git_types::MergeMethod::Rebase,
        MergeMethod::FastForward => git_types::MergeMethod::FastForward,
    }
}
