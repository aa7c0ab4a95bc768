//! What goes back to the caller.

use http::header::{
    CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LINK, LOCATION, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use crate::digest::sha256_hex;
use crate::{Fault, Request};

/// The HTTP answer a route component returns.
pub type Response = http::Response<String>;

/// Seconds after which a caller that met [`Fault::Busy`] may come again.
const RETRY_AFTER_SECONDS: &str = "1";

/// An answer: status, JSON, headers.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    status: StatusCode,
    headers: Vec<(HeaderName, String)>,
    body: Option<String>,
}

impl Reply {
    /// Any status with JSON.
    pub fn json(status: StatusCode, body: &impl Serialize) -> Result<Self, Fault> {
        let body = serde_json::to_string(body)
            .map_err(|error| Fault::internal(format!("answer: {error}")))?;
        Ok(Self {
            status,
            headers: Vec::new(),
            body: Some(body),
        })
    }

    /// 200 with JSON.
    pub fn ok(body: &impl Serialize) -> Result<Self, Fault> {
        Self::json(StatusCode::OK, body)
    }

    /// 201 with JSON.
    pub fn created(body: &impl Serialize) -> Result<Self, Fault> {
        Self::json(StatusCode::CREATED, body)
    }

    /// 202 with JSON.
    pub fn accepted(body: &impl Serialize) -> Result<Self, Fault> {
        Self::json(StatusCode::ACCEPTED, body)
    }

    /// 204.
    pub fn no_content() -> Self {
        Self {
            status: StatusCode::NO_CONTENT,
            headers: Vec::new(),
            body: None,
        }
    }

    /// 200 with one page of a list, and the address of the next one when there is more.
    pub fn list(
        request: &Request,
        items: &[impl Serialize],
        next: Option<String>,
    ) -> Result<Self, Fault> {
        let reply = Self::ok(&items)?;
        Ok(match next {
            Some(cursor) => reply.next_page(request, &cursor),
            None => reply,
        })
    }

    /// Adds `Link: rel="next"` for a cursor of [`crate::paging`].
    #[must_use]
    pub fn next_page(self, request: &Request, cursor: &str) -> Self {
        let address = request.address_with(&[("after", cursor)], &["page", "after"]);
        self.header(LINK, format!("<{address}>; rel=\"next\""))
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds `Location`.
    #[must_use]
    pub fn location(self, address: impl Into<String>) -> Self {
        self.header(LOCATION, address)
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The JSON as it is sent; empty when there is none.
    pub fn body(&self) -> &str {
        self.body.as_deref().unwrap_or_default()
    }

    /// An answer that was kept, given again.
    pub(crate) fn kept(status: u16, body: String) -> Result<Self, Fault> {
        let status = StatusCode::from_u16(status)
            .map_err(|_| Fault::internal(format!("kept status {status}")))?;
        Ok(Self {
            status,
            headers: Vec::new(),
            body: Some(body),
        })
    }

    /// The HTTP answer, with `ETag` on reads and 304 when the caller has that very answer.
    pub(crate) fn into_response(self, request: &Request) -> Response {
        let mut response = http::Response::new(String::new());
        let is_read = request.method() == Method::GET && self.status == StatusCode::OK;
        *response.status_mut() = self.status;
        for (name, value) in self.headers {
            insert(&mut response, name, &value);
        }
        let Some(body) = self.body else {
            return response;
        };
        if is_read {
            let tag = format!("W/\"{}\"", &sha256_hex(body.as_bytes())[..32]);
            let is_known = request
                .header(IF_NONE_MATCH)
                .is_some_and(|asked| has_tag(asked, &tag));
            insert(&mut response, ETAG, &tag);
            if is_known {
                *response.status_mut() = StatusCode::NOT_MODIFIED;
                return response;
            }
        }
        insert(
            &mut response,
            CONTENT_TYPE,
            "application/json; charset=utf-8",
        );
        insert(&mut response, CONTENT_LENGTH, &body.len().to_string());
        *response.body_mut() = body;
        response
    }
}

/// The HTTP answer of a fault: problem details, in GitHub's clients' own type when the caller is one of them.
pub(crate) fn problem(fault: &Fault, request_id: &str, accepts_github: bool) -> Response {
    let body = problem_body(fault, request_id).to_string();
    let mut response = http::Response::new(String::new());
    *response.status_mut() = fault.status();
    let content_type = if accepts_github {
        "application/json; charset=utf-8"
    } else {
        "application/problem+json"
    };
    insert(&mut response, CONTENT_TYPE, content_type);
    insert(&mut response, CONTENT_LENGTH, &body.len().to_string());
    match fault {
        Fault::Busy(_) => insert(&mut response, RETRY_AFTER, RETRY_AFTER_SECONDS),
        Fault::Unauthorized => insert(&mut response, WWW_AUTHENTICATE, "Bearer"),
        _ => {}
    }
    *response.body_mut() = body;
    response
}

fn problem_body(fault: &Fault, request_id: &str) -> Value {
    let detail = fault.to_string();
    let mut body = json!({
        "type": format!("urn:g1t:problem:{}", fault.code()),
        "title": fault.status().canonical_reason().unwrap_or("Error"),
        "status": fault.status().as_u16(),
        "detail": detail,
        "code": fault.code(),
        "request_id": request_id,
        "message": detail,
    });
    if !fault.errors().is_empty() {
        body["errors"] = json!(fault.errors());
    }
    body
}

/// Compares as RFC 9110 says for `If-None-Match`: weakly, any of a list, or `*`.
fn has_tag(asked: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    asked.trim() == "*" || asked.split(',').any(|one| opaque(one) == opaque(tag))
}

/// A value that is no header value is left out: it can only be a text that came from outside.
fn insert(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
