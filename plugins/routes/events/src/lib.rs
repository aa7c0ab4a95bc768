//! `/workspaces/{workspace}/events`: what has happened, newest first for people, oldest first for programs that poll.

mod ask;
mod route;

use g1t_kit::Response;

#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> Response {
    g1t_kit::serve(request, route::route).await
}
