//! Why a request was not done, by what the caller can do about it.

use std::fmt::Write as _;

use http::StatusCode;
use serde::Serialize;

use crate::bindings::g1t::git::types::Error as GitError;

/// One field of a body that is wrong; GitHub's shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldError {
    /// What the field belongs to, such as `PullRequest`.
    pub resource: String,
    /// Path of the field, such as `rules[2].parameters`.
    pub field: String,
    /// GitHub's word: `missing`, `missing_field`, `invalid`, `already_exists`, `unprocessable`, `custom`.
    pub code: String,
    /// One sentence that says what would be right.
    pub message: String,
}

impl FieldError {
    /// A field with a value that cannot be taken.
    pub fn invalid(resource: &str, field: &str, message: impl Into<String>) -> Self {
        Self::new(resource, field, "invalid", message)
    }

    /// A field that has to be there.
    pub fn missing(resource: &str, field: &str) -> Self {
        Self::new(
            resource,
            field,
            "missing_field",
            format!("`{field}` is required"),
        )
    }

    /// A field with one of GitHub's codes.
    pub fn new(resource: &str, field: &str, code: &str, message: impl Into<String>) -> Self {
        Self {
            resource: resource.into(),
            field: field.into(),
            code: code.into(),
            message: message.into(),
        }
    }
}

/// Why a request was not done. The text of each is for the caller; only [`Fault::Internal`] keeps its text for the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// 400: the request cannot be read at all.
    #[error("{0}")]
    BadRequest(String),
    /// 401: no actor came with the request.
    #[error("a token is required: send `Authorization: Bearer <token>`")]
    Unauthorized,
    /// 403: known, and not allowed; says which role or scope would do.
    #[error("{0}")]
    Forbidden(String),
    /// 404: not there, or not for this actor to see.
    #[error("{0} was not found")]
    NotFound(String),
    /// 405: a pull request that cannot be merged now.
    #[error("{detail}")]
    NotMergeable {
        /// What stands in the way and what to do.
        detail: String,
        /// Every rule that stands in the way.
        errors: Vec<FieldError>,
    },
    /// 409: the state is not what the caller thinks.
    #[error("{detail}")]
    Conflict {
        /// Stable word for programs.
        code: &'static str,
        /// What is the case and what to do.
        detail: String,
    },
    /// 413: more than is taken in.
    #[error("{0}")]
    TooLarge(String),
    /// 415: not JSON.
    #[error("send the body as `Content-Type: application/json`")]
    UnsupportedMediaType,
    /// 422: fields that cannot be taken.
    #[error("{detail}")]
    Validation {
        /// What is wrong in one sentence.
        detail: String,
        /// Every field that is wrong.
        errors: Vec<FieldError>,
    },
    /// 503: nothing is wrong with the request; again later.
    #[error("{0}; try again in a moment")]
    Busy(String),
    /// 500: ours. The text is written to the log and never sent.
    #[error("something went wrong on our side; give the request id when you report it")]
    Internal(String),
}

impl Fault {
    /// 400, with what cannot be read and where.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::BadRequest(detail.into())
    }

    /// 403, with the role or scope that is needed.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::Forbidden(detail.into())
    }

    /// 404, with the thing that was asked for, such as `Pull request #7`.
    pub fn not_found(what: impl Into<String>) -> Self {
        Self::NotFound(what.into())
    }

    /// 405, with what stands in the way of merging.
    pub fn not_mergeable(detail: impl Into<String>) -> Self {
        Self::NotMergeable {
            detail: detail.into(),
            errors: Vec::new(),
        }
    }

    /// 409, with a stable word for programs and a sentence for people.
    pub fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Self::Conflict {
            code,
            detail: detail.into(),
        }
    }

    /// 422 for one field.
    pub fn field(resource: &str, field: &str, message: impl Into<String>) -> Self {
        Self::validation(vec![FieldError::invalid(resource, field, message)])
    }

    /// 422 for a field that has to be there.
    pub fn missing(resource: &str, field: &str) -> Self {
        Self::validation(vec![FieldError::missing(resource, field)])
    }

    /// 422 for several fields at once. The detail is made of their messages.
    pub fn validation(errors: Vec<FieldError>) -> Self {
        let mut detail = String::new();
        for error in &errors {
            let separator = if detail.is_empty() { "" } else { "; " };
            // Writing to a String cannot fail.
            let _ = write!(detail, "{separator}{}: {}", error.field, error.message);
        }
        Self::Validation {
            detail: format!("Validation failed: {detail}"),
            errors,
        }
    }

    /// 503, with what is busy.
    pub fn busy(what: impl Into<String>) -> Self {
        Self::Busy(what.into())
    }

    /// 500, with a text for the log.
    pub fn internal(log: impl Into<String>) -> Self {
        Self::Internal(log.into())
    }

    /// The answer's status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::NotMergeable { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict { .. } => StatusCode::CONFLICT,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Validation { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadRequest(_) => "bad_request",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden(_) => "forbidden",
            Self::NotFound(_) => "not_found",
            Self::NotMergeable { .. } => "not_mergeable",
            Self::Conflict { code, .. } => code,
            Self::TooLarge(_) => "too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::Validation { .. } => "validation_failed",
            Self::Busy(_) => "busy",
            Self::Internal(_) => "internal",
        }
    }

    /// Fields that are wrong, or rules that stand in the way.
    pub fn errors(&self) -> &[FieldError] {
        match self {
            Self::Validation { errors, .. } | Self::NotMergeable { errors, .. } => errors,
            Self::BadRequest(_)
            | Self::Unauthorized
            | Self::Forbidden(_)
            | Self::NotFound(_)
            | Self::Conflict { .. }
            | Self::TooLarge(_)
            | Self::UnsupportedMediaType
            | Self::Busy(_)
            | Self::Internal(_) => &[],
        }
    }

    /// True when trying the same again later can help.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Busy(_) | Self::Internal(_) | Self::Conflict { .. }
        )
    }

    /// What the log says: the cause, also of [`Fault::Internal`].
    pub fn log_line(&self) -> String {
        match self {
            Self::Internal(cause) => format!("internal: {cause}"),
            other => format!("{}: {other}", other.code()),
        }
    }
}

impl From<GitError> for Fault {
    fn from(error: GitError) -> Self {
        match error {
            GitError::NoRepository => Self::not_found("The repository"),
            GitError::NoObject(id) => Self::not_found(format!("Commit {id}")),
            GitError::Invalid(why) => Self::field("Repository", "ref", why),
            GitError::Busy(why) => Self::Busy(why),
            GitError::Other(why) => Self::Internal(format!("git: {why}")),
        }
    }
}
