//! Answers that are no pack.

use http::StatusCode;

/// An answer that is not a pack: status and one sentence.
pub(super) type Refused = (StatusCode, String);

/// Try again.
pub(super) fn busy() -> Refused {
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "The server is busy: try again.".to_owned(),
    )
}

/// Git failed.
pub(super) fn broken() -> Refused {
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        "Git could not answer; nothing was changed.".to_owned(),
    )
}
