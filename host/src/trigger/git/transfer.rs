//! Smart HTTP: `git upload-pack` and `git receive-pack` over requests.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use async_compression::tokio::bufread::GzipDecoder;
use futures::TryStreamExt;
use g1t_repos::RepoLock;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use http::{Request, Response};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use tokio::io::{AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::io::StreamReader;
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::flow;
use super::hook::{PUSH_VARIABLE, SOCKET_VARIABLE};
use super::judged::Push;
use super::receivers::Receivers;
use super::refused::{Refused, broken, busy};
use super::socket::{self, Begun, Pushes};
use crate::intents;
use crate::limits;
use crate::runtime::Services;
use crate::trigger::http::{Answer, AnswerBody, full};

/// Where hooks find the host.
#[derive(Clone, Debug)]
pub struct GitSettings {
    /// Path of the unix socket.
    pub socket: PathBuf,
    /// Folder of the hooks: given to git with each push, so that no repository's own configuration can leave the judge out.
    pub hooks: PathBuf,
    /// What a later server waits for.
    pub receivers: Receivers,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pack {
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

/// The git processes that carry packs.
pub(super) struct Transfers {
    services: Arc<Services>,
    pushes: Arc<Pushes>,
    settings: GitSettings,
    fetching: Arc<Semaphore>,
    pushing: Arc<Semaphore>,
}

impl Transfers {
    pub(super) fn new(services: Arc<Services>, settings: GitSettings) -> Self {
        Self {
            services,
            pushes: Arc::default(),
            settings,
            fetching: Arc::new(Semaphore::new(limits::FETCHES)),
            pushing: Arc::new(Semaphore::new(limits::PUSHES)),
        }
    }

    /// Waits for a turn, which is kept until git has ended.
    async fn turn(&self, pack: Pack) -> Result<OwnedSemaphorePermit, Refused> {
        let turns = match pack {
            Pack::Upload => &self.fetching,
            Pack::Receive => &self.pushing,
        };
        let waiting = Arc::clone(turns).acquire_owned();
        match tokio::time::timeout(limits::TRANSFER_WAIT, waiting).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(_)) | Err(_) => Err(busy()),
        }
    }

    /// Begins to answer hooks, until `stop`.
    pub(super) async fn listen(&self, stop: CancellationToken) -> std::io::Result<()> {
        socket::serve(
            &self.settings.socket,
            Arc::clone(&self.services),
            Arc::clone(&self.pushes),
            stop,
        )
        .await
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
            // What is served is what was judged, whatever a ref in `refs/replace/` says.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env(SOCKET_VARIABLE, &self.settings.socket)
            .env(PUSH_VARIABLE, push.id.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // The Ctrl-C of a terminal is for the host, which lets pushes end.
            .process_group(0)
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

    /// The refs, as a client asks for them first.
    pub(super) async fn advertise(
        &self,
        request: &Request<Incoming>,
        pack: Pack,
        push: &Push,
    ) -> Result<Answer, Refused> {
        let _turn = self.turn(pack).await?;
        let mut git = self.git(request, pack, push);
        git.arg("--http-backend-info-refs").arg(
            self.services
                .repos
                .path(push.target.repository.unsigned_abs()),
        );
        let output =
            tokio::time::timeout(limits::TRANSFER_TIME, git.stdin(Stdio::null()).output()).await;
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

    /// The pack.
    pub(super) async fn run(
        &self,
        request: Request<Incoming>,
        pack: Pack,
        push: Arc<Push>,
    ) -> Result<Answer, Refused> {
        let turn = self.turn(pack).await?;
        let mut git = self.git(&request, pack, &push);
        git.arg(
            self.services
                .repos
                .path(push.target.repository.unsigned_abs()),
        );
        if pack == Pack::Receive {
            git.stderr(self.settings.receivers.mark().map_err(|_| broken())?);
        }
        let mut child = git.spawn().map_err(|_| broken())?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(broken());
        };
        let running = Running {
            child,
            output,
            _turn: turn,
        };
        let most = match pack {
            Pack::Upload => limits::FETCH_BYTES,
            Pack::Receive => limits::PUSH_BYTES,
        };
        // Before git has anything to ask about.
        let begun = (pack == Pack::Receive).then(|| self.pushes.begin(push));
        let mut body = body_reader(request);
        tokio::spawn(async move {
            // A client that breaks off closes git's input, and git gives up.
            let sent = flow::to_git(&mut body, input, most, limits::TRANSFER_SILENCE).await;
            if let Err(error) = sent {
                debug!(
                    error = &error as &dyn std::error::Error,
                    "a client was cut off"
                );
            }
        });
        let kind = format!("application/x-git-{}-result", pack.word());
        let body = match begun {
            None => running.streamed(),
            Some(begun) => full(self.received(running, begun).await?),
        };
        Ok(pack_answer(&kind, body))
    }

    /// Waits for `git receive-pack` in a task of its own: a client that hangs up must not stop the settling of a push
    /// that git has stored.
    async fn received(&self, running: Running, begun: Begun) -> Result<Vec<u8>, Refused> {
        let services = Arc::clone(&self.services);
        let done = tokio::spawn(async move {
            let report = running.report().await;
            let push = Arc::clone(&begun.push);
            ended_push(&services, &push, begun.end()).await;
            report
        });
        done.await.map_err(|_| broken())
    }
}

/// A git process with its turn.
struct Running {
    child: Child,
    output: ChildStdout,
    _turn: OwnedSemaphorePermit,
}

impl Running {
    /// What git says, once it has ended.
    async fn report(self) -> Vec<u8> {
        let Self {
            mut child,
            output,
            _turn,
        } = self;
        let mut report = Vec::new();
        let work = async {
            let mut output = output.take(limits::PUSH_REPORT_BYTES);
            output.read_to_end(&mut report).await.ok();
            // Git must not wait for somebody to take the rest.
            drop(output);
            child.wait().await
        };
        let ended = tokio::time::timeout(limits::TRANSFER_TIME, work).await;
        if ended.is_err() {
            child.kill().await.ok();
        }
        report
    }

    /// What git says while it says it, from a task of its own: it ends git in time, also when nobody reads.
    fn streamed(mut self) -> AnswerBody {
        let (sender, mut pieces) = mpsc::channel(flow::PIECES);
        tokio::spawn(async move {
            let handing = flow::to_client(&mut self.output, &sender, limits::TRANSFER_SILENCE);
            let cut = match tokio::time::timeout(limits::TRANSFER_TIME, handing).await {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some("it took longer than it may".to_owned()),
            };
            if let Some(why) = cut {
                debug!(why, "a fetch was cut off");
                // The client must not take what it has for the whole.
                sender.try_send(Err(std::io::Error::other(why))).ok();
            }
            self.child.kill().await.ok();
        });
        let frames = futures::stream::poll_fn(move |context| pieces.poll_recv(context))
            .map_ok(Frame::data)
            .map_err(internal);
        BodyExt::boxed_unsync(StreamBody::new(frames))
    }
}

/// Settles what git stored of an accepted push. One that was not accepted has left nothing, or rows of a judging that
/// was cut off.
async fn ended_push(services: &Services, push: &Push, lock: Option<RepoLock>) {
    let settled = match &lock {
        Some(lock) => intents::settle_push(&services.pool, &services.repos, lock, push.id).await,
        None => intents::forget(&services.pool, push.id).await,
    };
    match settled {
        // The rows stay, and the next settling finds them.
        Err(error) => {
            warn!(push = %push.id, error = &error as &dyn std::error::Error, "a push is to be settled later");
        }
        Ok(()) if lock.is_some() => {
            info!(push = %push.id, repository = push.target.repository, "a push was stored");
        }
        Ok(()) => {}
    }
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

fn pack_answer(kind: &str, body: AnswerBody) -> Answer {
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
