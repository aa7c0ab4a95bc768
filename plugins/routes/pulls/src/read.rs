//! One pull request, its files and its commits.

use g1t_kit::db::Db;
use g1t_kit::pulls::{Pull, PullState};
use g1t_kit::time::rfc3339;
use g1t_kit::types::{Commit, File, FileStatus, Signature, Signed};
use g1t_kit::{Fault, Id, Page, Reply, Repository, Request, git, params};
use serde_json::{Value, json};

use crate::view;

/// Files and commits of one pull request that are listed; GitHub's numbers.
const MOST_FILES: u32 = 3_000;
const MOST_COMMITS: u32 = 250;

/// Answers with a pull request.
pub async fn one(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
) -> Result<Reply, Fault> {
    Reply::ok(&json_of(db, request, repository, pull).await?)
}

/// A pull request with what it overlaps with and its place in the queue.
pub async fn json_of(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
) -> Result<Value, Fault> {
    let mut json = view::whole(request, repository, pull);
    let mut overlaps = Vec::new();
    for row in db
        .query(include_str!("sql/overlaps.sql"), params![pull.id])
        .await?
    {
        overlaps.push(json!({
            "number": row.get::<i64>("number")?,
            "title": row.get::<String>("title")?,
            "files": row.get::<Vec<String>>("files")?,
        }));
    }
    json["overlaps"] = json!(overlaps);
    json["queue"] = queue_entry(db, pull.id).await?.unwrap_or_default();
    Ok(json)
}

/// The live entry of a pull request.
pub async fn queue_entry(db: &Db, pull: Id) -> Result<Option<Value>, Fault> {
    let row = db
        .optional(include_str!("sql/queue_entry.sql"), params![pull])
        .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(json!({
        "entry": row.get::<String>("id")?,
        "state": row.get::<String>("state")?,
        "reason": row.get::<String>("reason")?,
        "reason_code": row.get::<String>("reason_code")?,
        "branch": row.get::<String>("base_branch")?,
        "position": row.get::<i64>("place")?,
    })))
}

/// 204 when it is merged.
pub fn is_merged(pull: &Pull) -> Result<Reply, Fault> {
    if pull.state == PullState::Merged {
        return Ok(Reply::no_content());
    }
    Err(Fault::not_found(format!(
        "A merge of pull request #{}",
        pull.number
    )))
}

/// The files it changes.
pub async fn files(
    request: &Request,
    repository: &Repository,
    pull: &Pull,
) -> Result<Reply, Fault> {
    let (base, head) = (pull.base_sha.clone(), pull.head_sha.clone());
    let files = git::changes(repository.git_id(), base, head, MOST_FILES).await?;
    part(request, files.files, |file| file_json(&file))
}

/// Its commits, oldest first.
pub async fn commits(
    request: &Request,
    repository: &Repository,
    pull: &Pull,
) -> Result<Reply, Fault> {
    let (base, head) = (pull.base_sha.clone(), pull.head_sha.clone());
    let commits = git::commits(repository.git_id(), base, head, MOST_COMMITS).await?;
    part(request, commits.commits, |commit| {
        commit_json(request, repository, &commit)
    })
}

/// One page of a list that is there as a whole.
fn part<T>(request: &Request, all: Vec<T>, json: impl Fn(T) -> Value) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let from = page.after_id()?.unwrap_or(page.offset()).max(0);
    let (skip, take) = (
        usize::try_from(from).unwrap_or(usize::MAX),
        usize::try_from(page.limit()).unwrap_or(usize::MAX),
    );
    let items: Vec<Value> = all.into_iter().skip(skip).take(take).map(json).collect();
    let (items, next) = page.cut(items, |_| (from + page.per_page()).to_string());
    Reply::list(request, &items, next)
}

/// Lines are not counted here: GitHub's fields for them are zero, as for a file that is not text.
fn file_json(file: &File) -> Value {
    let mut json = json!({
        "sha": "",
        "filename": file.path,
        "status": match file.status {
            FileStatus::Added => "added",
            FileStatus::Modified => "modified",
            FileStatus::Removed => "removed",
            FileStatus::Renamed => "renamed",
            FileStatus::ModeChanged => "changed",
        },
        "additions": 0,
        "deletions": 0,
        "changes": 0,
        "size": file.size_bytes,
    });
    if let Some(previous) = &file.previous_path {
        json["previous_filename"] = json!(previous);
    }
    json
}

fn commit_json(request: &Request, repository: &Repository, commit: &Commit) -> Value {
    let path = view::path(repository);
    let url = |sha: &str| request.api_url(&format!("{path}/commits/{sha}"));
    let parent = |sha: &String| json!({ "sha": sha, "url": url(sha) });
    json!({
        "sha": commit.id,
        "node_id": g1t_kit::shape::node_id("Commit", &commit.id),
        "url": url(&commit.id),
        "commit": {
            "message": commit.message,
            "author": person(&commit.author),
            "committer": person(&commit.committer),
            "comment_count": 0,
            "verification": {
                "verified": commit.signed == Signed::Verified,
                "reason": match commit.signed {
                    Signed::Unsigned => "unsigned",
                    Signed::Verified => "valid",
                    Signed::Unverified => "unknown_key",
                },
            },
        },
        "author": null,
        "committer": null,
        "parents": commit.parents.iter().map(parent).collect::<Vec<_>>(),
    })
}

fn person(of: &Signature) -> Value {
    json!({ "name": of.name, "email": of.email, "date": rfc3339(of.when) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use g1t_kit::testing::request;

    #[test]
    fn a_whole_list_is_given_in_pages() {
        let first = request("GET", "/x?per_page=2").build();
        let reply = part(&first, vec![1, 2, 3], |item| json!(item)).expect("a page");
        assert_eq!(reply.body(), "[1,2]");
        let second = request("GET", "/x?per_page=2&page=2").build();
        let reply = part(&second, vec![1, 2, 3], |item| json!(item)).expect("a page");
        assert_eq!(reply.body(), "[3]");
    }
}
