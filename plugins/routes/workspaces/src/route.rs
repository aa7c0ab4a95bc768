//! Which request is answered where.

use g1t_kit::access::{self, Membership};
use g1t_kit::db::Db;
use g1t_kit::{Fault, Reply, Request, no_such_route};

use crate::{members, tokens, workspace};

/// Answers a request.
pub async fn route(request: &Request) -> Result<Reply, Fault> {
    let segments = request.segments();
    let method = request.method().as_str();
    let db = Db::open().await?;
    match (method, segments.as_slice()) {
        ("POST", ["workspaces"]) => workspace::create(db, request).await,
        ("GET", ["workspaces", _]) => {
            let id = access::workspace(&db, request, Membership::Member).await?;
            workspace::read(&db, request, id).await
        }
        ("PATCH", ["workspaces", _]) => {
            let id = access::workspace(&db, request, Membership::Owner).await?;
            workspace::change(db, request, id).await
        }
        ("GET", ["workspaces", _, "members"]) => {
            let id = access::workspace(&db, request, Membership::Member).await?;
            members::list(&db, request, id).await
        }
        ("PUT", ["workspaces", _, "members", login]) => {
            let id = access::workspace(&db, request, Membership::Owner).await?;
            members::put(db, request, id, login).await
        }
        ("GET", ["workspaces", _, "tokens"]) => {
            let id = access::workspace(&db, request, Membership::Owner).await?;
            tokens::list(&db, request, id).await
        }
        ("POST", ["workspaces", _, "tokens"]) => {
            let id = access::workspace(&db, request, Membership::Owner).await?;
            tokens::create(db, request, id).await
        }
        ("DELETE", ["workspaces", _, "tokens", token]) => {
            let id = access::workspace(&db, request, Membership::Owner).await?;
            tokens::revoke(&db, id, token).await
        }
        _ => Err(no_such_route(request)),
    }
}
