//! Which request is answered where.

use g1t_kit::access::{self, Need};
use g1t_kit::db::Db;
use g1t_kit::types::Role;
use g1t_kit::{Fault, Reply, Request, no_such_route};

use crate::{change, view};

/// Answers a request.
pub async fn route(request: &Request) -> Result<Reply, Fault> {
    let segments = request.segments();
    let ["repos", _, repo, "queue", rest @ ..] = segments.as_slice() else {
        return Err(no_such_route(request));
    };
    let db = Db::open().await?;
    match (request.method().as_str(), rest) {
        ("GET", ["entries", id]) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            view::one(&db, request, &repository, id).await
        }
        ("DELETE", ["entries", id]) => {
            let repository = access::repository(&db, request, repo, Need::Write).await?;
            change::remove(db, request, &repository, id).await
        }
        ("PATCH", ["entries", id]) => {
            let repository = access::repository(&db, request, repo, Need::Maintain).await?;
            repository.require(Role::Admin)?;
            change::put_first(db, request, &repository, id).await
        }
        ("GET", []) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            view::queue(&db, request, &repository, &repository.default_branch).await
        }
        ("GET", branch) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            view::queue(&db, request, &repository, &branch.join("/")).await
        }
        _ => Err(no_such_route(request)),
    }
}
