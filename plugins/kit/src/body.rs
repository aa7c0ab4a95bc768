//! Bodies of requests: JSON of a shape, with every mistake named.

use http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fault::FieldError;
use crate::request::NO_ZERO;
use crate::{Fault, Request};

impl Request {
    /// The body in a shape of GitHub's: fields that we do not keep are ignored.
    ///
    /// # Errors
    /// [`Fault::UnsupportedMediaType`], [`Fault::BadRequest`] for what is no JSON (with line and column),
    /// [`Fault::Validation`] for a field of another type or one that is missing.
    pub fn github_json<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        self.check_type()?;
        parse(self.body(), &mut |_| {})
    }

    /// As [`Request::github_json`]; no body at all is an empty object, for methods whose fields are all optional.
    ///
    /// # Errors
    /// As [`Request::github_json`].
    pub fn github_json_or_empty<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        if self.body().is_empty() {
            return parse(b"{}", &mut |_| {});
        }
        self.github_json()
    }

    /// The body in a shape of our own: a field that we do not know is refused with its name.
    ///
    /// # Errors
    /// As [`Request::github_json`], and [`Fault::Validation`] for unknown fields.
    pub fn own_json<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        self.check_type()?;
        let mut unknown = Vec::new();
        let read = parse(self.body(), &mut |field| unknown.push(field));
        if unknown.is_empty() {
            return read;
        }
        let refuse = |field: String| {
            FieldError::invalid("Body", &field, format!("there is no field `{field}` here"))
        };
        Err(Fault::validation(unknown.into_iter().map(refuse).collect()))
    }

    /// `application/json` and its relatives such as `application/vnd.github+json`.
    fn check_type(&self) -> Result<(), Fault> {
        let content_type = self.header(CONTENT_TYPE).unwrap_or_default();
        let essence = content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let is_json = essence == "application/json"
            || (essence.starts_with("application/") && essence.ends_with("+json"));
        if is_json {
            Ok(())
        } else {
            Err(Fault::UnsupportedMediaType)
        }
    }
}

fn parse<T: DeserializeOwned>(body: &[u8], unknown: &mut dyn FnMut(String)) -> Result<T, Fault> {
    refuse_zero(body)?;
    let mut json = serde_json::Deserializer::from_slice(body);
    let mut ignored = |path: serde_ignored::Path<'_>| unknown(without_options(&path.to_string()));
    let watched = serde_ignored::Deserializer::new(&mut json, &mut ignored);
    let value = serde_path_to_error::deserialize(watched).map_err(|error| {
        let path = error.path().to_string();
        refusal(&path, error.inner())
    })?;
    json.end().map_err(|error| refusal("", &error))?;
    Ok(value)
}

/// Refuses the character U+0000, with the field that has it. JSON can only write it escaped, so a body without the escape
/// is not looked at twice.
fn refuse_zero(body: &[u8]) -> Result<(), Fault> {
    let escape = br"\u0000";
    if !body.windows(escape.len()).any(|bytes| bytes == escape) {
        return Ok(());
    }
    // What is no JSON is refused as such afterwards.
    let found = serde_json::from_slice(body)
        .ok()
        .and_then(|value| field_with_zero(&value));
    match found {
        Some(field) if field.is_empty() => Err(Fault::field("Body", "body", NO_ZERO)),
        Some(field) => Err(Fault::field("Body", &field, NO_ZERO)),
        None => Ok(()),
    }
}

/// Path of the first text with U+0000; empty for the body itself and for a field whose name has it.
fn field_with_zero(value: &Value) -> Option<String> {
    let below = |step: String, inner: &Value| {
        let path = field_with_zero(inner)?;
        let separator = if path.is_empty() || path.starts_with('[') {
            ""
        } else {
            "."
        };
        Some(format!("{step}{separator}{path}"))
    };
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
        Value::String(text) => text.contains('\0').then(String::new),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(position, item)| below(format!("[{position}]"), item)),
        Value::Object(fields) => fields.iter().find_map(|(name, field)| {
            if name.contains('\0') {
                Some(String::new())
            } else {
                below(name.clone(), field)
            }
        }),
    }
}

/// Paths of serde_ignored have a `?` for every `Option` on the way, which says nothing to a caller.
fn without_options(path: &str) -> String {
    path.split('.')
        .filter(|part| *part != "?")
        .collect::<Vec<_>>()
        .join(".")
}

fn refusal(path: &str, error: &serde_json::Error) -> Fault {
    use serde_json::error::Category;
    match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => {
            Fault::bad_request(format!("the body is not JSON: {error}"))
        }
        Category::Data => {
            let field = if path.is_empty() || path == "." {
                "body"
            } else {
                path
            };
            Fault::field("Body", field, error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    struct Shape {
        name: String,
        #[serde(default)]
        inner: Option<Inner>,
    }

    #[derive(Debug, Deserialize)]
    struct Inner {
        count: u32,
    }

    fn own(body: &str) -> Result<Shape, Fault> {
        request("POST", "/x").json(body).build().own_json()
    }

    #[test]
    fn reads_a_shape() {
        let shape = own(r#"{"name":"a","inner":{"count":2}}"#).expect("it is right");
        assert_eq!(
            (shape.name.as_str(), shape.inner.map(|inner| inner.count)),
            ("a", Some(2))
        );
    }

    #[test]
    fn malformed_json_is_named_with_its_place() {
        let Err(Fault::BadRequest(detail)) = own("{\"name\":\n oops}") else {
            panic!("it is no JSON")
        };
        assert!(detail.contains("line 2 column"), "{detail}");
        assert!(matches!(
            own(r#"{"name":"a"} trailing"#),
            Err(Fault::BadRequest(_))
        ));
        assert!(matches!(own(""), Err(Fault::BadRequest(_))));
    }

    #[test]
    fn unknown_fields_are_refused_with_their_names_in_our_shapes_only() {
        let body = r#"{"name":"a","colour":1,"inner":{"count":1,"size":2}}"#;
        let fault = own(body).expect_err("there are unknown fields");
        let fields: Vec<_> = fault
            .errors()
            .iter()
            .map(|error| error.field.as_str())
            .collect();
        assert_eq!(fields, ["colour", "inner.size"], "{fault}");
        let taken: Shape = request("POST", "/x")
            .json(body)
            .build()
            .github_json()
            .expect("GitHub's shape ignores them");
        assert_eq!(taken.name, "a");
    }

    #[test]
    fn a_field_of_another_type_is_named() {
        let fault =
            own(r#"{"name":"a","inner":{"count":"many"}}"#).expect_err("a text is no number");
        assert_eq!(fault.errors()[0].field, "inner.count");
        assert_eq!(fault.status().as_u16(), 422);
    }

    #[test]
    fn a_text_that_cannot_be_kept_is_named() {
        for (body, field) in [
            (r#"{"name":"a\u0000b"}"#, "name"),
            (
                r#"{"name":"a","inner":{"list":["x",{"deep":"\u0000"}]}}"#,
                "inner.list[1].deep",
            ),
            (r#"{"name":"a","b\u0000":1}"#, "body"),
            (r#""\u0000""#, "body"),
        ] {
            let fault = own(body).expect_err("it cannot be kept");
            assert_eq!(
                (fault.errors()[0].field.as_str(), fault.status().as_u16()),
                (field, 422)
            );
        }
        // A backslash before six characters is no such character.
        assert_eq!(
            own(r#"{"name":"a\\u0000"}"#).expect("it can").name,
            r"a\u0000"
        );
    }

    #[test]
    fn another_content_type_is_refused() {
        let built = request("POST", "/x")
            .header("content-type", "text/plain")
            .body("{}")
            .build();
        assert_eq!(
            built.own_json::<Shape>().expect_err("it is text"),
            Fault::UnsupportedMediaType
        );
        let none = request("POST", "/x").body("{}").build();
        assert_eq!(
            none.own_json::<Shape>().expect_err("it is nothing"),
            Fault::UnsupportedMediaType
        );
    }
}
