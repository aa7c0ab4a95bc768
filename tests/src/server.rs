use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::database::{Database, variable};
use crate::description::{Description, Exchange};

/// Longest anything in a story may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A started server.
pub struct Server {
    child: Child,
    says: BufReader<ChildStdout>,
    pub url: String,
    pub token: String,
    pub database: Database,
    components: PathBuf,
    folder: tempfile::TempDir,
    settings: Vec<(&'static str, &'static str)>,
    http: reqwest::Client,
    description: Description,
}

/// An answer of the API.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub kind: String,
    pub body: Value,
}

impl Answer {
    /// The body, when the status is the one expected.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    /// A problem with this status and code; gives its sentence.
    #[track_caller]
    pub fn expect_problem(self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.kind, "application/problem+json");
        assert_eq!(self.body["code"], code, "{}", self.body);
        assert!(self.body["request_id"].is_string());
        self.body["detail"].as_str().unwrap_or_default().to_owned()
    }
}

impl Server {
    /// A server with a new database.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// A server with a new database, with some of the variables that set it up.
    pub async fn start_with(settings: &[(&'static str, &'static str)]) -> Self {
        Self::start_as(settings, variable("G1T_COMPONENTS").into()).await
    }

    /// A server that gives a component so little time for a request.
    pub async fn start_hurried(component: &str, deadline: Duration) -> Self {
        let built = PathBuf::from(variable("G1T_COMPONENTS"));
        let folder = tempfile::tempdir().expect("a folder");
        for file in std::fs::read_dir(&built).expect("the components") {
            let file = file.expect("a file");
            std::os::unix::fs::symlink(file.path(), folder.path().join(file.file_name()))
                .expect("a link");
        }
        let table = format!("[component.{component}]\n");
        let manifest = std::fs::read_to_string(built.join("app.toml")).expect("the manifest");
        assert!(manifest.contains(&table), "there is no {component}");
        let limits = format!(
            "{table}limits = {{ deadline_ms = {} }}\n",
            deadline.as_millis()
        );
        std::fs::remove_file(folder.path().join("app.toml")).expect("the link");
        std::fs::write(
            folder.path().join("app.toml"),
            manifest.replace(&table, &limits),
        )
        .expect("a manifest");
        // Everything is read by the time it serves.
        Self::start_as(&[], folder.path().into()).await
    }

    async fn start_as(settings: &[(&'static str, &'static str)], components: PathBuf) -> Self {
        let settings = settings.to_vec();
        let database = Database::create().await;
        let folder = tempfile::tempdir().expect("a folder");
        let (child, says, url) = spawn(&database, folder.path(), &components, &settings);
        let token = std::fs::read_to_string(folder.path().join("token")).expect("the first token");
        let http = reqwest::Client::builder()
            .timeout(PATIENCE)
            .build()
            .expect("a client");
        let description = http.get(format!("{url}/openapi.json")).send().await;
        let description = description.expect("the server answers").json::<Value>();
        let description = Description::of(&description.await.expect("its description"));
        Self {
            child,
            says,
            url,
            token: token.trim().to_owned(),
            database,
            components,
            folder,
            settings,
            http,
            description,
        }
    }

    /// Ends the process at once, as `kill -9` does.
    pub fn kill(&mut self) {
        self.child.kill().expect("a running process");
        self.child.wait().expect("its end");
    }

    /// Tells the process to stop, as an operator does.
    pub fn terminate(&self) {
        let told = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status();
        assert!(told.expect("kill runs").success());
    }

    /// Interrupts the process and what it has started in its own group, as Ctrl-C in a terminal does, and waits until it
    /// has said that it stops.
    pub fn interrupt(&mut self) {
        let server = self.child.id().to_string();
        let group = fields_of(&server).map(|(_, group)| group);
        let all = std::fs::read_dir("/proc").expect("the processes");
        for process in all.flatten() {
            let id = process.file_name().to_string_lossy().into_owned();
            let is_child =
                fields_of(&id).is_some_and(|(parent, of)| parent == server && Some(of) == group);
            if is_child || id == server {
                Command::new("kill")
                    .args(["-INT", &id])
                    .status()
                    .expect("a signal");
            }
        }
        let stops = |line: std::io::Result<String>| line.is_ok_and(|line| line == "stopping");
        assert!(self.says.by_ref().lines().any(stops), "it does not stop");
    }

    /// Waits for the end of the process.
    pub fn ended(&mut self) -> ExitStatus {
        self.child.wait().expect("its end")
    }

    /// Starts again on the same database and folder.
    pub fn restart(&mut self) {
        let (child, says, url) = spawn(
            &self.database,
            self.folder.path(),
            &self.components,
            &self.settings,
        );
        self.child = child;
        self.says = says;
        self.url = url;
    }

    /// A call as the first owner.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        self.call_as(&self.token, method, path, body).await
    }

    /// A call with a token.
    pub async fn call_as(
        &self,
        token: &str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Answer {
        let mut request = self.request(method, path).bearer_auth(token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        self.send(request).await
    }

    /// A request to be changed before it is sent.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    /// Sends a request. Both it and its answer have to be as the server's own description says.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let request = request.build().expect("a request");
        let method = request.method().clone();
        let path = request.url().path().to_owned();
        let sent = request.body().and_then(reqwest::Body::as_bytes);
        let sent = sent.map(|sent| String::from_utf8_lossy(sent).into_owned());
        let response = self.http.execute(request).await;
        let response = response.expect("the server answers");
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let kind = headers.get("content-type");
        let kind = kind
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        let bytes = response.bytes().await.expect("a whole body");
        self.description.expect(&Exchange {
            method: method.as_str(),
            path: &path,
            sent: sent.as_deref(),
            status,
            headers: &headers,
            body: &String::from_utf8_lossy(&bytes),
        });
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status, kind, body }
    }

    /// The server's description of its API.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    /// Creates.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Puts.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.call(Method::PUT, path, Some(body)).await
    }

    /// Makes the workspace `acme` with the repository `site`.
    pub async fn make_site(&self) {
        self.post("/workspaces", json!({ "name": "acme" }))
            .await
            .expect(201);
        self.post("/orgs/acme/repos", json!({ "name": "site" }))
            .await
            .expect(201);
    }

    /// Main takes pull requests with a passing `ci` only, through the queue when asked.
    pub async fn protect_main(&self, queue: bool) {
        let mut rules = vec![
            json!({ "type": "pull_request", "parameters": { "required_approving_review_count": 0 } }),
            json!({ "type": "required_status_checks", "parameters": {
                "required_status_checks": [{ "context": "ci" }],
                "strict_required_status_checks_policy": false } }),
            json!({ "type": "non_fast_forward" }),
        ];
        if queue {
            rules.push(json!({ "type": "merge_queue", "parameters": { "merge_method": "MERGE" } }));
        }
        let ruleset = json!({
            "name": "main", "target": "branch", "enforcement": "active", "rules": rules,
            "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
        });
        self.post("/repos/acme/site/rulesets", ruleset)
            .await
            .expect(201);
    }

    /// Opens a pull request from a branch to main; gives its number.
    pub async fn open(&self, branch: &str) -> i64 {
        let body = json!({ "title": format!("Add {branch}"), "head": branch, "base": "main" });
        let pull = self.post("/repos/acme/site/pulls", body).await.expect(201);
        pull["number"].as_i64().expect("a number")
    }

    /// Reports a status of `ci` on a commit.
    pub async fn report(&self, sha: &str, state: &str) {
        let body = json!({ "context": "ci", "state": state });
        self.post(&format!("/repos/acme/site/statuses/{sha}"), body)
            .await
            .expect(201);
    }

    /// Asks for a merge.
    pub async fn merge(&self, number: i64, body: Value) -> Answer {
        self.put(&format!("/repos/acme/site/pulls/{number}/merge"), body)
            .await
    }

    /// Reads a path until what it gives is as wanted.
    pub async fn until(&self, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let since = Instant::now();
        loop {
            let body = self.get(path).await.expect(200);
            if wanted(&body) {
                return body;
            }
            assert!(since.elapsed() < PATIENCE, "{path} stays {body}");
            tokio::task::yield_now().await;
        }
    }

    /// Waits until the entry of a pull request has a candidate that is being tested; gives the commit.
    pub async fn candidate(&self, number: i64) -> String {
        let of = |queue: &Value| {
            let all = queue["entries"].as_array().cloned().unwrap_or_default();
            all.into_iter().find(|entry| {
                entry["pull_request"]["number"] == number && entry["state"] == "testing"
            })
        };
        let queue = self
            .until("/repos/acme/site/queue", |queue| of(queue).is_some())
            .await;
        let entry = of(&queue).expect("it was there");
        entry["candidate"]["sha"]
            .as_str()
            .expect("a commit")
            .to_owned()
    }

    /// The folder of the one repository there is.
    pub fn repository(&self) -> PathBuf {
        let all = std::fs::read_dir(self.folder.path().join("data/repositories"));
        let mut all = all.expect("a folder of repositories");
        all.next().expect("a repository").expect("a folder").path()
    }

    /// How many moves of a ref were told of.
    pub async fn pushes(&self, ref_name: &str) -> usize {
        let path = "/workspaces/acme/events?kind=git.push&per_page=100";
        let events = self.get(path).await.expect(200);
        let all = events.as_array().into_iter().flatten();
        all.filter(|event| event["subject"] == ref_name).count()
    }

    /// Records a move of a ref as a push does before git stores it.
    pub async fn record_move(&self, ref_name: &str, old: &str, new: &str) {
        let sql = "INSERT INTO push_intents (id, push_id, workspace_id, repository_id, ref_name, old_sha, new_sha)
            SELECT gen_random_uuid(), gen_random_uuid(), workspace_id, id, $1, $2, $3 FROM repositories";
        sqlx::query(sql)
            .bind(ref_name)
            .bind(old)
            .bind(new)
            .execute(&self.database.pool().await)
            .await
            .expect("a row");
    }

    /// Waits until every recorded move is settled.
    pub async fn until_settled(&self) {
        let pool = self.database.pool().await;
        let since = Instant::now();
        while sqlx::query("SELECT FROM push_intents LIMIT 1")
            .fetch_optional(&pool)
            .await
            .expect("rows")
            .is_some()
        {
            assert!(since.elapsed() < PATIENCE, "a move stays unsettled");
            tokio::task::yield_now().await;
        }
    }

    /// Asks `git receive-pack` for moves as a client does that makes up its own mind, without new objects; gives what it
    /// says.
    pub async fn receive(&self, moves: &[(&str, &str, &str)]) -> String {
        let request = self
            .request(Method::POST, "/acme/site.git/git-receive-pack")
            .basic_auth("x", Some(&self.token))
            .body(crate::receive_body(moves));
        let response = request.send().await.expect("the server answers");
        let bytes = response.bytes().await.expect("a whole body");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The commit a branch points at.
    pub async fn head(&self, branch: &str) -> String {
        let branch = self
            .get(&format!("/repos/acme/site/branches/{branch}"))
            .await
            .expect(200);
        branch["commit"]["sha"]
            .as_str()
            .expect("a commit")
            .to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn spawn(
    database: &Database,
    folder: &Path,
    components: &Path,
    settings: &[(&str, &str)],
) -> (Child, BufReader<ChildStdout>, String) {
    let token = folder.join("token");
    let code = PathBuf::from(variable("G1T_COMPONENTS")).join("code");
    let mut child = Command::new(variable("G1T_BIN"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.join("data"))
        .arg("--token-file")
        .arg(token)
        .arg("--components")
        .arg(components)
        .arg("--code")
        .arg(code)
        .env("DATABASE_URL", &database.url)
        .env_remove("SQS_QUEUE_URL")
        .envs(settings.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    let mut url = None;
    // It says last how to push: then the token is written and it serves.
    for line in out.by_ref().lines() {
        let line = line.expect("text");
        if let Some(at) = line.strip_prefix("g1t-work is at ") {
            url = Some(at.to_owned());
        }
        if line.starts_with("push to a repository") {
            break;
        }
    }
    (child, out, url.expect("the server said where it is"))
}

/// Parent and group of a process; none for what is no process, or is gone.
fn fields_of(id: &str) -> Option<(String, String)> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // After the name, which may hold anything: state, parent, group.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(1).map(str::to_owned);
    Some((fields.next()?, fields.next()?))
}
