use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

/// A request and its answer.
pub struct Exchange<'a> {
    pub method: &'a str,
    /// Without what follows a question mark.
    pub path: &'a str,
    /// The request's body.
    pub sent: Option<&'a str>,
    pub status: u16,
    pub headers: &'a HeaderMap,
    /// The answer's body.
    pub body: &'a str,
}

/// A server's OpenAPI description, and a process that says whether exchanges are as it says. A validator that others wrote
/// and many use is one in JavaScript; one in Rust would have the whole host compiled a second time, for it asks for other
/// features of what both depend on.
pub struct Description {
    pub document: Value,
    child: Child,
    pipes: Mutex<Pipes>,
}

struct Pipes {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Description {
    /// Reads a description.
    pub fn of(document: &Value) -> Self {
        let mut child = Command::new("node")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/js/description.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node runs: `cargo xtask setup` installs it");
        let mut input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        writeln!(input, "{document}").expect("it reads");
        Self {
            document: document.clone(),
            child,
            pipes: Mutex::new(Pipes { input, output }),
        }
    }

    /// What of an exchange is not as described.
    pub fn complaints(&self, exchange: &Exchange<'_>) -> Vec<String> {
        let text = |value: &reqwest::header::HeaderValue| {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        let headers: BTreeMap<&str, String> = exchange
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), text(value)))
            .collect();
        // Only what the server took is held against the description.
        let sent = exchange.sent.filter(|_| exchange.status < 300);
        let told = json!({
            "method": exchange.method, "path": exchange.path, "sent": sent,
            "status": exchange.status, "headers": headers, "body": exchange.body,
        });
        let mut pipes = self.pipes.lock().expect("nobody panicked with it");
        writeln!(pipes.input, "{told}").expect("it reads");
        let mut line = String::new();
        pipes.output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line)
            .expect("a list: `cargo xtask setup` installs what description.mjs needs")
    }

    /// Nothing of an exchange may be other than described.
    pub fn expect(&self, exchange: &Exchange<'_>) {
        let complaints = self.complaints(exchange);
        assert!(
            complaints.is_empty(),
            "{} {} is answered {} in another way than /openapi.json says:\n  {}\n{}",
            exchange.method,
            exchange.path,
            exchange.status,
            complaints.join("\n  "),
            exchange.body
        );
    }
}

impl Drop for Description {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
