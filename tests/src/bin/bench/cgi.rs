//! Plain git over HTTP: `git http-backend` behind a server that asks for a password, one process for each request.
//!
//! This is the set-up of git's own manual, in a server of the same make as ours, so that what differs is what we add.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::process::Command;

/// The user and password that it takes, as they stand in an address.
pub const CREDENTIALS: &str = "x:plain";

/// The same as a client sends them.
const AUTHORIZED: &str = "Basic eDpwbGFpbg==";

/// Serves bare repositories until the program ends.
pub struct Cgi {
    /// `127.0.0.1:40731`.
    pub address: String,
}

struct Backend {
    program: PathBuf,
    repositories: PathBuf,
}

impl Cgi {
    /// Begins to serve the repositories in a folder.
    ///
    /// # Errors
    /// When git has no `http-backend`.
    pub async fn serve(repositories: &Path) -> Result<Self> {
        let backend = Arc::new(Backend {
            program: program().await?,
            repositories: repositories.to_owned(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).ok();
                let backend = Arc::clone(&backend);
                let service = service_fn(move |request| {
                    let backend = Arc::clone(&backend);
                    async move { Ok::<_, Infallible>(backend.answer(request).await) }
                });
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                // A client that hangs up early says so itself.
                tokio::spawn(async move { connection.await.ok() });
            }
        });
        Ok(Self { address })
    }
}

/// The program itself, as web servers call it: through `git` it would be one process more.
async fn program() -> Result<PathBuf> {
    let output = Command::new("git").arg("--exec-path").output().await?;
    let folder = String::from_utf8(output.stdout)?;
    let program = Path::new(folder.trim()).join("git-http-backend");
    if !program.is_file() {
        bail!("{} is missing: install all of git", program.display());
    }
    Ok(program)
}

impl Backend {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let mut answer = Response::default();
        if text(request.headers(), AUTHORIZATION) != AUTHORIZED {
            *answer.status_mut() = StatusCode::UNAUTHORIZED;
            let asks = HeaderValue::from_static("Basic realm=\"git\"");
            answer.headers_mut().insert(WWW_AUTHENTICATE, asks);
            return answer;
        }
        match self.run(request).await {
            Ok(answer) => answer,
            Err(error) => {
                eprintln!("git http-backend: {error:#}");
                *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                answer
            }
        }
    }

    async fn run(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", "/nonexistent")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_PROJECT_ROOT", &self.repositories)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("REQUEST_METHOD", parts.method.as_str())
            .env("PATH_INFO", parts.uri.path())
            .env("QUERY_STRING", parts.uri.query().unwrap_or_default())
            .env("CONTENT_TYPE", text(&parts.headers, CONTENT_TYPE))
            .env("CONTENT_LENGTH", body.len().to_string())
            .env("REMOTE_USER", "x")
            .env("REMOTE_ADDR", "127.0.0.1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let given = [
            (CONTENT_ENCODING, "HTTP_CONTENT_ENCODING"),
            (HeaderName::from_static("git-protocol"), "GIT_PROTOCOL"),
        ];
        for (header, variable) in given {
            if parts.headers.contains_key(&header) {
                command.env(variable, text(&parts.headers, header));
            }
        }
        let mut child = command.spawn().context("git http-backend cannot run")?;
        let mut input = child.stdin.take().context("no input")?;
        tokio::spawn(async move {
            // Git closes its input early when it refuses, and says why in its answer.
            input.write_all(&body).await.ok();
        });
        let output = child.wait_with_output().await?;
        response(Bytes::from(output.stdout))
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// What a CGI program wrote: header lines, an empty one, the body.
fn response(output: Bytes) -> Result<Response<Full<Bytes>>> {
    const END: &[u8] = b"\r\n\r\n";
    let at = output
        .windows(END.len())
        .position(|bytes| bytes == END)
        .context("an answer without header lines")?;
    let head = std::str::from_utf8(&output[..at])?;
    let mut response = Response::builder();
    for line in head.lines() {
        let (name, value) = line.split_once(':').context("a line that is no header")?;
        let value = value.trim();
        response = if name.eq_ignore_ascii_case("status") {
            response.status(value.split(' ').next().unwrap_or_default())
        } else {
            response.header(name, value)
        };
    }
    Ok(response.body(Full::new(output.slice(at + END.len()..)))?)
}
