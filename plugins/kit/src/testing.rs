//! Requests for the tests of components: what the host would have made.

use crate::Request;

/// Begins a request of the person `ada` (number 7) with the token scope `workspace:admin` in the workspace `acme` (number 1).
pub fn request(method: &str, path_and_query: &str) -> RequestBuilder {
    let builder = http::Request::builder()
        .method(method)
        .uri(path_and_query)
        .header("g1t-request-id", "req-1")
        .header("g1t-public-url", "http://127.0.0.1:8080");
    RequestBuilder {
        builder,
        body: String::new(),
        actor: true,
        workspace: true,
        scopes: "workspace:admin",
        kind: "person",
    }
}

/// A request being made.
pub struct RequestBuilder {
    builder: http::request::Builder,
    body: String,
    actor: bool,
    workspace: bool,
    scopes: &'static str,
    kind: &'static str,
}

impl RequestBuilder {
    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.builder = self.builder.header(name, value);
        self
    }

    /// Sets the body, of no type.
    #[must_use]
    pub fn body(mut self, body: &str) -> Self {
        self.body = body.to_owned();
        self
    }

    /// Sets a JSON body.
    #[must_use]
    pub fn json(self, body: &str) -> Self {
        self.header("content-type", "application/json").body(body)
    }

    /// Sets the token's scopes.
    #[must_use]
    pub fn scopes(mut self, scopes: &'static str) -> Self {
        self.scopes = scopes;
        self
    }

    /// Makes the actor a `person`, an `agent` or the `system`.
    #[must_use]
    pub fn kind(mut self, kind: &'static str) -> Self {
        self.kind = kind;
        self
    }

    /// Leaves the actor out.
    #[must_use]
    pub fn without_actor(mut self) -> Self {
        self.actor = false;
        self
    }

    /// Leaves the workspace out: the path names none that exists.
    #[must_use]
    pub fn without_workspace(mut self) -> Self {
        self.workspace = false;
        self
    }

    /// The request, or the fault of reading it.
    ///
    /// # Errors
    /// As [`Request::from_parts`].
    ///
    /// # Panics
    /// When method, path or headers are none.
    pub fn try_build(self) -> Result<Request, crate::Fault> {
        let mut builder = self.builder;
        if self.actor {
            builder = builder
                .header("g1t-actor-id", "7")
                .header("g1t-actor-login", "ada")
                .header("g1t-actor-kind", self.kind)
                .header("g1t-token-id", "tok_1")
                .header("g1t-scopes", self.scopes);
        }
        if self.workspace {
            builder = builder
                .header("g1t-workspace-id", "1")
                .header("g1t-workspace", "acme");
        }
        let request = builder
            .body(())
            .expect("a test gives a request that can be");
        Request::from_parts(request.into_parts().0, self.body.into())
    }

    /// The request.
    ///
    /// # Panics
    /// When it cannot be read.
    #[track_caller]
    pub fn build(self) -> Request {
        self.try_build().expect("the request is readable")
    }
}
