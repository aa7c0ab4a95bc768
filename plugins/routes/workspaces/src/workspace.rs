//! A workspace itself.

use g1t_kit::db::{Db, Row};
use g1t_kit::{
    DbError, Fault, FieldError, Id, Reply, Request, Scope, idempotency, params, shape, time,
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    base_permission: String,
}

/// Longest name; the same rule as the CHECK of `workspaces.name`.
const NAME_CHARACTERS: usize = 39;

/// What is wrong with a name; none when it is fine.
pub fn name_error(name: &str) -> Option<FieldError> {
    let well_formed = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let fine = !name.is_empty()
        && name.len() <= NAME_CHARACTERS
        && name.chars().all(well_formed)
        && !name.starts_with('-');
    let told = "a name has 1 to 39 letters, digits and '-', and does not begin with '-'";
    (!fine).then(|| FieldError::invalid("Workspace", "name", told))
}

/// Makes a workspace; whoever makes it owns it.
pub async fn create(db: Db, request: &Request) -> Result<Reply, Fault> {
    let actor = request.actor();
    actor.refuse_agents("make workspaces")?;
    actor.require_scope(Scope::WorkspaceCreate)?;
    let body: Create = request.own_json()?;
    if let Some(error) = name_error(&body.name) {
        return Err(Fault::validation(vec![error]));
    }
    let tx = db.begin().await?;
    if let Some(reply) = idempotency::answered(&tx, request).await? {
        return Ok(reply);
    }
    let made = tx
        .one(include_str!("sql/create.sql"), params![body.name, actor.id])
        .await;
    let row = match made {
        Ok(row) => row,
        Err(error) if error.is_unique() => {
            return Err(Fault::field(
                "Workspace",
                "name",
                "this name is taken: choose another",
            ));
        }
        Err(error) => return Err(error.into()),
    };
    let id: Id = row.get("id")?;
    let row = tx.one(include_str!("sql/read.sql"), params![id]).await?;
    let reply = Reply::created(&shape(request, &row)?)?
        .location(request.api_url(&format!("/workspaces/{}", body.name)));
    idempotency::keep(&tx, request, &reply).await?;
    tx.commit().await?;
    Ok(reply)
}

/// Reads a workspace.
pub async fn read(db: &Db, request: &Request, id: Id) -> Result<Reply, Fault> {
    let row = db.one(include_str!("sql/read.sql"), params![id]).await?;
    Reply::ok(&shape(request, &row)?)
}

/// Changes the role that members have on every repository.
pub async fn change(db: Db, request: &Request, id: Id) -> Result<Reply, Fault> {
    let body: Change = request.own_json()?;
    if !matches!(
        body.base_permission.as_str(),
        "none" | "read" | "write" | "admin"
    ) {
        let told = "is one of none, read, write, admin";
        return Err(Fault::field("Workspace", "base_permission", told));
    }
    db.execute(
        include_str!("sql/change.sql"),
        params![id, body.base_permission],
    )
    .await?;
    read(&db, request, id).await
}

fn shape(request: &Request, row: &Row) -> Result<Value, DbError> {
    let id: Id = row.get("id")?;
    let name: String = row.get("name")?;
    let mut json = shape::owner(request, id, &name);
    json["name"] = json!(name);
    json["base_permission"] = json!(row.get::<String>("base_permission")?);
    json["created_at"] = json!(time::rfc3339(row.get("created_at_ms")?));
    json["url"] = json!(request.api_url(&format!("/workspaces/{name}")));
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::name_error;

    #[test]
    fn names_that_could_not_stand_in_an_address_are_refused() {
        for fine in ["acme", "Acme-2", "a"] {
            assert!(name_error(fine).is_none(), "{fine}");
        }
        for wrong in ["", "-a", "a b", "a/b", "ümlaut", &"x".repeat(40)] {
            assert!(name_error(wrong).is_some(), "{wrong}");
        }
    }
}
