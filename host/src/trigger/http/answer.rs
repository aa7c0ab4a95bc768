use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};

/// Body of an answer, whoever made it.
pub type AnswerBody = UnsyncBoxBody<Bytes, wasmtime_wasi_http::Error>;
/// An answer to a client.
pub type Answer = Response<AnswerBody>;

/// An error that the host answers itself, before or after a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    NoToken,
    BadToken,
    NoRoute,
    MethodNotAllowed,
    BodyTooLarge,
    Busy,
    /// The token may ask again in so many seconds.
    RateLimited(u64),
    ComponentFailed,
    ComponentTimedOut,
    Database,
    BadRequest(&'static str),
}

impl Problem {
    fn parts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::NoToken => (
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "Send a token: `Authorization: Bearer g1tw_...`.",
            ),
            Self::BadToken => (
                StatusCode::UNAUTHORIZED,
                "bad_token",
                "The token is unknown, revoked or over: ask an owner of the workspace for a new one.",
            ),
            Self::NoRoute => (
                StatusCode::NOT_FOUND,
                "not_found",
                "There is nothing at this address.",
            ),
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "This address does not take this method: the Allow header names those it takes.",
            ),
            Self::BodyTooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                "The body is larger than 10 MiB: send less at once.",
            ),
            Self::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "Too many requests at once: try again.",
            ),
            Self::RateLimited(_) => (
                StatusCode::TOO_MANY_REQUESTS,
                "rate_limited",
                "This token has made all the requests it may in an hour: ask again after the seconds in Retry-After.",
            ),
            Self::ComponentFailed => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "Something broke while answering; nothing was changed. The request id finds it in the log.",
            ),
            Self::ComponentTimedOut => (
                StatusCode::GATEWAY_TIMEOUT,
                "timed_out",
                "The answer took too long and was given up: try again, and ask for less at once.",
            ),
            Self::Database => (
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "The database does not answer: try again.",
            ),
            Self::BadRequest(detail) => (StatusCode::BAD_REQUEST, "bad_request", detail),
        }
    }

    /// The problem as an answer. A client whose `Accept` names GitHub's type gets `application/json`.
    pub fn answer(self, request_id: &str, github_client: bool) -> Answer {
        let (status, code, detail) = self.parts();
        let title = status.canonical_reason().unwrap_or("Error");
        let body = serde_json::json!({
            "type": format!("urn:g1t:problem:{code}"), "title": title, "status": status.as_u16(), "detail": detail, "code": code,
            "request_id": request_id, "message": detail, "errors": [],
        });
        let mut answer = Response::new(full(body.to_string()));
        *answer.status_mut() = status;
        let headers = answer.headers_mut();
        let kind = if github_client {
            "application/json"
        } else {
            "application/problem+json"
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(
                WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"g1t-work\""),
            );
        }
        match self {
            Self::RateLimited(wait_s) => {
                headers.insert(RETRY_AFTER, HeaderValue::from(wait_s));
            }
            _ if status == StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        stamp(&mut answer, request_id);
        answer
    }
}

/// Puts the request's id on an answer.
pub(super) fn stamp(answer: &mut Answer, request_id: &str) {
    if let Ok(value) = HeaderValue::from_str(request_id) {
        answer
            .headers_mut()
            .insert(HeaderName::from_static("x-request-id"), value);
    }
}

/// A body that is there already.
pub fn full(bytes: impl Into<Bytes>) -> AnswerBody {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}
