//! GitHub's shapes of a repository and of what is in it.

use g1t_kit::types::{Commit, Role, Signature};
use g1t_kit::{Repository, Request, shape, time};
use serde_json::{Value, json};

/// A repository.
pub fn repository(request: &Request, repository: &Repository) -> Value {
    let full_name = repository.full_name();
    let url = request.api_url(&repository.api_path());
    let html_url = format!("{}/{full_name}", request.public_url());
    let at_least = |role: Role| repository.role >= role;
    json!({
        "id": repository.id,
        "node_id": shape::node_id("Repository", repository.id),
        "name": repository.name,
        "full_name": full_name,
        "owner": shape::owner(request, repository.workspace_id, &repository.workspace),
        "private": repository.private,
        "visibility": if repository.private { "private" } else { "public" },
        "description": repository.description,
        "fork": false,
        "archived": false,
        "disabled": false,
        "url": url,
        "html_url": html_url,
        "clone_url": format!("{html_url}.git"),
        "git_url": format!("{html_url}.git"),
        "default_branch": repository.default_branch,
        "topics": repository.topics,
        "allow_merge_commit": repository.allow_merge_commit,
        "allow_squash_merge": repository.allow_squash_merge,
        "allow_rebase_merge": repository.allow_rebase_merge,
        "created_at": time::rfc3339(repository.created_at_ms),
        "updated_at": time::rfc3339(repository.updated_at_ms),
        "pushed_at": repository.pushed_at_ms.map(time::rfc3339),
        "permissions": {
            "pull": at_least(Role::Read), "triage": at_least(Role::Triage), "push": at_least(Role::Write),
            "maintain": at_least(Role::Maintain), "admin": at_least(Role::Admin),
        },
    })
}

/// A commit.
pub fn commit(request: &Request, repository: &Repository, commit: &Commit) -> Value {
    let url = request.api_url(&format!("{}/commits/{}", repository.api_path(), commit.id));
    let html = format!(
        "{}/{}/commit/{}",
        request.public_url(),
        repository.full_name(),
        commit.id
    );
    json!({
        "sha": commit.id,
        "node_id": shape::node_id("Commit", &commit.id),
        "url": url,
        "html_url": html,
        "commit": {
            "author": signature(&commit.author),
            "committer": signature(&commit.committer),
            "message": commit.message,
        },
        "author": null,
        "committer": null,
        "parents": commit.parents.iter().map(|id| json!({ "sha": id })).collect::<Vec<_>>(),
    })
}

fn signature(signature: &Signature) -> Value {
    json!({ "name": signature.name, "email": signature.email, "date": time::rfc3339(signature.when) })
}
