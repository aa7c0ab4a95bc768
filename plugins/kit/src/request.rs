//! A request as a component sees it: who asks for what, with the body read.
//!
//! The host has authenticated already: it removes every `g1t-*` header that came from outside and sets its own.

use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, AsHeaderName};
use http::{HeaderMap, Method, Uri, request::Parts};
use http_body_util::BodyExt as _;

use crate::actor::{Actor, ActorKind, Scopes};
use crate::percent;
use crate::{Fault, Id};

/// Largest body that is read: 10 MiB.
pub const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// What is said of a text that Postgres has no way to store.
pub(crate) const NO_ZERO: &str = "the character U+0000 cannot be kept";

/// The workspace a request's path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceRef {
    /// Its number.
    pub id: Id,
    /// Its name as it is written, whatever the path's case.
    pub name: String,
}

/// A request with its body read.
#[derive(Clone, Debug)]
pub struct Request {
    method: Method,
    path: String,
    segments: Vec<String>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
    actor: Actor,
    workspace: Option<WorkspaceRef>,
    id: String,
    public_url: String,
}

impl Request {
    /// Reads a request of the host.
    ///
    /// # Errors
    /// [`Fault::Unauthorized`] without an actor, [`Fault::TooLarge`] above [`MAX_BODY_BYTES`].
    pub(crate) async fn read(request: spin_sdk::http::Request) -> Result<Self, Fault> {
        let (parts, mut incoming) = request.into_parts();
        let mut body = BytesMut::new();
        while let Some(frame) = incoming.frame().await {
            let frame = frame
                .map_err(|error| Fault::bad_request(format!("the body broke off: {error}")))?;
            if let Ok(data) = frame.into_data() {
                if body.len() + data.len() > MAX_BODY_BYTES {
                    return Err(Fault::TooLarge(format!(
                        "a body may have at most {MAX_BODY_BYTES} bytes"
                    )));
                }
                body.extend_from_slice(&data);
            }
        }
        Self::from_parts(parts, body.freeze())
    }

    /// Takes a request apart whose body is there already.
    ///
    /// # Errors
    /// [`Fault::Unauthorized`] without an actor; [`Fault::NotFound`] and [`Fault::Validation`] for the character U+0000 in
    /// path and query: the database has no way to store it, so nothing has it in its name.
    pub fn from_parts(parts: Parts, body: Bytes) -> Result<Self, Fault> {
        let text = |name: &str| {
            parts
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
        };
        let number = |name: &str| text(name).parse::<Id>().ok();
        let actor = Actor {
            id: number("g1t-actor-id").ok_or(Fault::Unauthorized)?,
            login: text("g1t-actor-login").to_owned(),
            kind: ActorKind::from_word(text("g1t-actor-kind")).ok_or(Fault::Unauthorized)?,
            token: Some(text("g1t-token-id").to_owned()).filter(|id| !id.is_empty()),
            scopes: Scopes::from_header(text("g1t-scopes")),
        };
        let workspace = number("g1t-workspace-id").map(|id| WorkspaceRef {
            id,
            name: text("g1t-workspace").to_owned(),
        });
        let (segments, query) = (segments(&parts.uri), query(&parts.uri));
        if segments.iter().any(|segment| has_zero(segment)) {
            return Err(Fault::not_found("What the path names"));
        }
        if let Some((key, _)) = query
            .iter()
            .find(|(key, value)| has_zero(key) || has_zero(value))
        {
            return Err(Fault::field("Request", &key.replace('\0', ""), NO_ZERO));
        }
        let id = text("g1t-request-id").to_owned();
        let public_url = text("g1t-public-url").trim_end_matches('/').to_owned();
        Ok(Self {
            segments,
            query,
            path: parts.uri.path().to_owned(),
            method: parts.method,
            headers: parts.headers,
            body,
            actor,
            workspace,
            id,
            public_url,
        })
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The path as it was sent, without `/api/v3`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path's segments, decoded: an encoded slash stays within its segment.
    pub fn segments(&self) -> Vec<&str> {
        self.segments.iter().map(String::as_str).collect()
    }

    /// First value of a query parameter.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Value of a header, when it is text.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// True when a header is there, text or not.
    pub(crate) fn has_header(&self, name: impl AsHeaderName) -> bool {
        self.headers.contains_key(name)
    }

    /// The body's bytes.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Who asks.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The workspace the path names.
    ///
    /// # Errors
    /// [`Fault::NotFound`] when there is no such workspace.
    pub fn workspace(&self) -> Result<&WorkspaceRef, Fault> {
        self.workspace.as_ref().ok_or_else(no_workspace)
    }

    /// The request's own id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Address the server is reached at, without a slash at its end.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Address of an API path that begins with a slash.
    pub fn api_url(&self, path: &str) -> String {
        format!("{}/api/v3{path}", self.public_url)
    }

    /// This request's own address with some query parameters set and others left out.
    pub(crate) fn address_with(&self, set: &[(&str, &str)], without: &[&str]) -> String {
        let kept = self
            .query
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()));
        let pairs: Vec<String> = kept
            .filter(|(key, _)| !without.contains(key))
            .chain(set.iter().copied())
            .map(|(key, value)| format!("{}={}", percent::encode(key), percent::encode(value)))
            .collect();
        self.api_url(&format!("{}?{}", self.path, pairs.join("&")))
    }

    /// True when the caller is one of GitHub's clients.
    pub(crate) fn accepts_github(&self) -> bool {
        accepts_github(&self.headers)
    }
}

/// There is no such workspace, or none that the asker may know of: both read the same.
pub fn no_workspace() -> Fault {
    Fault::not_found("The workspace")
}

/// True when `Accept` names a type of GitHub's: its clients read errors as plain JSON only.
pub(crate) fn accepts_github(headers: &HeaderMap) -> bool {
    headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("application/vnd.github"))
}

fn has_zero(text: &str) -> bool {
    text.contains('\0')
}

fn segments(uri: &Uri) -> Vec<String> {
    uri.path()
        .split('/')
        .filter(|segment| !segment.is_empty())
        .map(percent::decode)
        .collect()
}

fn query(uri: &Uri) -> Vec<(String, String)> {
    let Some(query) = uri.query() else {
        return Vec::new();
    };
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (percent::decode_form(key), percent::decode_form(value))
        })
        .collect()
}

#[cfg(test)]
mod tests;
