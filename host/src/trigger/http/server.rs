use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{debug, warn};

use super::answer::{Answer, full};
use super::description::Description;
use super::dispatch::Api;
use super::patient::Patient;
use crate::limits;
use crate::trigger::git::GitTrigger;

/// Where the server listens.
#[derive(Clone, Copy, Debug)]
pub struct ServerSettings {
    pub listen: SocketAddr,
}

/// The HTTP server: the API and git over one address.
pub struct Server {
    listener: TcpListener,
    api: Arc<Api>,
    git: Arc<GitTrigger>,
    description: Description,
    ready: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Server {
    /// A server on a listener that is bound already. `ready` says whether to tell load balancers to send requests here.
    pub fn new(
        listener: TcpListener,
        api: Arc<Api>,
        git: Arc<GitTrigger>,
        description: Description,
        ready: Arc<dyn Fn() -> bool + Send + Sync>,
    ) -> Self {
        Self {
            listener,
            api,
            git,
            description,
            ready,
        }
    }

    /// Serves until `stop`; then takes no more connections and waits for what runs, at most [`limits::SHUT_DOWN`].
    pub async fn run(self, stop: CancellationToken) {
        let running = TaskTracker::new();
        let permits = Arc::new(Semaphore::new(limits::CONNECTIONS));
        let Self {
            listener,
            api,
            git,
            description,
            ready,
        } = self;
        let service = Arc::new(Service {
            api,
            git,
            description,
            ready,
        });
        loop {
            // The permit first: what there is no room for waits in the kernel's queue.
            let permit = tokio::select! {
                () = stop.cancelled() => break,
                permit = Arc::clone(&permits).acquire_owned() => permit,
            };
            let Ok(permit) = permit else { break };
            let stream = tokio::select! {
                () = stop.cancelled() => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        warn!(%error, "a connection could not be accepted");
                        // The system may be out of descriptors: it says so again at once, until some are given back.
                        tokio::time::sleep(limits::ACCEPT_PAUSE).await;
                        continue;
                    }
                },
            };
            let service = Arc::clone(&service);
            let stop = stop.clone();
            running.spawn(async move {
                service.connection(stream, stop).await;
                drop(permit);
            });
        }
        // Refused from here on, so that a client tries another host at once.
        drop(listener);
        running.close();
        if tokio::time::timeout(limits::SHUT_DOWN, running.wait())
            .await
            .is_err()
        {
            warn!(left = running.len(), "connections were cut at shut-down");
        }
    }
}

struct Service {
    api: Arc<Api>,
    git: Arc<GitTrigger>,
    description: Description,
    ready: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Service {
    async fn connection(self: Arc<Self>, stream: TcpStream, stop: CancellationToken) {
        stream.set_nodelay(true).ok();
        let stream = Patient::new(stream, limits::CLIENT_SILENCE);
        let service = service_fn(move |request| {
            let service = Arc::clone(&self);
            async move { Ok::<_, Infallible>(service.answer(request).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits::CLIENT_SILENCE)
            .max_buf_size(limits::HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let done = tokio::select! {
            done = connection.as_mut() => done,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = done {
            debug!(%error, "a connection ended early");
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let get = request.method() == Method::GET || request.method() == Method::HEAD;
        match request.uri().path() {
            "/healthz" if get => text(StatusCode::OK, "ok\n"),
            "/readyz" if get && (self.ready)() => text(StatusCode::OK, "ready\n"),
            "/readyz" if get => text(StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
            "/openapi.json" if get => self.description.answer(request.headers()),
            path if GitTrigger::is_git(path) => self.git.handle(request).await,
            _ => self.api.handle(request).await,
        }
    }
}

fn text(status: StatusCode, body: &'static str) -> Answer {
    let mut answer = Response::new(full(body));
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}
