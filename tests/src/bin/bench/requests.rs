//! The HTTP trigger against `wasmtime serve`, on the same bytes of a component that answers "Hello, world!".
//!
//! Ours looks the token up (in its cache), matches the route among those of every component, tells the component who
//! asks and gives each request an id; `wasmtime serve` does none of that. Both pool instances and use each 128 times.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::environment;
use crate::measure::{Effort, Side, in_turns};
use crate::server::{HELLO, Server};
use crate::table::{Aim, Row, Unit};

/// What the component answers.
const ANSWER: &str = "Hello, world!";

/// Measures requests a second.
///
/// # Errors
/// When a side does not start, or gives anything but the component's answer.
pub async fn measure(server: &Server, effort: Effort) -> Result<Row> {
    println!("==> http: requests a second against `wasmtime serve`");
    let peer = WasmtimeServe::start()?;
    let authorization = format!("Authorization: Bearer {}", server.token);
    let urls = [
        format!("{}/hello", server.url),
        format!("{}/hello", peer.url),
    ];
    for url in &urls {
        check(url, &server.token).await?;
    }
    let [ours, theirs] = &urls;
    let seconds = effort.pick(5, 1);
    let pairs = in_turns(effort.pick(7, 2), async |side, _| {
        let url = match side {
            Side::Ours => ours,
            Side::Peer => theirs,
        };
        load(url, &authorization, seconds).await
    })
    .await?;
    Ok(Row {
        what: "HTTP trigger, requests to a component; ours with authentication and routing",
        against: "`wasmtime serve`",
        unit: Unit::RequestsPerSecond,
        pairs,
        aim: Aim::RatioAtLeast(1.0),
    })
}

/// The other side; killed when dropped.
struct WasmtimeServe {
    url: String,
    child: Child,
}

impl WasmtimeServe {
    fn start() -> Result<Self> {
        let component = environment::path(environment::COMPONENTS)?.join(HELLO);
        let mut child = Command::new(environment::path(environment::WASMTIME)?)
            // The component is of WASI 0.3, which is not on by default; the pool is what makes the peer fast.
            .args(["serve", "-S", "cli,p3", "-W", "component-model-async"])
            .args(["-O", "pooling-allocator", "--addr", "127.0.0.1:0"])
            .arg(component)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("wasmtime cannot start")?;
        let said = child.stderr.take();
        let mut serve = Self {
            url: String::new(),
            child,
        };
        serve.url = address(said.context("wasmtime has no output to read")?)?;
        Ok(serve)
    }
}

impl Drop for WasmtimeServe {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Reads `Serving HTTP on http://127.0.0.1:40731/`; what comes after it goes nowhere.
fn address(said: ChildStderr) -> Result<String> {
    let mut said = BufReader::new(said);
    let mut first = String::new();
    said.read_line(&mut first)?;
    let Some((_, url)) = first.split_once("Serving HTTP on ") else {
        bail!("wasmtime serve did not come up: {}", first.trim_end());
    };
    let url = url.trim().trim_end_matches('/').to_owned();
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    Ok(url)
}

/// One request, to see that what is measured is the component's answer.
async fn check(url: &str, token: &str) -> Result<()> {
    let response = reqwest::Client::new()
        .get(url)
        .bearer_auth(token)
        .send()
        .await?;
    let status = response.status();
    let text = response.text().await?;
    if !status.is_success() || text != ANSWER {
        bail!("{url} gave {status}: {text}");
    }
    Ok(())
}

/// Requests a second that a side answers to 16 connections which ask again as soon as they are answered.
async fn load(url: &str, authorization: &str, seconds: u64) -> Result<f64> {
    // The token is one of a server that is thrown away, so it may be seen in the list of processes.
    let output = tokio::process::Command::new(environment::path(environment::WRK)?)
        .args([
            "-t1",
            "-c16",
            &format!("-d{seconds}s"),
            "-H",
            authorization,
            url,
        ])
        .stdin(Stdio::null())
        .output()
        .await
        .context("wrk cannot run")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let failed = ["Non-2xx", "Socket errors"];
    if !output.status.success() || failed.iter().any(|word| said.contains(word)) {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("wrk on {url}: {said}{errors}");
    }
    said.lines()
        .find_map(|line| {
            line.trim()
                .strip_prefix("Requests/sec:")?
                .trim()
                .parse()
                .ok()
        })
        .with_context(|| format!("wrk told no requests a second: {said}"))
}
