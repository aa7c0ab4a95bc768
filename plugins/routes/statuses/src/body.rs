//! What a report has to be.

use g1t_kit::{Fault, FieldError};
use serde::Deserialize;

/// What errors are about.
pub const RESOURCE: &str = "Status";
const DEFAULT_CONTEXT: &str = "default";
const STATES: [&str; 4] = ["pending", "success", "failure", "error"];
const MAX_CONTEXT_CHARS: usize = 100;
const MAX_DESCRIPTION_CHARS: usize = 140;
const MAX_URL_BYTES: usize = 2_048;

/// A report as it comes in.
#[derive(Debug, Deserialize)]
pub struct Body {
    state: Option<String>,
    target_url: Option<String>,
    description: Option<String>,
    context: Option<String>,
}

/// A report that can be taken.
#[derive(Debug, PartialEq, Eq)]
pub struct Report {
    /// `pending`, `success`, `failure` or `error`.
    pub state: String,
    /// Name of the check.
    pub context: String,
    /// One line; may be empty.
    pub description: String,
    /// Where to read more; may be empty.
    pub target_url: String,
}

impl Body {
    /// The report, or everything that is wrong with it.
    ///
    /// # Errors
    /// [`Fault::Validation`] naming every field.
    pub fn report(self) -> Result<Report, Fault> {
        let mut errors = Vec::new();
        let mut wrong = |field: &str, message: String| {
            errors.push(FieldError::invalid(RESOURCE, field, message))
        };
        let context = self
            .context
            .filter(|context| !context.is_empty())
            .unwrap_or_else(|| DEFAULT_CONTEXT.to_owned());
        let description = self.description.unwrap_or_default();
        let target_url = self.target_url.unwrap_or_default();
        let state = self.state.unwrap_or_default();
        if !STATES.contains(&state.as_str()) {
            wrong("state", format!("must be one of {}", STATES.join(", ")));
        }
        if context.chars().count() > MAX_CONTEXT_CHARS || context.chars().any(char::is_control) {
            wrong(
                "context",
                format!("must be one line of at most {MAX_CONTEXT_CHARS} characters"),
            );
        }
        if description.chars().count() > MAX_DESCRIPTION_CHARS || description.contains('\0') {
            wrong(
                "description",
                format!("must be at most {MAX_DESCRIPTION_CHARS} characters"),
            );
        }
        if !target_url.is_empty() && !is_web_address(&target_url) {
            wrong(
                "target_url",
                format!(
                    "must begin with http:// or https:// and have at most {MAX_URL_BYTES} bytes"
                ),
            );
        }
        if errors.is_empty() {
            Ok(Report {
                state,
                context,
                description,
                target_url,
            })
        } else {
            Err(Fault::validation(errors))
        }
    }
}

fn is_web_address(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let rest = lower
        .strip_prefix("https://")
        .or_else(|| lower.strip_prefix("http://"));
    let is_clean = !text.chars().any(|c| c.is_control() || c.is_whitespace());
    rest.is_some_and(|rest| !rest.is_empty()) && is_clean && text.len() <= MAX_URL_BYTES
}

/// True for a whole object id: 40 hex digits.
pub fn is_sha(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use g1t_kit::testing::request;

    fn report(json: &str) -> Result<Report, Fault> {
        request("POST", "/x")
            .json(json)
            .build()
            .github_json::<Body>()?
            .report()
    }

    #[track_caller]
    fn expect_fields(json: &str, fields: &[&str]) {
        let fault = report(json).expect_err("it is wrong");
        let found: Vec<_> = fault.errors().iter().map(|e| e.field.as_str()).collect();
        assert_eq!(found, fields, "{fault}");
        assert_eq!(fault.status().as_u16(), 422);
    }

    #[test]
    fn a_report_without_a_context_is_of_the_default_one() {
        let report = report(r#"{"state":"success","unheard":1}"#).expect("it is right");
        assert_eq!(report.context, "default");
        assert_eq!(report.target_url, "");
    }

    #[test]
    fn a_context_has_its_longest_length_in_characters() {
        let longest = "é".repeat(100);
        assert!(report(&format!(r#"{{"state":"error","context":"{longest}"}}"#)).is_ok());
        expect_fields(
            &format!(r#"{{"state":"error","context":"{longest}e"}}"#),
            &["context"],
        );
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let long = "d".repeat(141);
        expect_fields(
            &format!(
                r#"{{"state":"passed","description":"{long}","target_url":"javascript:alert(1)"}}"#
            ),
            &["state", "description", "target_url"],
        );
        expect_fields("{}", &["state"]);
    }

    #[test]
    fn addresses_are_of_the_web() {
        assert!(is_web_address("https://ci.example/1") && is_web_address("HTTP://x"));
        assert!(!is_web_address("https://") && !is_web_address("ftp://x"));
        assert!(!is_web_address("https://a b") && !is_web_address("//x"));
    }

    #[test]
    fn a_sha_is_whole() {
        assert!(is_sha(&"A1".repeat(20)));
        assert!(!is_sha("a1b2c3d") && !is_sha(&"g".repeat(40)));
    }
}
