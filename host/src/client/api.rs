use std::time::Duration;

use reqwest::Method;
use serde_json::Value;

/// Longest a request may take.
const REQUEST: Duration = Duration::from_secs(60);

/// A call that did not give what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("{method} {path} could not be sent: is the server there?")]
    Unsent {
        method: Method,
        path: String,
        #[source]
        source: reqwest::Error,
    },
    #[error("{method} {path} answered {status}: {detail}")]
    Refused {
        method: Method,
        path: String,
        status: u16,
        detail: String,
        body: Value,
    },
}

impl ClientError {
    /// The status of a refusal; none when nothing came back.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Unsent { .. } => None,
        }
    }
}

/// Speaks to one server as one token.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Client {
    /// A client of the server at `url`.
    ///
    /// # Errors
    /// When the system gives no TLS or sockets.
    pub fn new(url: &str, token: &str) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder().timeout(REQUEST).build()?;
        Ok(Self {
            http,
            url: url.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
        })
    }

    /// The server's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The token that is sent.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.call(Method::GET, path, None).await
    }

    /// Creates.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Puts.
    pub async fn put(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.call(Method::PUT, path, Some(body)).await
    }

    /// Changes.
    pub async fn patch(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.call(Method::PATCH, path, Some(body)).await
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, ClientError> {
        let unsent = |source| ClientError::Unsent {
            method: method.clone(),
            path: path.to_owned(),
            source,
        };
        let mut request = self
            .http
            .request(method.clone(), format!("{}{path}", self.url))
            .bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.map_err(unsent)?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(unsent)?;
        let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        if status.is_success() {
            return Ok(body);
        }
        let detail = body["detail"]
            .as_str()
            .or(body["message"].as_str())
            .unwrap_or("no reason given")
            .to_owned();
        Err(ClientError::Refused {
            method,
            path: path.to_owned(),
            status: status.as_u16(),
            detail,
            body,
        })
    }
}
