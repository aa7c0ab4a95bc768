//! Which request is answered where.

use g1t_kit::access::{self, Need};
use g1t_kit::db::Db;
use g1t_kit::pulls::{Pull, find};
use g1t_kit::{Fault, Reply, Repository, Request, no_such_route};

use crate::{change, create, list, merge, parts, view};

/// Answers a request.
pub async fn route(request: &Request) -> Result<Reply, Fault> {
    let segments = request.segments();
    let ["repos", _, repo, "pulls", rest @ ..] = segments.as_slice() else {
        return Err(no_such_route(request));
    };
    let db = Db::open().await?;
    match (request.method().as_str(), rest) {
        ("GET", []) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            list::list(&db, request, &repository).await
        }
        ("POST", []) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            create::create(db, request, &repository).await
        }
        ("GET", [number]) => {
            let (repository, pull) = pull(&db, request, repo, number, Need::Read).await?;
            view::one(&db, request, &repository, &pull).await
        }
        ("PATCH", [number]) => {
            let (repository, pull) = pull(&db, request, repo, number, Need::Read).await?;
            change::change(db, request, &repository, pull).await
        }
        ("GET", [number, "files"]) => {
            let (repository, pull) = pull(&db, request, repo, number, Need::Read).await?;
            parts::files(request, &repository, &pull).await
        }
        ("GET", [number, "commits"]) => {
            let (repository, pull) = pull(&db, request, repo, number, Need::Read).await?;
            parts::commits(request, &repository, &pull).await
        }
        ("GET", [number, "merge"]) => {
            let (_, pull) = pull(&db, request, repo, number, Need::Read).await?;
            parts::is_merged(&pull)
        }
        ("PUT", [number, "merge"]) => {
            let (repository, pull) = pull(&db, request, repo, number, Need::Write).await?;
            merge::merge(request, &repository, pull.number).await
        }
        _ => Err(no_such_route(request)),
    }
}

async fn pull(
    db: &Db,
    request: &Request,
    repo: &str,
    number: &str,
    need: Need,
) -> Result<(Repository, Pull), Fault> {
    let repository = access::repository(db, request, repo, need).await?;
    let number = number
        .parse()
        .map_err(|_| Fault::not_found(format!("Pull request #{number}")))?;
    let pull = find(db, &repository, number).await?;
    Ok((repository, pull))
}
