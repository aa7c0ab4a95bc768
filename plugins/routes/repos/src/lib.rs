//! Repositories: made, listed, read, changed; who has which role; branches, commits and refs.

mod collaborators;
mod create;
mod history;
mod route;
mod settings;
mod shape;

use g1t_kit::{Response, serve};

#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> Response {
    serve(request, route::route).await
}
