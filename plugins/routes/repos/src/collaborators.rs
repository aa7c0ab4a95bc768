//! Roles on a repository.

use g1t_kit::access::{role_of_rank, role_of_word, role_word};
use g1t_kit::db::Db;
use g1t_kit::shape::User;
use g1t_kit::{Fault, Id, Reply, Repository, Request, params, types::Role};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Put {
    permission: Option<String>,
}

async fn user(db: &Db, login: &str) -> Result<User, Fault> {
    let row = db
        .optional(include_str!("sql/user_find.sql"), params![login])
        .await?;
    let row = row.ok_or_else(|| Fault::not_found(format!("The user {login}")))?;
    User::from_row(&row, "user")?.ok_or_else(|| Fault::not_found(format!("The user {login}")))
}

/// Gives somebody a role on the repository; `write` when none is named.
pub async fn put(
    db: &Db,
    request: &Request,
    repository: &Repository,
    login: &str,
) -> Result<Reply, Fault> {
    let body: Put = request.github_json_or_empty()?;
    let word = body.permission.as_deref().unwrap_or("write");
    let role = role_of_word(word).filter(|role| *role != Role::None);
    let Some(role) = role else {
        let told = "is one of pull, triage, push, maintain, admin";
        return Err(Fault::field("Collaborator", "permission", told));
    };
    let user = user(db, login).await?;
    db.execute(
        include_str!("sql/collaborator_put.sql"),
        params![
            repository.workspace_id,
            repository.id,
            user.id,
            role_word(role)
        ],
    )
    .await?;
    Ok(Reply::no_content())
}

/// The role somebody has, from wherever it comes.
pub async fn permission(
    db: &Db,
    request: &Request,
    repository: &Repository,
    login: &str,
) -> Result<Reply, Fault> {
    let user = user(db, login).await?;
    let asked: Id = user.id;
    let row = db
        .one(include_str!("sql/role.sql"), params![asked, repository.id])
        .await?;
    let role = role_of_rank(row.get("role_rank")?);
    // GitHub's older word knows four; the finer role is beside it.
    let permission = match role {
        Role::None => "none",
        Role::Read | Role::Triage => "read",
        Role::Write | Role::Maintain => "write",
        Role::Admin => "admin",
    };
    Reply::ok(
        &json!({ "permission": permission, "role_name": role_word(role), "user": user.json(request) }),
    )
}
