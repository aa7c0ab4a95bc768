//! A component of the older `wasi:http` 0.2: says what it was asked, so that the host's tests see both directions.

use wasip2::exports::http::incoming_handler::Guest;
use wasip2::http::types::{
    ErrorCode, Fields, IncomingRequest, OutgoingBody, OutgoingResponse, ResponseOutparam,
};
use wasip2::io::streams::StreamError;

wasip2::http::proxy::export!(Hello);

struct Hello;

impl Guest for Hello {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        match answer(&request) {
            Ok((response, body, text)) => {
                ResponseOutparam::set(out, Ok(response));
                // The status is on its way: a client that has gone is nothing to answer for.
                if write(&body, text.as_bytes()).is_some() {
                    OutgoingBody::finish(body, None).ok();
                }
            }
            Err(error) => ResponseOutparam::set(out, Err(error)),
        }
    }
}

fn answer(
    request: &IncomingRequest,
) -> Result<(OutgoingResponse, OutgoingBody, String), ErrorCode> {
    let path = request.path_with_query().unwrap_or_default();
    let length = length_of_body(request)?;
    let response = OutgoingResponse::new(Fields::new());
    let body = response
        .body()
        .map_err(|()| ErrorCode::InternalError(None))?;
    Ok((response, body, format!("hello {path}, {length} bytes")))
}

fn length_of_body(request: &IncomingRequest) -> Result<usize, ErrorCode> {
    let failed = |()| ErrorCode::InternalError(None);
    let body = request.consume().map_err(failed)?;
    let stream = body.stream().map_err(failed)?;
    let mut length = 0;
    loop {
        match stream.blocking_read(64 << 10) {
            Ok(bytes) => length += bytes.len(),
            Err(StreamError::Closed) => return Ok(length),
            Err(StreamError::LastOperationFailed(error)) => {
                return Err(ErrorCode::InternalError(Some(error.to_debug_string())));
            }
        }
    }
}

fn write(body: &OutgoingBody, bytes: &[u8]) -> Option<()> {
    let stream = body.write().ok()?;
    stream.blocking_write_and_flush(bytes).ok()
}
