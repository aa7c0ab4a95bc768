//! The way of every request through a route component.

use crate::reply::{Response, problem};
use crate::request::accepts_github;
use crate::{Fault, Reply, Request};

/// Reads a request, has it answered, and makes the HTTP answer of what came: also of a fault, which is logged when it is
/// ours.
pub async fn serve(
    request: spin_sdk::http::Request,
    route: impl AsyncFnOnce(&Request) -> Result<Reply, Fault>,
) -> Response {
    let is_github = accepts_github(request.headers());
    let request_id = request
        .headers()
        .get("g1t-request-id")
        .and_then(|value| value.to_str().ok());
    let request_id = request_id.unwrap_or_default().to_owned();
    let request = match Request::read(request).await {
        Ok(request) => request,
        Err(fault) => return refused(&fault, &request_id, is_github),
    };
    match route(&request).await {
        Ok(reply) => reply.into_response(&request),
        Err(fault) => refused(&fault, &request_id, request.accepts_github()),
    }
}

fn refused(fault: &Fault, request_id: &str, is_github: bool) -> Response {
    if let Fault::Internal(_) | Fault::Busy(_) = fault {
        eprintln!("request {request_id}: {}", fault.log_line());
    }
    problem(fault, request_id, is_github)
}

/// The fault for a path that `app.toml` sends here and no branch answers.
pub fn no_such_route(request: &Request) -> Fault {
    Fault::not_found(format!("{} {}", request.method(), request.path()))
}
