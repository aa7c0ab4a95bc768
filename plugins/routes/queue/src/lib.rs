//! `/repos/{workspace}/{repo}/queue`: a branch's merge queue, as people see it and may change it.

mod change;
mod entry;
mod route;
mod view;

use g1t_kit::Response;

#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> Response {
    g1t_kit::serve(request, route::route).await
}
