//! The server as `g1t-work up` runs it: its own Postgres that keeps what it is told, and every component of the manifest.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tempfile::TempDir;

use crate::environment;

/// The component that `wasmtime serve` runs, too, as one more of the manifest.
pub const HELLO: &str = "guest_hello.wasm";

/// What the manifest says of it: no grants, and as many requests at once in an instance as `wasmtime serve` gives it.
const HELLO_ENTRY: &str = "
[component.hello]
source = \"guest_hello.wasm\"
routes = [\"GET /hello\"]
limits = { concurrent = 16 }
";

/// How long the server may take to finish what runs and to stop its Postgres.
const STOP_LIMIT: Duration = Duration::from_secs(60);

/// A running server with an owner and nothing in it. Stopped when dropped.
pub struct Server {
    pub url: String,
    pub token: String,
    child: Child,
    http: reqwest::Client,
    // The server says that it is stopping; without a reader it would fail there, before its Postgres is stopped.
    _output: BufReader<ChildStdout>,
    // Last: removed when nothing uses it any more.
    _folder: TempDir,
}

impl Server {
    /// Starts a server in a temporary folder; components that no start compiled before are compiled now.
    ///
    /// # Errors
    /// When it does not come up; its own words are on standard error.
    pub fn start() -> Result<Self> {
        println!("==> server: g1t-work with a private Postgres");
        let folder = tempfile::Builder::new().prefix("g1t-bench-").tempdir()?;
        // As root Postgres runs as another user, who has to get to its folder.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
        let built = environment::path(environment::COMPONENTS)?;
        let components = folder.path().join("components");
        with_hello(&built, &components)?;
        let token_file = folder.path().join("token");
        let mut child = Command::new(environment::path(environment::SERVER)?)
            .args(["up", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .arg("--components")
            .arg(components)
            .arg("--code")
            .arg(built.join("code"))
            .arg("--token-file")
            .arg(&token_file)
            // The load is all of one token, which may not be refused for asking much.
            .args(["--requests-per-hour", "1000000000"])
            .env_remove("DATABASE_URL")
            .env_remove("SQS_QUEUE_URL")
            .env_remove("G1T_PUBLIC_URL")
            .stdout(Stdio::piped())
            .spawn()
            .context("the server cannot start")?;
        let output = child
            .stdout
            .take()
            .context("the server has no output to read")?;
        let mut output = BufReader::new(output);
        let Some(url) = address(&mut output) else {
            end(&mut child);
            bail!("the server did not come up: its error stands above");
        };
        let mut server = Self {
            url,
            token: String::new(),
            child,
            http: reqwest::Client::new(),
            _output: output,
            _folder: folder,
        };
        let token = fs::read_to_string(&token_file).context("the server wrote no token")?;
        token.trim().clone_into(&mut server.token);
        Ok(server)
    }

    /// Creates something over the API.
    ///
    /// # Errors
    /// When the answer is not 201.
    pub async fn post(&self, path: &str, body: &Value) -> Result<()> {
        let response = self
            .http
            .post(format!("{}{path}", self.url))
            .bearer_auth(&self.token)
            .json(body)
            .send()
            .await?;
        let status = response.status();
        let text = response.text().await?;
        if status.as_u16() != 201 {
            bail!("POST {path} gave {status}: {text}");
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Tells a process to stop, waits, and kills it when it takes too long.
fn end(child: &mut Child) {
    let told = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    let limit = Instant::now() + STOP_LIMIT;
    while told.is_ok() && matches!(child.try_wait(), Ok(None)) && Instant::now() < limit {
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().ok();
    child.wait().ok();
}

/// Reads until the server says its last word before it waits for requests; gives its address.
fn address(output: &mut BufReader<ChildStdout>) -> Option<String> {
    let mut url = None;
    for line in output.lines() {
        let line = line.ok()?;
        if let Some(at) = line.strip_prefix("g1t-work is at ") {
            url = Some(at.to_owned());
        }
        if line.starts_with("push to a repository") {
            return url;
        }
    }
    None
}

/// A folder of components like `built`, with one more route.
fn with_hello(built: &Path, folder: &Path) -> Result<()> {
    fs::create_dir(folder)?;
    let built = built
        .canonicalize()
        .with_context(|| format!("{} cannot be found", built.display()))?;
    for entry in fs::read_dir(&built)? {
        let path: PathBuf = entry?.path();
        if let Some(name) = path.file_name()
            && path
                .extension()
                .is_some_and(|ending| ending == "wasm" || ending == "json")
        {
            symlink(&path, folder.join(name))?;
        }
    }
    let manifest = fs::read_to_string(built.join("app.toml")).context("no manifest")?;
    fs::write(folder.join("app.toml"), manifest + HELLO_ENTRY)?;
    Ok(())
}
