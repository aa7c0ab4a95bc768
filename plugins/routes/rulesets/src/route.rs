//! Which request is answered where.

use g1t_kit::access::{self, Membership, Need};
use g1t_kit::db::Db;
use g1t_kit::{Fault, Id, Reply, Request, no_such_route, params};

use crate::place::Place;
use crate::{change, view};

/// Answers a request.
pub async fn route(request: &Request) -> Result<Reply, Fault> {
    let method = request.method().as_str();
    let segments = request.segments();
    let db = Db::open().await?;
    match segments.as_slice() {
        ["repos", _, repo, "rules", "branches", branch @ ..] if method == "GET" => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            view::branch(&db, request, &repository, &branch.join("/")).await
        }
        ["repos", _, repo, "rulesets", rest @ ..] => {
            let need = if method == "GET" {
                Need::Read
            } else {
                Need::Maintain
            };
            let repository = access::repository(&db, request, repo, need).await?;
            rulesets(db, request, &Place::Repository(repository), rest).await
        }
        ["orgs", _, "rulesets", rest @ ..] => {
            let place = workspace(&db, request, method == "GET").await?;
            rulesets(db, request, &place, rest).await
        }
        _ => Err(no_such_route(request)),
    }
}

async fn workspace(db: &Db, request: &Request, is_read: bool) -> Result<Place, Fault> {
    let need = if is_read {
        Membership::Member
    } else {
        Membership::Owner
    };
    let id = access::workspace(db, request, need).await?;
    let role = params![request.actor().id, id];
    let role = db.one(include_str!("sql/workspace_role.sql"), role).await?;
    Ok(Place::Workspace {
        id,
        name: request.workspace()?.name.clone(),
        is_owner: role.get::<Option<String>>("role")?.as_deref() == Some("owner"),
    })
}

async fn rulesets(db: Db, request: &Request, place: &Place, rest: &[&str]) -> Result<Reply, Fault> {
    match (request.method().as_str(), rest) {
        ("GET", []) => view::list(&db, request, place).await,
        ("POST", []) => change::create(db, request, place).await,
        ("GET", [id]) => view::one(&db, request, place, number(id)?).await,
        ("PUT", [id]) => change::update(db, request, place, number(id)?).await,
        ("DELETE", [id]) => change::delete(db, request, place, number(id)?).await,
        _ => Err(no_such_route(request)),
    }
}

fn number(id: &str) -> Result<Id, Fault> {
    id.parse().map_err(|_| view::no_ruleset(id))
}
