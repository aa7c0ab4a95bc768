//! Check runs: what CI does on a commit, with its output, as GitHub's API has it.

mod body;
mod change;
mod output;
mod route;
mod view;

use g1t_kit::Response;

#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> Response {
    g1t_kit::serve(request, route::route).await
}
