//! Rulesets of repositories and workspaces, as GitHub's API has them, and which rules hold for a branch.

mod body;
mod change;
mod place;
mod route;
mod row;
mod view;

use g1t_kit::Response;

#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> Response {
    g1t_kit::serve(request, route::route).await
}
