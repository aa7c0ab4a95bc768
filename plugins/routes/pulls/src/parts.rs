//! Files and commits of a pull request, and whether it is merged.

use g1t_kit::git_types::FileDiff;
use g1t_kit::percent::encode;
use g1t_kit::pulls::{Pull, PullState};
use g1t_kit::time::rfc3339;
use g1t_kit::types::{Commit, FileStatus, Signature};
use g1t_kit::{Fault, Page, Reply, Repository, Request, git, git_types};
use serde_json::{Value, json};

/// As many as GitHub gives of one pull request.
const MOST_COMMITS: u32 = 250;

/// Files that a pull request changes, by their paths.
pub async fn files(
    request: &Request,
    repository: &Repository,
    pull: &Pull,
) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let wanted = git_types::DiffPage {
        after: page.after().map(str::to_owned),
        skip: number(page.offset()),
        limit: number(page.limit()),
    };
    let (base, head) = (pull.base_sha.clone(), pull.head_sha.clone());
    let files = git::diff(repository.git_id(), base, head, wanted).await?;
    let (files, next) = page.cut(files.files, |diff| diff.file.path.clone());
    let path = format!(
        "/repos/{}/{}",
        encode(&repository.workspace),
        encode(&repository.name)
    );
    let items: Vec<Value> = files
        .iter()
        .map(|diff| file_json(request, &path, &pull.head_sha, diff))
        .collect();
    Reply::list(request, &items, next)
}

fn file_json(request: &Request, path: &str, head: &str, diff: &FileDiff) -> Value {
    let file = &diff.file;
    let contents = request.api_url(&format!(
        "{path}/contents/{}?ref={head}",
        encode(&file.path)
    ));
    let mut json = json!({
        "sha": diff.blob,
        "filename": file.path,
        "status": status_word(file.status),
        "additions": diff.additions,
        "deletions": diff.deletions,
        "changes": u64::from(diff.additions) + u64::from(diff.deletions),
        "size": file.size_bytes,
        "contents_url": contents,
    });
    if let Some(previous) = &file.previous_path {
        json["previous_filename"] = json!(previous);
    }
    json
}

/// GitHub knows no word of its own for a change of mode.
fn status_word(status: FileStatus) -> &'static str {
    match status {
        FileStatus::Added => "added",
        FileStatus::Modified => "modified",
        FileStatus::Removed => "removed",
        FileStatus::Renamed => "renamed",
        FileStatus::ModeChanged => "changed",
    }
}

/// Commits of a pull request, oldest first.
pub async fn commits(
    request: &Request,
    repository: &Repository,
    pull: &Pull,
) -> Result<Reply, Fault> {
    let (base, head) = (pull.base_sha.clone(), pull.head_sha.clone());
    let commits = git::commits(repository.git_id(), base, head, MOST_COMMITS)
        .await?
        .commits;
    let page = Page::of(request)?;
    let skipped = match page.after_id()? {
        Some(seen) => count(seen),
        None => count(page.offset()),
    };
    let shown = count(page.per_page());
    let rest: Vec<Commit> = commits
        .into_iter()
        .skip(skipped)
        .take(count(page.limit()))
        .collect();
    let (commits, next) = page.cut(rest, |_| (skipped + shown).to_string());
    let path = format!(
        "/repos/{}/{}",
        encode(&repository.workspace),
        encode(&repository.name)
    );
    let items: Vec<Value> = commits
        .iter()
        .map(|commit| commit_json(request, &path, commit))
        .collect();
    Reply::list(request, &items, next)
}

fn commit_json(request: &Request, path: &str, commit: &Commit) -> Value {
    let url = |id: &str| request.api_url(&format!("{path}/commits/{id}"));
    let parents: Vec<Value> = commit
        .parents
        .iter()
        .map(|id| json!({ "sha": id, "url": url(id) }))
        .collect();
    json!({
        "sha": commit.id,
        "url": url(&commit.id),
        "commit": {
            "message": commit.message,
            "author": person(&commit.author),
            "committer": person(&commit.committer),
        },
        "author": null,
        "committer": null,
        "parents": parents,
    })
}

fn person(signature: &Signature) -> Value {
    json!({ "name": signature.name, "email": signature.email, "date": rfc3339(signature.when) })
}

/// 204 when it is merged, 404 when not, as GitHub.
pub fn is_merged(pull: &Pull) -> Result<Reply, Fault> {
    if pull.state == PullState::Merged {
        return Ok(Reply::no_content());
    }
    Err(Fault::not_found(format!(
        "A merge of pull request #{}",
        pull.number
    )))
}

fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or_default()
}

fn number(number: i64) -> u32 {
    u32::try_from(number).unwrap_or_default()
}
