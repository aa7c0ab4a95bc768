//! The host's runtime on a database of one test's own, with the faulty component under several grants.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use g1t_repos::Repos;
use g1t_work::capability::judge::Judge;
use g1t_work::capability::postgres::{GuestLogins, GuestPool};
use g1t_work::limits;
use g1t_work::manifest::Manifest;
use g1t_work::runtime::{
    Call, CodeCache, Components, LoadError, MemoryBudget, Reply, Services, Ticker, app_engine, tick,
};
use g1t_work::trigger::http::full;
use http_body_util::BodyExt;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool};
use tokio::sync::Semaphore;

/// Longest any one thing in a story may take: behind every limit of the host that a story meets.
pub const PATIENCE: Duration = Duration::from_secs(40);

/// Requests that the stage lets guests work on at once.
const TURNS: usize = 16;

/// Wasm memory of the stage, in bytes.
pub const MEMORY: usize = 1 << 30;

fn variable(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("run the tests by `cargo xtask test`, or set {name}"))
}

/// A migrated database, dropped with it.
pub struct Database {
    pub options: PgConnectOptions,
    pub pool: PgPool,
    admin: PgConnectOptions,
    name: String,
}

impl Database {
    pub async fn create() -> Self {
        let admin = PgConnectOptions::from_str(&variable("G1T_TEST_DATABASE_URL"))
            .expect("G1T_TEST_DATABASE_URL is an address of Postgres");
        let name = format!("host_{}", uuid::Uuid::now_v7().simple());
        let mut connection = PgConnection::connect_with(&admin)
            .await
            .expect("Postgres answers");
        let create = format!("CREATE DATABASE {name}");
        connection
            .execute(AssertSqlSafe(create))
            .await
            .expect("a new database");
        let options = admin.clone().database(&name);
        let pool = PgPoolOptions::new()
            .max_connections(4)
            .connect_with(options.clone())
            .await
            .expect("the new database");
        sqlx::migrate!("./migrations")
            .run(&pool)
            .await
            .expect("migrated");
        Self {
            options,
            pool,
            admin,
            name,
        }
    }

    /// A workspace with one repository; gives the workspace's number.
    pub async fn workspace(&self, name: &str, repository: &str) -> i64 {
        sqlx::query_scalar(
            "WITH made AS (SELECT create_workspace($1, (SELECT id FROM users WHERE login = 'g1t')) AS id)
             INSERT INTO repositories (workspace_id, name) SELECT id, $2 FROM made RETURNING workspace_id",
        )
        .bind(name)
        .bind(repository)
        .fetch_one(&self.pool)
        .await
        .expect("a workspace and a repository")
    }

    /// Does it as the host, which waits for whoever holds what it needs.
    pub async fn execute(&self, sql: &'static str, workspace: i64) -> u64 {
        let done = sqlx::query(sql).bind(workspace).execute(&self.pool);
        tokio::time::timeout(PATIENCE, done)
            .await
            .expect("nobody holds a lock for ever")
            .expect("allowed")
            .rows_affected()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (admin, name) = (self.admin.clone(), self.name.clone());
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                if let Ok(mut connection) = PgConnection::connect_with(&admin).await {
                    let number = "SELECT oid::bigint FROM pg_database WHERE datname = $1";
                    let number: i64 = sqlx::query_scalar(number)
                        .bind(&name)
                        .fetch_one(&mut connection)
                        .await
                        .unwrap_or_default();
                    for drop in [
                        format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
                        format!("DROP ROLE IF EXISTS g1t_guest_{number}, g1t_reader_{number}"),
                    ] {
                        connection.execute(AssertSqlSafe(drop)).await.ok();
                    }
                }
            });
        });
        dropped.join().ok();
    }
}

/// The faulty component: `faults` gives up soon, `patient` waits longer than the database may take, `reader` may only
/// read.
const MANIFEST: &str = r#"
[judge]
source = "JUDGE"

[component.faults]
source = "FAULTS"
routes = ["GET /faults"]
grants = { database = "write", variables = ["greeting", "unset"] }
limits = { deadline_ms = 1500, memory_mib = 64 }

[component.patient]
source = "FAULTS"
routes = ["GET /patient"]
grants = { database = "write", variables = ["greeting"] }
limits = { deadline_ms = 30000 }

[component.older]
source = "OLDER"
routes = ["POST /older"]

[component.reader]
source = "FAULTS"
routes = ["GET /reader"]
grants = { database = "read", variables = ["greeting"] }
limits = { deadline_ms = 30000 }
"#;

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// Status and body.
    Answer(u16, String),
    TimedOut,
    Busy,
    /// The cause, for the log.
    Failed(String),
}

impl Came {
    /// A reply with its whole body.
    pub async fn of(reply: Reply) -> Self {
        match reply {
            Reply::Answered(response) => {
                let status = response.status().as_u16();
                let body = tokio::time::timeout(PATIENCE, response.into_body().collect())
                    .await
                    .expect("no body hangs")
                    .expect("a whole body")
                    .to_bytes();
                Self::Answer(status, String::from_utf8_lossy(&body).into_owned())
            }
            Reply::TimedOut => Self::TimedOut,
            Reply::Busy => Self::Busy,
            Reply::Failed(cause) => Self::Failed(format!("{cause:#}")),
        }
    }

    pub fn ok(text: &str) -> Self {
        Self::Answer(200, text.to_owned())
    }

    /// The text of a good answer.
    #[track_caller]
    pub fn text(self) -> String {
        match self {
            Self::Answer(200, text) => text,
            other => panic!("no good answer: {other:?}"),
        }
    }

    /// The text of the error that the component itself answered.
    #[track_caller]
    pub fn error(self) -> String {
        match self {
            Self::Answer(409, text) => text,
            other => panic!("no error of the component: {other:?}"),
        }
    }

    /// The cause of a failure.
    #[track_caller]
    pub fn cause(self) -> String {
        match self {
            Self::Failed(cause) => cause,
            other => panic!("no failure: {other:?}"),
        }
    }
}

/// The runtime, ready for requests.
pub struct Stage {
    pub database: Database,
    components: Components,
    services: Arc<Services>,
    turns: Arc<Semaphore>,
    _folder: tempfile::TempDir,
    _ticker: Ticker,
}

fn source(file: &str) -> PathBuf {
    Path::new(&variable("G1T_COMPONENTS")).join(file)
}

fn manifest(folder: &Path, text: &str) -> Manifest {
    let path = |file: &str| source(file).display().to_string();
    let text = text
        .replace("JUDGE", &path("judge.wasm"))
        .replace("FAULTS", &path("guest_faults.wasm"))
        .replace("OLDER", &path("guest_hello_p2.wasm"));
    std::fs::write(folder.join("app.toml"), text).expect("a manifest");
    Manifest::read(folder).expect("a manifest that can be read")
}

impl Stage {
    /// Guests have the database of the test.
    pub async fn open() -> Self {
        let database = Database::create().await;
        Self::on(database, None, MANIFEST).await.expect("loaded")
    }

    /// Guests are told to use another address.
    pub async fn with_guests_at(options: PgConnectOptions) -> Self {
        let database = Database::create().await;
        Self::on(database, Some(options), MANIFEST)
            .await
            .expect("loaded")
    }

    /// Why a manifest is refused.
    pub async fn refusal(text: &str) -> LoadError {
        let database = Database::create().await;
        match Self::on(database, None, text).await {
            Ok(_) => panic!("the manifest was taken"),
            Err(error) => error,
        }
    }

    async fn on(
        database: Database,
        elsewhere: Option<PgConnectOptions>,
        text: &str,
    ) -> Result<Self, LoadError> {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = manifest(folder.path(), text);
        let cache = CodeCache::open(&source("code")).expect("a folder for compiled code");
        let engine = app_engine().expect("an engine");
        let repos = Repos::open(folder.path().join("repositories"), None).expect("a folder");
        let variables = [("greeting", "hello"), ("secret", "hidden")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut guests = GuestLogins::prepare(&database.pool, &database.options, None)
            .await
            .expect("logins");
        if let Some(elsewhere) = elsewhere {
            guests.writer = elsewhere.clone();
            guests.reader = elsewhere;
        }
        let services = Arc::new(Services {
            guests: GuestPool::new(guests, limits::GUEST_CONNECTIONS),
            pool: database.pool.clone(),
            repos,
            judge: Judge::load(&cache, &manifest.judge).expect("the judge"),
            variables: BTreeMap::from(variables),
            memory: MemoryBudget::new(MEMORY),
        });
        let components = Components::load(&engine, &cache, &manifest, &services)?;
        Ok(Self {
            database,
            components,
            services,
            turns: Arc::new(Semaphore::new(TURNS)),
            _folder: folder,
            _ticker: tick(&engine, limits::APP_TICK),
        })
    }

    /// Asks a component in the name of a workspace; gives what came, of which the body may still be on its way.
    pub async fn begin(&self, component: &str, workspace: Option<i64>, ask: Ask<'_>) -> Reply {
        let turn = Arc::clone(&self.turns).acquire_owned().await.expect("open");
        let call = Call {
            id: "a request".into(),
            workspace,
            actor: None,
        };
        let request = http::Request::post(format!("http://g1t-work{}", ask.path))
            .body(full(ask.body.to_owned()))
            .expect("a request");
        let handled = self.components.handle(component, call, turn, request);
        tokio::time::timeout(PATIENCE, handled)
            .await
            .expect("no request hangs")
    }

    /// Asks a component in the name of a workspace.
    pub async fn ask(&self, component: &str, workspace: Option<i64>, ask: Ask<'_>) -> Came {
        Came::of(self.begin(component, workspace, ask).await).await
    }

    /// Asks the component that gives up soon for a path.
    pub async fn faults(&self, path: &str) -> Came {
        self.ask("faults", None, Ask { path, body: "" }).await
    }

    /// Has the patient component run statements, one a line, in the name of a workspace.
    pub async fn sql(&self, workspace: Option<i64>, body: &str) -> Came {
        let path = "/sql";
        self.ask("patient", workspace, Ask { path, body }).await
    }

    /// Waits until nobody holds memory or a turn any more.
    pub async fn expect_all_given_back(&self) {
        let given_back = async {
            while self.services.memory.left() != MEMORY || self.turns.available_permits() != TURNS {
                tokio::task::yield_now().await;
            }
        };
        if tokio::time::timeout(PATIENCE, given_back).await.is_err() {
            panic!(
                "{} bytes and {} turns are still held",
                MEMORY - self.services.memory.left(),
                TURNS - self.turns.available_permits()
            );
        }
    }
}

/// What a component is asked for.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    pub path: &'a str,
    pub body: &'a str,
}
