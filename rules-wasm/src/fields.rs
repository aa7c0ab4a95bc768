//! Reading a rule's parameters, a JSON object, field by field.
//!
//! Every error is collected with the path of its field, so that somebody who writes a ruleset sees all of them at once.
//! `null` is read as left out, as GitHub's exports have it. Fields nobody asks for are kept where they are stored and
//! listed by [`Fields::unread`]: nothing is dropped without a word.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::limits::{PARAMETERS_BYTES, PATTERNS};
use crate::pattern::FilePattern;
use crate::sentence;
use crate::types::FieldError;

/// The fields of one JSON object.
pub(crate) struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: String,
    read: BTreeSet<&'static str>,
    errors: Vec<FieldError>,
}

/// Reads a rule's parameters as JSON.
///
/// # Errors
/// When they are too long or no JSON object.
pub(crate) fn object(parameters: &str, path: &str) -> Result<Map<String, Value>, FieldError> {
    if parameters.len() > PARAMETERS_BYTES {
        let message = format!("must be at most {PARAMETERS_BYTES} bytes of JSON");
        return Err(error(path, "invalid", message));
    }
    match serde_json::from_str(parameters) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) | Err(_) => Err(error(path, "invalid", "must be a JSON object".to_owned())),
    }
}

/// A field's error in the words of the contract.
pub(crate) fn error(field: &str, code: &str, message: String) -> FieldError {
    FieldError {
        field: field.to_owned(),
        code: code.to_owned(),
        message,
    }
}

impl<'a> Fields<'a> {
    /// Starts reading `object`, whose own path is `path`.
    pub(crate) fn new(object: &'a Map<String, Value>, path: &str) -> Self {
        Self {
            object,
            path: path.to_owned(),
            read: BTreeSet::new(),
            errors: Vec::new(),
        }
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, name: &'static str, default: bool) -> bool {
        match self.value(name) {
            None => default,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.invalid(name, "must be true or false");
                default
            }
        }
    }

    /// A whole number of a range.
    pub(crate) fn whole(
        &mut self,
        name: &'static str,
        range: RangeInclusive<u32>,
        default: u32,
    ) -> u32 {
        let Some(value) = self.value(name) else {
            return default;
        };
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        match number.filter(|number| range.contains(number)) {
            Some(number) => number,
            None => {
                let (from, to) = (range.start(), range.end());
                self.invalid(name, format!("must be a whole number from {from} to {to}"));
                default
            }
        }
    }

    /// A number that identifies something.
    pub(crate) fn id(&mut self, name: &'static str) -> Option<u64> {
        let value = self.value(name)?;
        let id = value.as_u64().filter(|id| *id > 0);
        if id.is_none() {
            self.invalid(name, "must be a whole number above 0");
        }
        id
    }

    /// A text that has to be there, with at most `longest` characters; empty when it is not.
    pub(crate) fn text(&mut self, name: &'static str, longest: usize) -> String {
        match self.value(name) {
            None => self.missing(name),
            Some(Value::String(text)) if text.trim().is_empty() => {
                self.invalid(name, "must not be empty");
            }
            Some(Value::String(text)) if text.chars().count() <= longest => return text.clone(),
            Some(_) => self.invalid(
                name,
                format!("must be a text of at most {longest} characters"),
            ),
        }
        String::new()
    }

    /// One of a few words; `read` gives what a word means.
    pub(crate) fn word<T>(
        &mut self,
        name: &'static str,
        words: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(name)?;
        let meaning = value.as_str().and_then(read);
        if meaning.is_none() {
            let choice = sentence::choice(words.iter().copied());
            self.invalid(name, format!("must be {choice}"));
        }
        meaning
    }

    /// A list of words; `None` when it is left out.
    pub(crate) fn words<T>(
        &mut self,
        name: &'static str,
        words: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let values = self.list(name, words.len())?;
        let mut meanings = Vec::new();
        for (position, value) in values.iter().enumerate() {
            match value.as_str().and_then(&read) {
                Some(meaning) => meanings.push(meaning),
                None => {
                    let choice = sentence::choice(words.iter().copied());
                    self.invalid_item(name, position, format!("must be {choice}"));
                }
            }
        }
        if values.is_empty() {
            self.invalid(name, "must have at least one entry");
        }
        Some(meanings)
    }

    /// A list of file patterns; `None` when it is left out.
    pub(crate) fn file_patterns(&mut self, name: &'static str) -> Option<Vec<FilePattern>> {
        let values = self.list(name, PATTERNS)?;
        let mut patterns = Vec::new();
        for (position, value) in values.iter().enumerate() {
            match value.as_str().map(FilePattern::new) {
                Some(Ok(pattern)) => patterns.push(pattern),
                Some(Err(reason)) => self.invalid_item(name, position, reason.to_string()),
                None => self.invalid_item(name, position, "must be a text".to_owned()),
            }
        }
        Some(patterns)
    }

    /// As [`Self::file_patterns`], for a list that has to be there.
    pub(crate) fn required_file_patterns(&mut self, name: &'static str) -> Vec<FilePattern> {
        if self.value(name).is_none() {
            self.missing(name);
        }
        self.file_patterns(name).unwrap_or_default()
    }

    /// A list of objects that has to be there, each read by `read`.
    pub(crate) fn items<T>(
        &mut self,
        name: &'static str,
        longest: usize,
        read: impl Fn(&mut Fields<'_>) -> T,
    ) -> Vec<T> {
        let Some(values) = self.required_list(name, longest) else {
            return Vec::new();
        };
        let mut items = Vec::new();
        for (position, value) in values.iter().enumerate() {
            let Value::Object(object) = value else {
                self.invalid_item(name, position, "must be an object".to_owned());
                continue;
            };
            let mut fields = Fields::new(object, &format!("{}.{name}[{position}]", self.path));
            items.push(read(&mut fields));
            self.errors.append(&mut fields.errors);
        }
        items
    }

    /// Says that a field which is needed is not there.
    fn missing(&mut self, name: &str) {
        let field = format!("{}.{name}", self.path);
        self.errors
            .push(error(&field, "missing", "must be given".to_owned()));
    }

    /// Says what is wrong with a field.
    fn invalid(&mut self, name: &str, message: impl Into<String>) {
        let field = format!("{}.{name}", self.path);
        self.errors.push(error(&field, "invalid", message.into()));
    }

    /// Names of fields that are there and that nobody asked for.
    pub(crate) fn unread(&self) -> Vec<&'a str> {
        self.object
            .keys()
            .map(String::as_str)
            .filter(|name| !self.read.contains(name))
            .collect()
    }

    /// Everything that was wrong.
    pub(crate) fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        self.read.insert(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    fn required_list(&mut self, name: &'static str, longest: usize) -> Option<&'a [Value]> {
        if self.value(name).is_none() {
            self.missing(name);
        }
        self.list(name, longest)
    }

    fn list(&mut self, name: &'static str, longest: usize) -> Option<&'a [Value]> {
        let value = self.value(name)?;
        match value.as_array() {
            Some(values) if values.len() <= longest => Some(values),
            Some(_) | None => {
                self.invalid(name, format!("must be a list of at most {longest} entries"));
                None
            }
        }
    }

    fn invalid_item(&mut self, name: &str, position: usize, message: String) {
        self.invalid(&format!("{name}[{position}]"), message);
    }
}
