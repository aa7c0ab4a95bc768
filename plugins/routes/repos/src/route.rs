//! Which request is answered where.

use g1t_kit::access::{self, Membership, Need};
use g1t_kit::db::Db;
use g1t_kit::{Fault, Reply, Request, no_such_route, shape::User};

use crate::{collaborators, create, history, settings, shape};

/// Answers a request.
pub async fn route(request: &Request) -> Result<Reply, Fault> {
    let segments = request.segments();
    let method = request.method().as_str();
    let db = Db::open().await?;
    match (method, segments.as_slice()) {
        ("GET", ["user"]) => user(request),
        ("POST", ["orgs", _, "repos"]) => {
            let workspace = access::workspace(&db, request, Membership::Member).await?;
            create::create(db, request, workspace).await
        }
        ("GET", ["orgs", _, "repos"]) => {
            let workspace = access::workspace(&db, request, Membership::Member).await?;
            create::list(&db, request, workspace).await
        }
        ("GET", ["repos", _, repo]) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            Reply::ok(&shape::repository(request, &repository))
        }
        ("PATCH", ["repos", _, repo]) => {
            let repository = access::repository(&db, request, repo, Need::Maintain).await?;
            settings::change(db, request, &repository).await
        }
        ("PUT", ["repos", _, repo, "collaborators", login]) => {
            let repository = access::repository(&db, request, repo, Need::Admin).await?;
            collaborators::put(&db, request, &repository, login).await
        }
        ("GET", ["repos", _, repo, "collaborators", login, "permission"]) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            collaborators::permission(&db, request, &repository, login).await
        }
        ("GET", ["repos", _, repo, rest @ ..]) => {
            let repository = access::repository(&db, request, repo, Need::Read).await?;
            match rest {
                ["branches"] => history::branches(&db, request, &repository).await,
                ["branches", branch @ ..] => {
                    history::branch(&db, request, &repository, &branch.join("/")).await
                }
                ["commits"] => history::commits(request, &repository).await,
                ["git", "ref", name @ ..] => {
                    history::git_ref(request, &repository, &name.join("/")).await
                }
                _ => Err(no_such_route(request)),
            }
        }
        _ => Err(no_such_route(request)),
    }
}

/// Who the token is.
fn user(request: &Request) -> Result<Reply, Fault> {
    let actor = request.actor();
    let user = User {
        id: actor.id,
        login: actor.login.clone(),
        kind: actor.kind,
    };
    Reply::ok(&user.json(request))
}
