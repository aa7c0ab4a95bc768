//! Which request is answered where.

use g1t_kit::access::{self, Need};
use g1t_kit::db::Db;
use g1t_kit::{Fault, Id, Reply, Request, no_such_route};

use crate::{change, view};

/// Answers a request.
pub async fn route(request: &Request) -> Result<Reply, Fault> {
    let segments = request.segments();
    let ["repos", _, repo, rest @ ..] = segments.as_slice() else {
        return Err(no_such_route(request));
    };
    let db = Db::open().await?;
    let method = request.method().as_str();
    let need = if method == "GET" {
        Need::Read
    } else {
        Need::Checks
    };
    let repository = access::repository(&db, request, repo, need).await?;
    match (method, rest) {
        ("POST", ["check-runs"]) => change::create(db, request, &repository).await,
        ("PATCH", ["check-runs", id]) => {
            change::update(db, request, &repository, number(id)?).await
        }
        ("GET", ["check-runs", id]) => view::one(&db, request, &repository, number(id)?).await,
        ("GET", ["check-runs", id, "annotations"]) => {
            view::annotations(&db, request, &repository, number(id)?).await
        }
        ("GET", ["commits", name, "check-runs"]) => {
            view::list(&db, request, &repository, name).await
        }
        _ => Err(no_such_route(request)),
    }
}

fn number(id: &str) -> Result<Id, Fault> {
    id.parse().map_err(|_| view::no_run(id))
}
