//! What a run says: title, summary, text and notes on lines.

use g1t_kit::FieldError;
use serde::{Deserialize, Serialize};

use crate::body::{RESOURCE, invalid, one_of};

const MAX_TEXT_CHARS: usize = 65_535;
const MAX_ANNOTATIONS_A_REQUEST: usize = 50;
const MAX_ANNOTATIONS: usize = 1_000;
const MAX_TITLE_CHARS: usize = 255;
const MAX_PATH_BYTES: usize = 4_096;
const LEVELS: [&str; 3] = ["notice", "warning", "failure"];

/// A note on lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Annotation {
    path: String,
    start_line: i64,
    end_line: i64,
    #[serde(default)]
    start_column: Option<i64>,
    #[serde(default)]
    end_column: Option<i64>,
    annotation_level: String,
    message: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    raw_details: Option<String>,
}

/// What a run says, as it is kept and as it comes in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Output {
    /// One line.
    #[serde(default)]
    pub title: Option<String>,
    /// What came out, as Markdown.
    #[serde(default)]
    pub summary: Option<String>,
    /// Details, as Markdown.
    #[serde(default)]
    pub text: Option<String>,
    /// Notes on lines.
    #[serde(default)]
    pub annotations: Vec<Annotation>,
}

impl Output {
    /// This with what comes in: texts replace texts, annotations are added to those there are.
    pub fn with(mut self, new: Output, errors: &mut Vec<FieldError>) -> Self {
        new.check(errors);
        self.title = new.title.or(self.title);
        self.summary = new.summary.or(self.summary);
        self.text = new.text.or(self.text);
        self.annotations.extend(new.annotations);
        if self.title.is_none() {
            errors.push(FieldError::missing(RESOURCE, "output.title"));
        }
        if self.summary.is_none() {
            errors.push(FieldError::missing(RESOURCE, "output.summary"));
        }
        if self.annotations.len() > MAX_ANNOTATIONS {
            let why = format!("a run has at most {MAX_ANNOTATIONS} annotations");
            errors.push(invalid("output.annotations", why));
        }
        self
    }

    fn check(&self, errors: &mut Vec<FieldError>) {
        let texts = [
            ("output.title", &self.title),
            ("output.summary", &self.summary),
            ("output.text", &self.text),
        ];
        for (field, text) in texts {
            at_most(field, text.as_deref(), MAX_TEXT_CHARS, errors);
        }
        if self.annotations.len() > MAX_ANNOTATIONS_A_REQUEST {
            let why = format!(
                "a request brings at most {MAX_ANNOTATIONS_A_REQUEST} annotations; send the others by changing the run"
            );
            errors.push(invalid("output.annotations", why));
            return;
        }
        for (position, annotation) in self.annotations.iter().enumerate() {
            annotation.check(&format!("output.annotations[{position}]"), errors);
        }
    }
}

impl Annotation {
    fn check(&self, path: &str, errors: &mut Vec<FieldError>) {
        let field = |name: &str| format!("{path}.{name}");
        one_of(
            &field("annotation_level"),
            &self.annotation_level,
            &LEVELS,
            errors,
        );
        if self.path.is_empty() || self.path.len() > MAX_PATH_BYTES || self.path.contains('\0') {
            let why = format!("must be a path of at most {MAX_PATH_BYTES} bytes");
            errors.push(invalid(&field("path"), why));
        }
        if self.start_line < 1 || self.end_line < self.start_line {
            let why = "lines count from 1, and the last is not before the first";
            errors.push(invalid(&field("end_line"), why));
        }
        if self.message.is_empty() {
            errors.push(FieldError::missing(RESOURCE, &field("message")));
        }
        at_most(
            &field("message"),
            Some(&self.message),
            MAX_TEXT_CHARS,
            errors,
        );
        at_most(
            &field("title"),
            self.title.as_deref(),
            MAX_TITLE_CHARS,
            errors,
        );
        let details = self.raw_details.as_deref();
        at_most(&field("raw_details"), details, MAX_TEXT_CHARS, errors);
    }
}

/// The database takes no NUL within JSON.
fn at_most(field: &str, text: Option<&str>, most: usize, errors: &mut Vec<FieldError>) {
    let Some(text) = text else { return };
    if text.chars().count() > most || text.contains('\0') {
        let why = format!("must be a text of at most {most} characters without NUL");
        errors.push(invalid(field, why));
    }
}
