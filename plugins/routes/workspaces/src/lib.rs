//! Workspaces: made, read, changed; who is in them; tokens.

mod members;
mod route;
mod tokens;
mod workspace;

use g1t_kit::{Response, serve};

#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> Response {
    serve(request, route::route).await
}
