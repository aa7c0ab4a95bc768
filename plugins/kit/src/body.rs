//! Bodies of requests: JSON of a shape, with every mistake named.

use http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use crate::fault::FieldError;
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
