//! A pull request in GitHub's shape.

use g1t_kit::percent::encode;
use g1t_kit::pulls::{Mergeable, Pull, PullState};
use g1t_kit::shape::{node_id, owner};
use g1t_kit::time::rfc3339;
use g1t_kit::{Repository, Request};
use serde_json::{Value, json};

/// What lists give of a pull request.
pub fn summary(request: &Request, repository: &Repository, pull: &Pull) -> Value {
    let path = format!(
        "/repos/{}/{}",
        encode(&repository.workspace),
        encode(&repository.name)
    );
    let url = request.api_url(&format!("{path}/pulls/{}", pull.number));
    let html = format!(
        "{}/{}/pull/{}",
        request.public_url(),
        repository.full_name(),
        pull.number
    );
    let state = if pull.state.is_open() {
        "open"
    } else {
        "closed"
    };
    json!({
        "id": pull.id,
        "node_id": node_id("PullRequest", pull.id),
        "url": url,
        "html_url": html,
        "diff_url": format!("{html}.diff"),
        "patch_url": format!("{html}.patch"),
        "issue_url": request.api_url(&format!("{path}/issues/{}", pull.number)),
        "commits_url": format!("{url}/commits"),
        "review_comments_url": format!("{url}/comments"),
        "review_comment_url": request.api_url(&format!("{path}/pulls/comments{{/number}}")),
        "comments_url": request.api_url(&format!("{path}/issues/{}/comments", pull.number)),
        "statuses_url": request.api_url(&format!("{path}/statuses/{}", pull.head_sha)),
        "number": pull.number,
        "state": state,
        "locked": false,
        "title": pull.title,
        "body": Some(&pull.body).filter(|body| !body.is_empty()),
        "draft": pull.state == PullState::Draft,
        "user": pull.author.json(request),
        "labels": [],
        "milestone": null,
        "assignee": null,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "author_association": "MEMBER",
        "auto_merge": null,
        "active_lock_reason": null,
        "created_at": rfc3339(pull.created_at_ms),
        "updated_at": rfc3339(pull.updated_at_ms),
        "closed_at": pull.closed_at_ms.map(rfc3339),
        "merged_at": pull.merged_at_ms.map(rfc3339),
        "merge_commit_sha": pull.merge_commit_sha,
        "head": end(request, repository, &pull.head_branch, &pull.head_sha),
        "base": end(request, repository, &pull.base_branch, &pull.base_sha),
        "_links": links(request, &path, pull, &url, &html),
    })
}

fn links(request: &Request, path: &str, pull: &Pull, url: &str, html: &str) -> Value {
    let link = |address: String| json!({ "href": address });
    json!({
        "self": link(url.to_owned()),
        "html": link(html.to_owned()),
        "issue": link(request.api_url(&format!("{path}/issues/{}", pull.number))),
        "comments": link(request.api_url(&format!("{path}/issues/{}/comments", pull.number))),
        "review_comments": link(format!("{url}/comments")),
        "review_comment": link(request.api_url(&format!("{path}/pulls/comments{{/number}}"))),
        "commits": link(format!("{url}/commits")),
        "statuses": link(request.api_url(&format!("{path}/statuses/{}", pull.head_sha))),
    })
}

/// One end of a pull request: a branch and where it was.
fn end(request: &Request, repository: &Repository, branch: &str, sha: &str) -> Value {
    let owner = owner(request, repository.workspace_id, &repository.workspace);
    json!({
        "label": format!("{}:{branch}", repository.workspace),
        "ref": branch,
        "sha": sha,
        "user": owner,
        "repo": {
            "id": repository.id,
            "node_id": node_id("Repository", repository.id),
            "name": repository.name,
            "full_name": repository.full_name(),
            "private": repository.private,
            "owner": owner,
            "html_url": format!("{}/{}", request.public_url(), repository.full_name()),
            "clone_url": format!("{}/{}.git", request.public_url(), repository.full_name()),
            "description": repository.description,
            "fork": false,
            "url": request.api_url(&repository.api_path()),
            "default_branch": repository.default_branch,
        },
    })
}

/// What is known of one pull request beyond its row.
pub struct Detail {
    /// Rules that do not pass, for whoever asks.
    pub unmet: Vec<Value>,
    /// Other open pull requests that change the same files.
    pub overlaps: Vec<Value>,
    /// Its place in the queue.
    pub queue: Value,
}

/// What reading one pull request gives.
pub fn full(request: &Request, repository: &Repository, pull: &Pull, detail: Detail) -> Value {
    let mut json = summary(request, repository, pull);
    let is_merged = pull.state == PullState::Merged;
    json["merged"] = json!(is_merged);
    json["merged_by"] = json!(pull.merged_by.as_ref().map(|user| user.json(request)));
    json["mergeable"] = json!(mergeable(pull));
    json["mergeable_state"] = json!(mergeable_state(pull, !detail.unmet.is_empty()));
    json["rebaseable"] = Value::Null;
    json["comments"] = json!(0);
    json["review_comments"] = json!(0);
    json["maintainer_can_modify"] = json!(false);
    json["commits"] = json!(pull.ahead);
    json["changed_files"] = json!(pull.changed_files);
    json["behind"] = json!(pull.behind);
    json["conflict_files"] = json!(pull.conflict_files);
    json["unmet_rules"] = json!(detail.unmet);
    json["overlaps"] = json!(detail.overlaps);
    json["queue"] = detail.queue;
    json
}

/// GitHub's three answers: none while it is being found out, and for what has ended.
fn mergeable(pull: &Pull) -> Option<bool> {
    match pull.mergeable {
        Mergeable::Clean if pull.state.is_open() => Some(true),
        Mergeable::Conflicting if pull.state.is_open() => Some(false),
        Mergeable::Clean | Mergeable::Conflicting | Mergeable::Checking | Mergeable::Unknown => {
            None
        }
    }
}

/// GitHub's word for what stands in the way, the hardest first.
fn mergeable_state(pull: &Pull, has_unmet_rules: bool) -> &'static str {
    match (pull.state, pull.mergeable) {
        (PullState::Merged | PullState::Closed, _)
        | (_, Mergeable::Checking | Mergeable::Unknown) => "unknown",
        (_, Mergeable::Conflicting) => "dirty",
        (PullState::Draft, Mergeable::Clean) => "draft",
        (PullState::Open, Mergeable::Clean) if has_unmet_rules => "blocked",
        (PullState::Open, Mergeable::Clean) => "clean",
    }
}

#[cfg(test)]
pub(crate) mod tests;
