//! Who is in a workspace.

use g1t_kit::db::{Db, Transaction};
use g1t_kit::shape::User;
use g1t_kit::{Fault, Id, Page, Reply, Request, params};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Put {
    role: String,
}

/// Everybody in the workspace, by login.
pub async fn list(db: &Db, request: &Request, workspace: Id) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let after = page.after().map(str::to_owned);
    let params = params![workspace, after, page.limit(), page.offset()];
    let rows = db.query(include_str!("sql/members.sql"), params).await?;
    let mut members = Vec::new();
    for row in &rows {
        let Some(user) = User::from_row(row, "user")? else {
            continue;
        };
        let mut json: Value = user.json(request);
        json["role"] = json!(row.get::<String>("role")?);
        members.push(json);
    }
    let key = |member: &Value| member["login"].as_str().unwrap_or_default().to_lowercase();
    let (members, next) = page.cut(members, key);
    Reply::list(request, &members, next)
}

/// Takes a person in, or changes their role. A login nobody has yet becomes a person: whoever owns the workspace then
/// gives them a token.
pub async fn put(db: Db, request: &Request, workspace: Id, login: &str) -> Result<Reply, Fault> {
    let body: Put = request.own_json()?;
    if !matches!(body.role.as_str(), "owner" | "member") {
        return Err(Fault::field("Member", "role", "is one of owner, member"));
    }
    if !is_login(login) {
        let told = "a login has 1 to 39 letters, digits, '.', '_' and '-', and begins with a letter or digit";
        return Err(Fault::field("Member", "login", told));
    }
    let tx = db.begin().await?;
    tx.execute(
        include_str!("sql/user_ensure.sql"),
        params![login, "person", None::<Id>],
    )
    .await?;
    let user = tx
        .one(include_str!("sql/user_find.sql"), params![login])
        .await?;
    let kind: String = user.get("kind")?;
    if kind != "person" {
        return Err(Fault::field(
            "Member",
            "login",
            "agents belong where their person does: add the person",
        ));
    }
    let id: Id = user.get("id")?;
    if body.role != "owner" {
        require_another_owner(&tx, workspace, id).await?;
    }
    tx.execute(
        include_str!("sql/member_put.sql"),
        params![workspace, id, body.role],
    )
    .await?;
    tx.commit().await?;
    Reply::ok(&json!({ "login": login, "role": body.role }))
}

/// Nothing unless this is the only owner: a workspace that nobody owns could never be changed again.
async fn require_another_owner(tx: &Transaction, workspace: Id, user: Id) -> Result<(), Fault> {
    let owners = tx
        .query(include_str!("sql/owners_hold.sql"), params![workspace])
        .await?;
    let owners = owners
        .iter()
        .map(|row| row.get("user_id"))
        .collect::<Result<Vec<Id>, _>>()?;
    if owners == [user] {
        return Err(Fault::conflict(
            "last_owner",
            "this is the only owner of the workspace: make somebody else an owner first",
        ));
    }
    Ok(())
}

/// The same rule as the CHECK of `users.login`.
pub fn is_login(login: &str) -> bool {
    let well_formed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let begins = login
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphanumeric());
    begins && login.len() <= 39 && login.chars().all(well_formed)
}

#[cfg(test)]
mod tests {
    use super::is_login;

    #[test]
    fn logins_are_held_to_the_tables_rule() {
        assert!(is_login("ada") && is_login("a.b_c-d1"));
        assert!(!is_login("") && !is_login("-a") && !is_login("a b") && !is_login(&"x".repeat(40)));
    }
}
