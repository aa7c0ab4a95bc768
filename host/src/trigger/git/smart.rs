//! Smart HTTP: `git upload-pack` and `git receive-pack` over requests.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use async_compression::tokio::bufread::GzipDecoder;
use futures::TryStreamExt;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use sqlx::Row;
use tokio::io::{AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio_util::io::{ReaderStream, StreamReader};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};
use uuid::Uuid;

use super::hook::{PUSH_VARIABLE, SOCKET_VARIABLE};
use super::judged::Push;
use super::socket::{self, Pushes};
use crate::identity::{Actor, Identity};
use crate::intents;
use crate::runtime::Services;
use crate::trigger::http::{Answer, full, token};

/// Longest a clone, a fetch or a push may take.
const TRANSFER_TIME: Duration = Duration::from_secs(3_600);

/// Where hooks find the host.
#[derive(Clone, Debug)]
pub struct GitSettings {
    /// Path of the unix socket.
    pub socket: PathBuf,
    /// Folder of the hooks: given to git with each push, so that no repository's own configuration can leave the judge out.
    pub hooks: PathBuf,
}

/// Git over HTTP.
pub struct GitTrigger {
    services: Arc<Services>,
    identity: Identity,
    pushes: Arc<Pushes>,
    settings: GitSettings,
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pack {
    Upload,
    Receive,
}

impl Pack {
    fn word(self) -> &'static str {
        match self {
            Self::Upload => "upload-pack",
            Self::Receive => "receive-pack",
        }
    }
}

struct Asked<'a> {
    workspace: &'a str,
    repository: &'a str,
    pack: Pack,
    advertise: bool,
}

/// An answer that is not a pack: status and one sentence.
type Refused = (StatusCode, String);

impl GitTrigger {
    /// Git for the repositories of `services`. Hooks are answered once [`GitTrigger::listen`] was called.
    pub fn new(services: Arc<Services>, identity: Identity, settings: GitSettings) -> Self {
        Self {
            services,
            identity,
            pushes: Arc::default(),
            settings,
        }
    }

    /// Begins to answer hooks, until `stop`.
    pub async fn listen(&self, stop: CancellationToken) -> std::io::Result<()> {
        socket::serve(
            &self.settings.socket,
            Arc::clone(&self.services),
            Arc::clone(&self.pushes),
            stop,
        )
        .await
    }

    /// Whether a path is git's and not the API's.
    pub fn is_git(path: &str) -> bool {
        path.contains(".git/")
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
            return self.advertise(&request, asked.pack, &push).await;
        }
        self.transfer(request, asked.pack, push).await
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

    fn git(&self, request: &Request<Incoming>, pack: Pack, push: &Push) -> Command {
        let mut git = Command::new("git");
        let hooks = format!("core.hooksPath={}", self.settings.hooks.display());
        git.arg("-c")
            .arg(hooks)
            .arg(pack.word())
            .arg("--stateless-rpc");
        git.env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", "/nonexistent")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env(SOCKET_VARIABLE, &self.settings.socket)
            .env(PUSH_VARIABLE, push.id.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let protocol = request
            .headers()
            .get("git-protocol")
            .and_then(|value| value.to_str().ok());
        if let Some(protocol) =
            protocol.filter(|protocol| protocol.starts_with("version=") && protocol.len() < 64)
        {
            git.env("GIT_PROTOCOL", protocol);
        }
        git
    }

    async fn advertise(
        &self,
        request: &Request<Incoming>,
        pack: Pack,
        push: &Push,
    ) -> Result<Answer, Refused> {
        let mut git = self.git(request, pack, push);
        git.arg("--http-backend-info-refs").arg(
            self.services
                .repos
                .path(push.target.repository.unsigned_abs()),
        );
        let output = tokio::time::timeout(TRANSFER_TIME, git.stdin(Stdio::null()).output()).await;
        let output = output.map_err(|_| busy())?.map_err(|_| broken())?;
        if !output.status.success() {
            return Err(broken());
        }
        let line = format!("# service=git-{}\n", pack.word());
        let mut body = format!("{:04x}{line}0000", line.len() + 4).into_bytes();
        body.extend_from_slice(&output.stdout);
        Ok(pack_answer(
            &format!("application/x-git-{}-advertisement", pack.word()),
            full(body),
        ))
    }

    async fn transfer(
        &self,
        request: Request<Incoming>,
        pack: Pack,
        push: Arc<Push>,
    ) -> Result<Answer, Refused> {
        let mut git = self.git(&request, pack, &push);
        git.arg(
            self.services
                .repos
                .path(push.target.repository.unsigned_abs()),
        );
        if pack == Pack::Receive {
            self.pushes.begin(Arc::clone(&push));
        }
        let mut child = git.spawn().map_err(|_| broken())?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(broken());
        };
        let mut body = body_reader(request);
        tokio::spawn(async move {
            // A client that breaks off closes git's input, and git gives up.
            tokio::io::copy(&mut body, &mut input).await.ok();
            input.shutdown().await.ok();
        });
        let kind = format!("application/x-git-{}-result", pack.word());
        match pack {
            Pack::Upload => {
                let frames = ReaderStream::new(output)
                    .map_ok(Frame::data)
                    .map_err(internal);
                // The child is killed when the body is dropped.
                let body = BodyExt::boxed_unsync(StreamBody::new(frames.inspect_ok(move |_| {
                    let _ = &child;
                })));
                Ok(pack_answer(&kind, body))
            }
            Pack::Receive => self.received(child, output, push, &kind).await,
        }
    }

    /// Waits for `git receive-pack` in a task of its own: a client that hangs up must not stop the settling of a push
    /// that git has stored.
    async fn received(
        &self,
        mut child: Child,
        mut output: tokio::process::ChildStdout,
        push: Arc<Push>,
        kind: &str,
    ) -> Result<Answer, Refused> {
        let (services, pushes) = (Arc::clone(&self.services), Arc::clone(&self.pushes));
        let done = tokio::spawn(async move {
            let mut report = Vec::new();
            let work = async {
                tokio::io::copy(&mut output, &mut report).await.ok();
                child.wait().await
            };
            let ended = tokio::time::timeout(TRANSFER_TIME, work).await;
            if ended.is_err() {
                child.kill().await.ok();
            }
            let lock = pushes.end(push.id);
            if lock.is_some() {
                let settled = intents::settle_push(&services.pool, &services.repos, push.id).await;
                if let Err(error) = settled {
                    // The rows stay, and the next settling finds them.
                    warn!(push = %push.id, error = &error as &dyn std::error::Error, "a push is to be settled later");
                } else {
                    info!(push = %push.id, repository = push.target.repository, "a push was stored");
                }
            }
            drop(lock);
            report
        });
        let report = done.await.map_err(|_| broken())?;
        Ok(pack_answer(kind, full(report)))
    }
}

fn asked<'a>(method: &Method, path: &'a str, query: &str) -> Option<Asked<'a>> {
    let (repository, rest) = path.strip_prefix('/')?.split_once(".git/")?;
    let (workspace, repository) = repository.split_once('/')?;
    let (pack, advertise) = match (method, rest, query) {
        (&Method::GET, "info/refs", "service=git-upload-pack") => (Pack::Upload, true),
        (&Method::GET, "info/refs", "service=git-receive-pack") => (Pack::Receive, true),
        (&Method::POST, "git-upload-pack", _) => (Pack::Upload, false),
        (&Method::POST, "git-receive-pack", _) => (Pack::Receive, false),
        _ => return None,
    };
    (!workspace.is_empty() && !repository.contains('/')).then_some(Asked {
        workspace,
        repository,
        pack,
        advertise,
    })
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

fn body_reader(request: Request<Incoming>) -> Box<dyn AsyncRead + Send + Unpin> {
    let gzip = request
        .headers()
        .get(CONTENT_ENCODING)
        .is_some_and(|encoding| encoding == "gzip");
    let frames = request
        .into_body()
        .into_data_stream()
        .map_err(std::io::Error::other);
    let reader = StreamReader::new(frames);
    if gzip {
        Box::new(GzipDecoder::new(BufReader::new(reader)))
    } else {
        Box::new(reader)
    }
}

fn pack_answer(kind: &str, body: crate::trigger::http::AnswerBody) -> Answer {
    let mut answer = Response::new(body);
    if let Ok(kind) = HeaderValue::from_str(kind) {
        answer.headers_mut().insert(CONTENT_TYPE, kind);
    }
    answer
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}

fn internal(error: std::io::Error) -> wasmtime_wasi_http::Error {
    wasmtime_wasi_http::Error::InternalError(Some(error.to_string()))
}

fn busy() -> Refused {
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "The server is busy: try again.".to_owned(),
    )
}

fn broken() -> Refused {
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        "Git could not answer; nothing was changed.".to_owned(),
    )
}
