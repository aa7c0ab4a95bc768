use std::path::{Path, PathBuf};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use sha2::{Digest, Sha256};

use super::answer::{Answer, full};

/// The OpenAPI description of the API, as it lies beside the components.
pub struct Description {
    json: Bytes,
    /// Weak, as the tags of components' answers are.
    tag: String,
}

/// A description that cannot be served, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum DescriptionError {
    #[error(
        "{path}: cannot be read; run `cargo xtask build`, or give the folder of the components by --components"
    )]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{path}: is not JSON; run `cargo xtask build`")]
    NotJson {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
}

impl Description {
    /// Reads `openapi.json` of the components' folder.
    ///
    /// # Errors
    /// When there is none, or it is not JSON.
    pub fn read(folder: &Path) -> Result<Self, DescriptionError> {
        let path = folder.join("openapi.json");
        let json = match std::fs::read(&path) {
            Ok(json) => json,
            Err(source) => return Err(DescriptionError::Unreadable { path, source }),
        };
        match serde_json::from_slice::<serde::de::IgnoredAny>(&json) {
            Ok(_) => Ok(Self::of(json)),
            Err(source) => Err(DescriptionError::NotJson { path, source }),
        }
    }

    fn of(json: Vec<u8>) -> Self {
        let digest: [u8; 32] = Sha256::digest(&json).into();
        let hex: String = digest
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Self {
            json: json.into(),
            tag: format!("W/\"{hex}\""),
        }
    }

    /// The description, or 304 for a caller that has it.
    pub fn answer(&self, asked: &HeaderMap) -> Answer {
        let known = asked
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .any(|tags| self.is_among(tags));
        let mut answer = if known {
            let mut answer = Response::new(full(Bytes::new()));
            *answer.status_mut() = StatusCode::NOT_MODIFIED;
            answer
        } else {
            Response::new(full(self.json.clone()))
        };
        let headers = answer.headers_mut();
        if !known {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            headers.insert(ETAG, tag);
        }
        answer
    }

    /// As RFC 9110 compares for `If-None-Match`: weakly, any of a list, or `*`.
    fn is_among(&self, tags: &str) -> bool {
        let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        tags.trim() == "*" || tags.split(',').any(|one| opaque(one) == opaque(&self.tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(description: &Description, tags: &str) -> u16 {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_str(tags).unwrap());
        description.answer(&headers).status().as_u16()
    }

    #[test]
    fn who_has_it_is_told_so() {
        let description = Description::of(b"{}".to_vec());
        let strong = description.tag.trim_start_matches("W/").to_owned();
        assert_eq!(status(&description, &description.tag), 304);
        assert_eq!(status(&description, &format!("\"a\", {strong}")), 304);
        assert_eq!(status(&description, "*"), 304);
        assert_eq!(status(&description, "\"a\""), 200);
        assert_ne!(description.tag, Description::of(b"[]".to_vec()).tag);
    }

    #[test]
    fn a_folder_without_one_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let refusal = || match Description::read(folder.path()) {
            Ok(_) => panic!("there is none to be read"),
            Err(error) => error.to_string(),
        };
        assert!(refusal().contains("openapi.json: cannot be read; run `cargo xtask build`"));
        std::fs::write(folder.path().join("openapi.json"), "{").unwrap();
        assert!(refusal().contains("is not JSON"));
        std::fs::write(folder.path().join("openapi.json"), "{}").unwrap();
        assert!(Description::read(folder.path()).is_ok());
    }
}
