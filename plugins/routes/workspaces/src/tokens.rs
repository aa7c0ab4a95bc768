//! Tokens: made, listed, revoked. The token itself is in the answer that makes it and nowhere else.

use base64::Engine as _;
use g1t_kit::db::{Db, Row, Transaction};
use g1t_kit::{
    DbError, Fault, FieldError, Id, Page, Reply, Request, Scope, Scopes, digest, idempotency, ids,
    params, time,
};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::members::is_login;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    /// Whose token: a member, or with `agent` an agent that acts for the asker. The asker's own when left out.
    login: Option<String>,
    #[serde(default)]
    agent: bool,
    scopes: Vec<String>,
    #[serde(default)]
    note: String,
    /// Days until it is over; never when left out.
    expires_in_days: Option<i64>,
}

const SCOPES: [&str; 6] = [
    "repo:read",
    "repo:write",
    "repo:admin",
    "checks:write",
    "workspace:admin",
    "workspace:create",
];
/// Scopes that an agent's token may have: agents change neither access nor rules and report no checks.
const AGENT_SCOPES: [&str; 2] = ["repo:read", "repo:write"];
const NOTE_CHARACTERS: usize = 200;
/// Longest life that can be asked for: ten years.
const DAYS: i64 = 3_650;

fn errors(body: &Create) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let allowed: &[&str] = if body.agent { &AGENT_SCOPES } else { &SCOPES };
    if body.scopes.is_empty() {
        errors.push(FieldError::invalid(
            "Token",
            "scopes",
            "name at least one scope",
        ));
    }
    for scope in body
        .scopes
        .iter()
        .filter(|scope| !allowed.contains(&scope.as_str()))
    {
        let told = format!(
            "`{}` is not one of {}",
            scope.chars().take(40).collect::<String>(),
            allowed.join(", ")
        );
        errors.push(FieldError::invalid("Token", "scopes", told));
    }
    if body.note.chars().count() > NOTE_CHARACTERS {
        errors.push(FieldError::invalid(
            "Token",
            "note",
            "at most 200 characters",
        ));
    }
    if body
        .expires_in_days
        .is_some_and(|days| !(1..=DAYS).contains(&days))
    {
        errors.push(FieldError::invalid(
            "Token",
            "expires_in_days",
            "from 1 to 3650",
        ));
    }
    if body.login.as_deref().is_some_and(|login| !is_login(login))
        || (body.agent && body.login.is_none())
    {
        errors.push(FieldError::invalid(
            "Token",
            "login",
            "give a login of letters, digits, '.', '_' and '-'",
        ));
    }
    errors
}

/// Scopes that the asker's own token lacks: nobody makes a token that may do more than theirs.
fn beyond(scopes: &[String], own: &Scopes) -> Vec<FieldError> {
    scopes
        .iter()
        .filter(|word| Scope::from_word(word).is_some_and(|scope| !own.allow(scope)))
        .map(|word| {
            let told = format!("`{word}` is more than the token you ask with may do");
            FieldError::invalid("Token", "scopes", told)
        })
        .collect()
}

/// Makes a token for this workspace. Asked again by the same `Idempotency-Key`, the answer lacks the token itself: it is
/// kept nowhere.
pub async fn create(db: Db, request: &Request, workspace: Id) -> Result<Reply, Fault> {
    let body: Create = request.own_json()?;
    let asker = request.actor();
    let mut wrong = errors(&body);
    wrong.extend(beyond(&body.scopes, &asker.scopes));
    if !wrong.is_empty() {
        return Err(Fault::validation(wrong));
    }
    let tx = db.begin().await?;
    if let Some(reply) = idempotency::answered(&tx, request).await? {
        return Ok(reply);
    }
    let user = user(&tx, request, workspace, &body).await?;
    let token = new_token();
    let params = params![
        ids::prefixed("tok"),
        user,
        workspace,
        digest::sha256(token.as_bytes()).to_vec(),
        body.note,
        body.scopes,
        body.expires_in_days
    ];
    let row = tx.one(include_str!("sql/token_create.sql"), params).await?;
    let mut json = shape(&row)?;
    json["token"] = Value::Null;
    idempotency::keep(&tx, request, &Reply::created(&json)?).await?;
    tx.commit().await?;
    json["token"] = json!(token);
    Reply::created(&json)
}

/// Whose token is made: a member, or an agent of the asker's, which is made on its first token.
async fn user(
    tx: &Transaction,
    request: &Request,
    workspace: Id,
    body: &Create,
) -> Result<Id, Fault> {
    let asker = request.actor();
    let login = body.login.as_ref().unwrap_or(&asker.login);
    let wrong = |told: &str| Fault::field("Token", "login", told);
    if body.agent {
        let params = params![login, "agent", Some(asker.id)];
        tx.execute(include_str!("sql/user_ensure.sql"), params)
            .await?;
    }
    let user = tx
        .optional(include_str!("sql/user_find.sql"), params![login])
        .await?
        .ok_or_else(|| wrong("nobody has this login: add the person first"))?;
    let id: Id = user.get("id")?;
    if body.agent {
        let acts_for: Option<Id> = user.get("acts_for")?;
        if acts_for != Some(asker.id) {
            return Err(wrong(
                "this login is somebody else's: choose another for the agent",
            ));
        }
    } else if user.get::<String>("kind")? != "person" {
        return Err(wrong("is an agent's: ask for its token with `agent`"));
    } else if !is_member(tx, id, workspace).await? {
        return Err(wrong(
            "is not a member of the workspace: add the person first",
        ));
    }
    Ok(id)
}

async fn is_member(db: &Db, user: Id, workspace: Id) -> Result<bool, DbError> {
    db.one(include_str!("sql/is_member.sql"), params![user, workspace])
        .await?
        .get("is_member")
}

/// The workspace's tokens, newest first, without what they are.
pub async fn list(db: &Db, request: &Request, workspace: Id) -> Result<Reply, Fault> {
    let page = Page::of(request)?;
    let after = page.after().map(str::to_owned);
    let params = params![workspace, after, page.limit(), page.offset()];
    let rows = db.query(include_str!("sql/tokens.sql"), params).await?;
    let tokens = rows.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
    let key = |token: &Value| token["id"].as_str().unwrap_or_default().to_owned();
    let (tokens, next) = page.cut(tokens, key);
    Reply::list(request, &tokens, next)
}

/// Revokes a token. It works for a few seconds more at most.
pub async fn revoke(db: &Db, workspace: Id, token: &str) -> Result<Reply, Fault> {
    let revoked = db
        .execute(
            include_str!("sql/token_revoke.sql"),
            params![workspace, token],
        )
        .await?;
    if revoked == 0 {
        Err(Fault::not_found("The token"))
    } else {
        Ok(Reply::no_content())
    }
}

fn shape(row: &Row) -> Result<Value, DbError> {
    let moment = |column: &str| {
        row.get::<Option<i64>>(column)
            .map(|ms| ms.map(time::rfc3339))
    };
    Ok(json!({
        "id": row.get::<String>("id")?,
        "login": row.get::<String>("login")?,
        "kind": row.get::<String>("kind")?,
        "note": row.get::<String>("note")?,
        "scopes": row.get::<Vec<String>>("scopes")?,
        "created_at": moment("created_at_ms")?,
        "expires_at": moment("expires_at_ms")?,
        "last_used_at": moment("last_used_at_ms")?,
        "revoked_at": moment("revoked_at_ms")?,
    }))
}

/// A token nobody can guess: four random UUIDs have 488 random bits, of which their hash keeps 256.
fn new_token() -> String {
    let mut random = Vec::new();
    for _ in 0..4 {
        random.extend_from_slice(Uuid::new_v4().as_bytes());
    }
    let bytes = digest::sha256(&random);
    format!(
        "g1tw_{}",
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
    )
}

#[cfg(test)]
mod tests {
    use g1t_kit::Scopes;

    use super::{Create, beyond, errors, new_token};

    fn body(agent: bool, scopes: &[&str]) -> Create {
        let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        Create {
            login: Some("bot".into()),
            agent,
            scopes,
            note: String::new(),
            expires_in_days: None,
        }
    }

    #[test]
    fn an_agents_token_never_changes_rules_and_never_reports_checks() {
        assert!(errors(&body(true, &["repo:write"])).is_empty());
        for scope in ["repo:admin", "checks:write", "workspace:admin"] {
            assert_eq!(errors(&body(true, &[scope])).len(), 1, "{scope}");
            assert!(errors(&body(false, &[scope])).is_empty(), "{scope}");
        }
        assert_eq!(errors(&body(false, &["everything"])).len(), 1);
        assert_eq!(errors(&body(false, &[])).len(), 1);
    }

    #[test]
    fn nobody_makes_a_token_that_may_do_more_than_theirs() {
        let words = |words: &[&str]| {
            words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>()
        };
        let admin = Scopes::from_header("workspace:admin");
        assert!(
            beyond(
                &words(&["repo:admin", "checks:write", "workspace:admin"]),
                &admin
            )
            .is_empty()
        );
        assert_eq!(
            beyond(&words(&["repo:read", "workspace:create"]), &admin).len(),
            1
        );
    }

    #[test]
    fn tokens_have_the_form_that_the_host_looks_up() {
        let token = new_token();
        assert_eq!(token.len(), 48);
        assert!(token.starts_with("g1tw_"));
        assert_ne!(token, new_token());
    }
}
