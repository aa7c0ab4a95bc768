//! Smart HTTP: which repository a request is about, and whether its actor may.

use std::sync::Arc;

use http::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use sqlx::Row;
use tokio_util::sync::CancellationToken;
use tracing::warn;
use uuid::Uuid;

use super::judged::Push;
use super::refused::{Refused, busy};
use super::transfer::{GitSettings, Pack, Transfers};
use crate::identity::{Actor, Identity};
use crate::runtime::Services;
use crate::trigger::http::{Answer, full, token};

/// Git over HTTP.
pub struct GitTrigger {
    services: Arc<Services>,
    identity: Identity,
    transfers: Transfers,
}

/// The repository a request names, and what its actor may do there.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) repository: i64,
    pub(super) workspace: i64,
    pub(super) workspace_name: String,
    pub(super) name: String,
    pub(super) default_branch: String,
    pub(super) private: bool,
    pub(super) topics: Vec<String>,
    /// Rank: 0 none, 1 read, 2 triage, 3 write, 4 maintain, 5 admin.
    pub(super) role: i32,
    pub(super) owner: bool,
}

struct Asked<'a> {
    workspace: &'a str,
    repository: &'a str,
    pack: Pack,
    advertise: bool,
}

impl GitTrigger {
    /// Git for the repositories of `services`. Hooks are answered once [`GitTrigger::listen`] was called.
    pub fn new(services: Arc<Services>, identity: Identity, settings: GitSettings) -> Self {
        Self {
            transfers: Transfers::new(Arc::clone(&services), settings),
            services,
            identity,
        }
    }

    /// Begins to answer hooks, until `stop`.
    pub async fn listen(&self, stop: CancellationToken) -> std::io::Result<()> {
        self.transfers.listen(stop).await
    }

    /// Whether a path is git's and not the API's: its second segment names a repository as git does.
    pub fn is_git(path: &str) -> bool {
        repository(path).is_some()
    }

    /// Answers one request; never fails.
    pub async fn handle(&self, request: Request<Incoming>) -> Answer {
        match self.answer(request).await {
            Ok(answer) => answer,
            Err((status, sentence)) => {
                let mut answer = Response::new(full(format!("{sentence}\n")));
                *answer.status_mut() = status;
                let headers = answer.headers_mut();
                headers.insert(
                    CONTENT_TYPE,
                    HeaderValue::from_static("text/plain; charset=utf-8"),
                );
                if status == StatusCode::UNAUTHORIZED {
                    headers.insert(
                        WWW_AUTHENTICATE,
                        HeaderValue::from_static("Basic realm=\"g1t-work\""),
                    );
                }
                answer
            }
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Answer, Refused> {
        let path = request.uri().path().to_owned();
        let query = request.uri().query().unwrap_or_default().to_owned();
        let not_here = || {
            (
                StatusCode::NOT_FOUND,
                "There is nothing at this address.".to_owned(),
            )
        };
        let asked = asked(request.method(), &path, &query).ok_or_else(not_here)?;
        let token = token(request.headers()).ok_or_else(|| {
            (
                StatusCode::UNAUTHORIZED,
                "Give a token as the password, with any user name.".to_owned(),
            )
        })?;
        let actor = self
            .identity
            .actor(&token)
            .await
            .map_err(|_| busy())?
            .ok_or_else(|| {
                (
                    StatusCode::UNAUTHORIZED,
                    "The token is unknown, revoked or over.".to_owned(),
                )
            })?;
        let target = self.target(&asked, &actor).await?.ok_or_else(not_here)?;
        may(&asked, &actor, &target)?;
        let id = target.repository.unsigned_abs();
        if !self.services.repos.exists(id) {
            self.services
                .repos
                .create(id, &target.default_branch)
                .await
                .map_err(|error| {
                    warn!(
                        error = &error as &dyn std::error::Error,
                        "a repository could not be made"
                    );
                    busy()
                })?;
        }
        let push = Arc::new(Push {
            id: Uuid::now_v7(),
            actor,
            target,
        });
        if asked.advertise {
            return self.transfers.advertise(&request, asked.pack, &push).await;
        }
        self.transfers.run(request, asked.pack, push).await
    }

    async fn target(&self, asked: &Asked<'_>, actor: &Actor) -> Result<Option<Target>, Refused> {
        let row = sqlx::query(include_str!("../../sql/repository_by_name.sql"))
            .bind(asked.workspace)
            .bind(asked.repository)
            .bind(actor.id)
            .fetch_optional(&self.services.pool)
            .await
            .map_err(|_| busy())?;
        let Some(row) = row else { return Ok(None) };
        let read = || -> Result<Target, sqlx::Error> {
            Ok(Target {
                repository: row.try_get("id")?,
                workspace: row.try_get("workspace_id")?,
                workspace_name: row.try_get("workspace")?,
                name: row.try_get("name")?,
                default_branch: row.try_get("default_branch")?,
                private: row.try_get("private")?,
                topics: row.try_get("topics")?,
                role: row.try_get("role")?,
                owner: row.try_get("owner")?,
            })
        };
        let target = read().map_err(|_| busy())?;
        // Whoever may not read it is not told that it exists.
        let readable =
            target.role > 0 && actor.workspace.is_none_or(|only| only == target.workspace);
        Ok(Some(target).filter(|_| readable))
    }
}

fn asked<'a>(method: &Method, path: &'a str, query: &str) -> Option<Asked<'a>> {
    let (workspace, repository, rest) = repository(path)?;
    let (pack, advertise) = match (method, rest, query) {
        (&Method::GET, "info/refs", "service=git-upload-pack") => (Pack::Upload, true),
        (&Method::GET, "info/refs", "service=git-receive-pack") => (Pack::Receive, true),
        (&Method::POST, "git-upload-pack", _) => (Pack::Upload, false),
        (&Method::POST, "git-receive-pack", _) => (Pack::Receive, false),
        _ => return None,
    };
    Some(Asked {
        workspace,
        repository,
        pack,
        advertise,
    })
}

/// Workspace, repository and the rest of `/{workspace}/{repository}.git/{rest}`. Deeper down, `.git/` is a part of a
/// branch's or a file's name.
fn repository(path: &str) -> Option<(&str, &str, &str)> {
    let (workspace, rest) = path.strip_prefix('/')?.split_once('/')?;
    let (repository, rest) = rest.split_once('/')?;
    let repository = repository.strip_suffix(".git")?;
    (!workspace.is_empty() && !repository.is_empty()).then_some((workspace, repository, rest))
}

fn may(asked: &Asked<'_>, actor: &Actor, target: &Target) -> Result<(), Refused> {
    let (scope, role, word) = match asked.pack {
        Pack::Upload => ("repo:read", 1, "read"),
        Pack::Receive => ("repo:write", 3, "write"),
    };
    if !actor.has_scope(scope) {
        return Err((
            StatusCode::FORBIDDEN,
            format!("The token lacks the scope {scope}."),
        ));
    }
    if target.role < role {
        return Err((
            StatusCode::FORBIDDEN,
            format!("This needs the role {word} on the repository."),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_segment_says_what_is_git_s() {
        for path in [
            "/acme/site.git/info/refs",
            "/acme/site.git/git-upload-pack",
            "/acme/a.git.git/info/refs",
        ] {
            assert!(GitTrigger::is_git(path), "{path}");
        }
        for path in [
            "/repos/acme/site/branches/x.git/y",
            "/repos/acme/x.git/branches",
            "/repos/acme/site.git/info/refs",
            "/acme/site.git",
            "/acme/.git/info/refs",
            "//site.git/info/refs",
            "/healthz",
        ] {
            assert!(!GitTrigger::is_git(path), "{path}");
        }
        let asked = asked(&Method::POST, "/acme/a.git.git/git-receive-pack", "").unwrap();
        assert_eq!((asked.workspace, asked.repository), ("acme", "a.git"));
    }
}
