//! `/repos/{workspace}/{repo}/pulls`: pull requests in GitHub's shapes, and merging them, at once or by the queue.

mod change;
mod create;
mod head;
mod list;
mod merge;
mod parts;
mod route;
mod rules;
mod shape;
mod view;

use g1t_kit::Response;

#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> Response {
    g1t_kit::serve(request, route::route).await
}
