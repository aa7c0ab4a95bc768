use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use http::header::{ACCEPT, ALLOW, AUTHORIZATION, CONTENT_LENGTH};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use sqlx::{PgPool, Row};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::{error, info};
use uuid::Uuid;

use super::answer::{Answer, Problem, full, stamp};
use super::body::{Bodies, WholeBody};
use super::rate::{Quota, Rates};
use crate::identity::{Actor, Identity};
use crate::limits;
use crate::manifest::{ComponentSpec, Manifest, Matched};
use crate::runtime::{Call, Components, Reply};

/// What an API request passes through on its way to a component.
pub struct Api {
    manifest: Manifest,
    components: Arc<Components>,
    identity: Identity,
    pool: PgPool,
    turns: Arc<Semaphore>,
    rates: Rates,
    bodies: Bodies,
    public_url: String,
}

/// What an API is made of.
pub struct ApiParts {
    pub manifest: Manifest,
    pub components: Arc<Components>,
    pub identity: Identity,
    pub pool: PgPool,
    pub public_url: String,
    /// Requests that one token may make in an hour.
    pub requests_per_hour: u32,
}

/// A request's workspace: its number and its name as it is written.
struct Workspace {
    id: i64,
    name: String,
}

impl Api {
    /// An API that answers by the components of a manifest.
    pub fn new(parts: ApiParts) -> Self {
        let ApiParts {
            manifest,
            components,
            identity,
            pool,
            public_url,
            requests_per_hour,
        } = parts;
        Self {
            manifest,
            components,
            identity,
            pool,
            turns: Arc::new(Semaphore::new(limits::REQUESTS)),
            rates: Rates::new(requests_per_hour),
            bodies: Bodies::new(),
            public_url,
        }
    }

    /// Answers one request; never fails.
    pub async fn handle(&self, request: Request<Incoming>) -> Answer {
        let id = Uuid::now_v7().to_string();
        let github = accepts_github(request.headers());
        let method = request.method().clone();
        let path = request.uri().path().to_owned();
        let mut quota = None;
        let mut answer = match self.answer(request, &id, &mut quota).await {
            Ok(answer) => answer,
            Err((problem, allow)) => {
                let mut answer = problem.answer(&id, github);
                if let Some(allow) = allow.and_then(|allow| HeaderValue::from_str(&allow).ok()) {
                    answer.headers_mut().insert(ALLOW, allow);
                }
                answer
            }
        };
        if let Some(quota) = quota {
            quota.stamp(&mut answer);
        }
        info!(request = id, %method, path, status = answer.status().as_u16(), "answered");
        answer
    }

    /// `quota` is what the token has left, once it is known whose it is.
    async fn answer(
        &self,
        request: Request<Incoming>,
        id: &str,
        quota: &mut Option<Quota>,
    ) -> Result<Answer, (Problem, Option<String>)> {
        let plain = |problem| (problem, None);
        let path = api_path(request.uri().path()).to_owned();
        let (component, matched) = self.route(request.method().as_str(), &path)?;
        let actor = self.actor(request.headers()).await.map_err(plain)?;
        let counted = self.rates.count(&actor.token, now_s());
        *quota = Some(counted);
        if let Some(wait_s) = counted.wait_s {
            return Err(plain(Problem::RateLimited(wait_s)));
        }
        let declared = request
            .headers()
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse().ok());
        if declared.is_some_and(|bytes: u64| bytes > limits::BODY_BYTES) {
            drain(request.into_body()).await;
            return Err(plain(Problem::BodyTooLarge));
        }
        let workspace = self.workspace(&matched, &actor).await.map_err(plain)?;
        // The body before the turn: who sends slowly keeps nobody from theirs.
        let (parts, body) = request.into_parts();
        let body = self.bodies.read(body).await.map_err(plain)?;
        let turn = tokio::time::timeout(
            limits::REQUEST_WAIT,
            Arc::clone(&self.turns).acquire_owned(),
        );
        let Ok(Ok(turn)) = turn.await else {
            return Err(plain(Problem::Busy));
        };
        let call = Call {
            id: id.to_owned(),
            workspace: workspace.as_ref().map(|workspace| workspace.id),
            actor: Some(actor.id),
        };
        let request = self
            .for_guest((parts, &body), &path, &actor, workspace.as_ref(), id)
            .map_err(plain)?;
        self.ask(component, call, turn, request)
            .await
            .map_err(plain)
    }

    /// The component's answer.
    async fn ask(
        &self,
        component: &ComponentSpec,
        call: Call,
        turn: OwnedSemaphorePermit,
        request: wasmtime_wasi_http::handler::Request,
    ) -> Result<Answer, Problem> {
        let id = call.id.clone();
        match self
            .components
            .handle(&component.name, call, turn, request)
            .await
        {
            Reply::Answered(response) => {
                let mut answer = response;
                stamp(&mut answer, &id);
                Ok(answer)
            }
            Reply::TimedOut => Err(Problem::ComponentTimedOut),
            Reply::Busy => Err(Problem::Busy),
            Reply::Failed(cause) => {
                error!(
                    request = id,
                    component = component.name,
                    cause = format!("{cause:#}"),
                    "a component failed"
                );
                Err(Problem::ComponentFailed)
            }
        }
    }

    fn route(
        &self,
        method: &str,
        path: &str,
    ) -> Result<(&ComponentSpec, Matched), (Problem, Option<String>)> {
        // A HEAD is a GET whose body the server does not send.
        let method = if method == "HEAD" { "GET" } else { method };
        self.manifest.route(method, path).map_err(|mut others| {
            if others.is_empty() {
                return (Problem::NoRoute, None);
            }
            others.sort_unstable();
            others.dedup();
            (Problem::MethodNotAllowed, Some(others.join(", ")))
        })
    }

    async fn actor(&self, headers: &HeaderMap) -> Result<Arc<Actor>, Problem> {
        let token = token(headers).ok_or(Problem::NoToken)?;
        match self.identity.actor(&token).await {
            Ok(Some(actor)) => Ok(actor),
            Ok(None) => Err(Problem::BadToken),
            Err(cause) => {
                error!(
                    error = &cause as &dyn std::error::Error,
                    "a token could not be looked up"
                );
                Err(Problem::Database)
            }
        }
    }

    /// The workspace a path names; none for one that does not exist or that the token is not for.
    async fn workspace(
        &self,
        matched: &Matched,
        actor: &Actor,
    ) -> Result<Option<Workspace>, Problem> {
        // Postgres has no way to say U+0000, so nothing is named so.
        let Some(name) = matched
            .workspace
            .as_ref()
            .filter(|name| !name.contains('\0'))
        else {
            return Ok(None);
        };
        let row = sqlx::query(include_str!("../../sql/workspace_by_name.sql"))
            .bind(name)
            .fetch_optional(&self.pool)
            .await
            .map_err(|_| Problem::Database)?;
        let Some(row) = row else { return Ok(None) };
        let workspace = Workspace {
            id: row.try_get("id").map_err(|_| Problem::Database)?,
            name: row.try_get("name").map_err(|_| Problem::Database)?,
        };
        Ok(Some(workspace)
            .filter(|workspace| actor.workspace.is_none_or(|only| only == workspace.id)))
    }

    /// The request as the component gets it: only the host's word on who asks, and the whole body.
    fn for_guest(
        &self,
        (mut parts, body): (Parts, &WholeBody),
        path: &str,
        actor: &Actor,
        workspace: Option<&Workspace>,
        id: &str,
    ) -> Result<wasmtime_wasi_http::handler::Request, Problem> {
        // The server keeps a HEAD's body to itself; components know no HEAD.
        if parts.method == Method::HEAD {
            parts.method = Method::GET;
        }
        let forged: Vec<HeaderName> = parts
            .headers
            .keys()
            .filter(|name| name.as_str().starts_with("g1t-"))
            .cloned()
            .collect();
        for name in forged {
            parts.headers.remove(name);
        }
        parts.headers.remove(AUTHORIZATION);
        let mut told = vec![
            ("g1t-request-id", id.to_owned()),
            ("g1t-actor-id", actor.id.to_string()),
            ("g1t-actor-login", actor.login.clone()),
            ("g1t-actor-kind", actor.kind.clone()),
            ("g1t-token-id", actor.token.clone()),
            ("g1t-scopes", actor.scopes.join(",")),
            ("g1t-public-url", self.public_url.clone()),
        ];
        if let Some(workspace) = workspace {
            told.push(("g1t-workspace-id", workspace.id.to_string()));
            told.push(("g1t-workspace", workspace.name.clone()));
        }
        for (name, value) in told {
            let value = HeaderValue::from_str(&value)
                .map_err(|_| Problem::BadRequest("A header cannot be sent on."))?;
            parts.headers.insert(HeaderName::from_static(name), value);
        }
        let query = parts
            .uri
            .query()
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        parts.uri = format!("http://g1t-work{path}{query}")
            .parse()
            .map_err(|_| Problem::BadRequest("The address cannot be read."))?;
        Ok(Request::from_parts(parts, full(body.bytes.clone())))
    }
}

/// Seconds since 1970.
fn now_s() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// Reads on for a while what is not taken: a client that is still sending would not see the answer.
async fn drain(body: Incoming) {
    let most = usize::try_from(limits::BODY_BYTES.saturating_mul(4)).unwrap_or(usize::MAX);
    let mut body = Limited::new(body, most);
    let reading = async { while let Some(Ok(_)) = body.frame().await {} };
    tokio::time::timeout(limits::CLIENT_SILENCE, reading)
        .await
        .ok();
}

/// The path without the prefix that GitHub's own server product has.
fn api_path(path: &str) -> &str {
    path.strip_prefix("/api/v3")
        .filter(|rest| rest.starts_with('/'))
        .unwrap_or(path)
}

/// The token of a request: as bearer, in GitHub's `token` form, or as the password of basic authentication.
pub fn token(headers: &HeaderMap) -> Option<String> {
    let (scheme, rest) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("token") {
        return Some(rest.to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = base64::engine::general_purpose::STANDARD
        .decode(rest)
        .ok()?;
    let (_, password) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    Some(password.to_owned())
}

fn accepts_github(headers: &HeaderMap) -> bool {
    headers.get_all(ACCEPT).iter().any(|value| {
        value
            .to_str()
            .is_ok_and(|value| value.contains("application/vnd.github"))
    })
}

#[cfg(test)]
mod tests {
    use super::{api_path, token};
    use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};

    #[test]
    fn a_token_comes_as_bearer_or_as_a_password() {
        let read = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
            token(&headers)
        };
        assert_eq!(read("Bearer g1tw_x").as_deref(), Some("g1tw_x"));
        assert_eq!(read("token g1tw_x").as_deref(), Some("g1tw_x"));
        assert_eq!(read("Basic eDpnMXR3X3g=").as_deref(), Some("g1tw_x"));
        assert_eq!(read("Digest g1tw_x"), None);
        assert_eq!(read("Basic !!!"), None);
    }

    #[test]
    fn both_base_paths_are_one() {
        assert_eq!(api_path("/api/v3/user"), "/user");
        assert_eq!(api_path("/user"), "/user");
        assert_eq!(api_path("/api/v3x/user"), "/api/v3x/user");
    }
}
