//! What a run has to be, when it is made and when it is changed.

use g1t_kit::time::parse_rfc3339;
use g1t_kit::{Fault, FieldError};
use serde::{Deserialize, Deserializer};

use crate::output::Output;

/// What errors are about.
pub const RESOURCE: &str = "CheckRun";
const COMPLETED: &str = "completed";
const STATUSES: [&str; 3] = ["queued", "in_progress", COMPLETED];
/// `stale` is g1t's own word: nobody reports it.
const CONCLUSIONS: [&str; 7] = [
    "success",
    "failure",
    "neutral",
    "cancelled",
    "skipped",
    "timed_out",
    "action_required",
];
const MAX_NAME_CHARS: usize = 100;
const MAX_EXTERNAL_ID_CHARS: usize = 200;
const MAX_URL_BYTES: usize = 2_048;

/// A report as it comes in. What is left out stays as it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Body {
    name: Option<String>,
    /// The commit; only when a run is made.
    pub head_sha: Option<String>,
    status: Option<String>,
    conclusion: Option<String>,
    started_at: Option<String>,
    completed_at: Option<String>,
    details_url: Option<String>,
    external_id: Option<String>,
    #[serde(deserialize_with = "lenient_output")]
    output: Option<Output>,
}

/// `annotations: null` is how some clients say that there are none.
fn lenient_output<'de, D: Deserializer<'de>>(json: D) -> Result<Option<Output>, D::Error> {
    #[derive(Deserialize)]
    struct Sent {
        title: Option<String>,
        summary: Option<String>,
        text: Option<String>,
        annotations: Option<Vec<crate::output::Annotation>>,
    }
    let sent = Option::<Sent>::deserialize(json)?;
    Ok(sent.map(|sent| Output {
        title: sent.title,
        summary: sent.summary,
        text: sent.text,
        annotations: sent.annotations.unwrap_or_default(),
    }))
}

/// A run as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Name of the check.
    pub name: String,
    /// `queued`, `in_progress` or `completed`.
    pub status: String,
    /// What came out; there exactly when the run is completed.
    pub conclusion: Option<String>,
    /// When it began, in milliseconds since 1970; none before that is known.
    pub started_at_ms: Option<i64>,
    /// When it ended; there exactly when the run is completed.
    pub completed_at_ms: Option<i64>,
    /// Where to read more; may be empty.
    pub details_url: String,
    /// The reporter's own name of the run; may be empty.
    pub external_id: String,
    /// What it says.
    pub output: Output,
}

impl Run {
    /// What a new run is before anything is said about it.
    pub fn blank() -> Self {
        Self {
            status: "queued".to_owned(),
            ..Self::default()
        }
    }

    /// True when it has an outcome.
    pub fn is_completed(&self) -> bool {
        self.status == COMPLETED
    }
}

impl Body {
    /// The run that this makes of the one there is. A conclusion completes a run; a completed one that is said to be
    /// queued or in progress begins again.
    ///
    /// # Errors
    /// [`Fault::Validation`] naming every field.
    pub fn over(self, before: Run, now_ms: i64) -> Result<Run, Fault> {
        let mut errors = Vec::new();
        let mut run = before;
        take(&mut run.name, self.name.map(|name| name.trim().to_owned()));
        take(&mut run.details_url, self.details_url);
        take(&mut run.external_id, self.external_id);
        check_texts(&run, &mut errors);
        let started = time("started_at", self.started_at.as_deref(), &mut errors);
        let completed = time("completed_at", self.completed_at.as_deref(), &mut errors);
        let was_completed = run.is_completed();
        if let Some(status) = &self.status {
            one_of("status", status, &STATUSES, &mut errors);
        }
        if let Some(conclusion) = &self.conclusion {
            one_of("conclusion", conclusion, &CONCLUSIONS, &mut errors);
        }
        match (self.status, self.conclusion) {
            (_, Some(conclusion)) => {
                run.status = COMPLETED.to_owned();
                run.conclusion = Some(conclusion);
            }
            (Some(status), None) if status == COMPLETED => {
                if run.conclusion.is_none() {
                    errors.push(FieldError::missing(RESOURCE, "conclusion"));
                }
                run.status = status;
            }
            (Some(status), None) => {
                run.status = status;
                run.conclusion = None;
                if was_completed {
                    run.started_at_ms = Some(now_ms);
                }
            }
            (None, None) => {}
        }
        // A reporter whose clock is ahead must not hide what starts after it: the latest started run counts.
        let started = started.map(|time| time.min(now_ms));
        run.started_at_ms = started.or(run.started_at_ms);
        run.completed_at_ms = match run.is_completed() {
            true => completed.or(run.completed_at_ms).or(Some(now_ms)),
            false => None,
        };
        if let Some(output) = self.output {
            run.output = run.output.with(output, &mut errors);
        }
        if errors.is_empty() {
            Ok(run)
        } else {
            Err(Fault::validation(errors))
        }
    }
}

fn check_texts(run: &Run, errors: &mut Vec<FieldError>) {
    if run.name.is_empty() {
        errors.push(FieldError::missing(RESOURCE, "name"));
    } else if run.name.chars().count() > MAX_NAME_CHARS || run.name.chars().any(char::is_control) {
        let why = format!("must be one line of at most {MAX_NAME_CHARS} characters");
        errors.push(invalid("name", why));
    }
    if run.external_id.chars().count() > MAX_EXTERNAL_ID_CHARS || run.external_id.contains('\0') {
        let why = format!("must be at most {MAX_EXTERNAL_ID_CHARS} characters");
        errors.push(invalid("external_id", why));
    }
    if !run.details_url.is_empty() && !is_web_address(&run.details_url) {
        let why =
            format!("must begin with http:// or https:// and have at most {MAX_URL_BYTES} bytes");
        errors.push(invalid("details_url", why));
    }
}

fn time(field: &str, text: Option<&str>, errors: &mut Vec<FieldError>) -> Option<i64> {
    let time = parse_rfc3339(text?);
    if time.is_none() {
        let why = "must be a time such as 2026-01-31T12:00:00Z";
        errors.push(invalid(field, why));
    }
    time
}

fn is_web_address(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let rest = lower
        .strip_prefix("https://")
        .or_else(|| lower.strip_prefix("http://"));
    let is_clean = !text.chars().any(|c| c.is_control() || c.is_whitespace());
    rest.is_some_and(|rest| !rest.is_empty()) && is_clean && text.len() <= MAX_URL_BYTES
}

fn take(field: &mut String, value: Option<String>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// A field with a value that cannot be taken.
pub fn invalid(field: &str, message: impl Into<String>) -> FieldError {
    FieldError::invalid(RESOURCE, field, message)
}

/// Adds an error unless the word is one of those.
pub fn one_of(field: &str, word: &str, words: &[&str], errors: &mut Vec<FieldError>) {
    if !words.contains(&word) {
        errors.push(invalid(
            field,
            format!("must be one of {}", words.join(", ")),
        ));
    }
}

#[cfg(test)]
mod tests;
