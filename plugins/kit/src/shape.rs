//! Shapes of GitHub's that several components give: a user, an owner, node ids.

use serde_json::{Value, json};

use crate::db::{DbError, Row};
use crate::percent::encode;
use crate::{ActorKind, Id, Request};

/// GitHub's "simple user".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Number of the user.
    pub id: Id,
    /// Login.
    pub login: String,
    /// Person, agent or system.
    pub kind: ActorKind,
}

impl User {
    /// From the columns `<prefix>_id`, `<prefix>_login` and `<prefix>_kind`; none when the id is NULL.
    ///
    /// # Errors
    /// [`DbError::Bug`] when a column is missing.
    pub fn from_row(row: &Row, prefix: &str) -> Result<Option<Self>, DbError> {
        let id: Option<Id> = row.get(&format!("{prefix}_id"))?;
        let Some(id) = id else { return Ok(None) };
        let kind: String = row.get(&format!("{prefix}_kind"))?;
        let login = row.get(&format!("{prefix}_login"))?;
        Ok(Some(Self {
            id,
            login,
            kind: ActorKind::from_word(&kind).unwrap_or(ActorKind::Person),
        }))
    }

    /// The JSON.
    pub fn json(&self, request: &Request) -> Value {
        account(request, self.id, &self.login, self.kind.github_type())
    }
}

/// The workspace as owner of its repositories: GitHub's "simple user" of the type `Organization`.
pub fn owner(request: &Request, id: Id, name: &str) -> Value {
    let mut owner = account(request, id, name, "Organization");
    owner["url"] = json!(request.api_url(&format!("/orgs/{}", encode(name))));
    owner
}

fn account(request: &Request, id: Id, login: &str, kind: &str) -> Value {
    let url = request.api_url(&format!("/users/{}", encode(login)));
    json!({
        "id": id,
        "node_id": node_id(kind, id),
        "login": login,
        "type": kind,
        "site_admin": false,
        "avatar_url": "",
        "gravatar_id": "",
        "url": url,
        "html_url": format!("{}/{}", request.public_url(), encode(login)),
        "followers_url": format!("{url}/followers"),
        "following_url": format!("{url}/following{{/other_user}}"),
        "gists_url": format!("{url}/gists{{/gist_id}}"),
        "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{url}/subscriptions"),
        "organizations_url": format!("{url}/orgs"),
        "repos_url": format!("{url}/repos"),
        "events_url": format!("{url}/events{{/privacy}}"),
        "received_events_url": format!("{url}/received_events"),
    })
}

/// GitHub's second name of everything: opaque, unique over kinds.
pub fn node_id(kind: &str, id: impl std::fmt::Display) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(format!("{kind}:{id}"))
}
