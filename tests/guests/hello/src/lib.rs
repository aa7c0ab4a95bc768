//! Answers "Hello": what the HTTP trigger is measured with, against `wasmtime serve` on the same bytes.
use spin_sdk::http::{IntoResponse, Request};
use spin_sdk::http_service;

#[http_service]
async fn handle(_request: Request) -> impl IntoResponse {
    "Hello, world!"
}
