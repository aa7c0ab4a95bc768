//! A running server: every part made and connected, and stopped in the right order.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use g1t_events::{
    Consumer, ConsumerSettings, PostgresQueue, QueueClient, Relay, SqsQueue, SqsSettings,
};
use g1t_repos::Repos;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{PgPool, Row};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::capability::judge::Judge;
use crate::capability::postgres::{GivenLogins, GuestLogins, GuestPool};
use crate::identity::Identity;
use crate::intents;
use crate::limits;
use crate::manifest::Manifest;
use crate::runtime::{CodeCache, Components, MemoryBudget, Services, Ticker, app_engine, tick};
use crate::trigger::git::{GitSettings, GitTrigger, Receivers};
use crate::trigger::http::{Api, ApiParts, Description, Server};
use crate::trigger::queue::Dispatch;

/// Name of the queue in Postgres, as the seed has it.
const QUEUE: &str = "g1t-events-work";

/// What a server is made of.
pub struct Settings {
    pub database: PgConnectOptions,
    /// How components log in; none: by logins that the host makes.
    pub guests: Option<GivenLogins>,
    pub data: PathBuf,
    /// Folder for compiled components: this host's own.
    pub code: PathBuf,
    pub components: PathBuf,
    pub listen: SocketAddr,
    pub public_url: Option<String>,
    pub sqs_queue_url: Option<String>,
    /// Requests of the API that one token may make in an hour.
    pub requests_per_hour: u32,
}

/// A running server.
pub struct App {
    pub public_url: String,
    pub pool: PgPool,
    services: Arc<Services>,
    ready: Arc<AtomicBool>,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    _ticker: Ticker,
}

/// Whether the role may do what the migrations do, beside owning its tables.
const ABLE: &str = "
    SELECT current_user::text AS role,
           has_schema_privilege(current_schema(), 'CREATE') AS makes_tables,
           (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user)
               OR (SELECT count(*) = 2 FROM pg_roles WHERE rolname IN ('g1t_guest', 'g1t_reader')) AS has_groups";

/// Brings a database up to date, one process at a time.
pub async fn migrate(pool: &PgPool) -> anyhow::Result<()> {
    let able = sqlx::query(ABLE).fetch_one(pool).await?;
    let role: String = able.try_get("role")?;
    if !able
        .try_get::<Option<bool>, _>("makes_tables")?
        .unwrap_or(false)
    {
        bail!("DATABASE_URL's role may not make tables: make '{role}' the database's owner");
    }
    if !able.try_get("has_groups")? {
        bail!(
            "DATABASE_URL's role may not make roles: `ALTER ROLE \"{role}\" CREATEROLE`, or \
             `CREATE ROLE g1t_guest NOINHERIT; CREATE ROLE g1t_reader NOINHERIT`, as a superuser"
        );
    }
    sqlx::migrate!()
        .run(pool)
        .await
        .context("the database could not be brought up to date")
}

/// What the parts of a server work with.
struct Base {
    pool: PgPool,
    data: PathBuf,
    listener: TcpListener,
    public_url: String,
    hooks: PathBuf,
    receivers: Receivers,
    manifest: Manifest,
    description: Description,
    engine: wasmtime::Engine,
    services: Arc<Services>,
    components: Arc<Components>,
}

impl Base {
    async fn make(settings: &Settings) -> anyhow::Result<Self> {
        let pool = PgPoolOptions::new()
            .max_connections(limits::HOST_CONNECTIONS)
            .acquire_timeout(limits::CONNECT_WAIT)
            .connect_with(settings.database.clone())
            .await
            .context("the database cannot be reached")?;
        migrate(&pool).await?;
        let guests =
            GuestLogins::prepare(&pool, &settings.database, settings.guests.clone()).await?;
        std::fs::create_dir_all(&settings.data)?;
        let data = settings.data.canonicalize()?;
        let listener = TcpListener::bind(settings.listen).await.with_context(|| {
            format!(
                "{} cannot be listened on: choose another by --listen",
                settings.listen
            )
        })?;
        let address = listener.local_addr()?;
        let hooks = hooks_folder(&data)?;
        let receivers = Receivers::new(data.join("receivers"))?;
        if !receivers.ended(limits::RECEIVERS_END).await? {
            warn!("a `git receive-pack` of an earlier server still runs");
        }
        let manifest = Manifest::read(&settings.components)?;
        let description = Description::read(&settings.components)?;
        let cache = CodeCache::open(&settings.code)?;
        let engine = app_engine()?;
        let services = Arc::new(Services {
            guests: GuestPool::new(guests, limits::GUEST_CONNECTIONS),
            pool: pool.clone(),
            repos: Repos::open(data.join("repositories"), Some(hooks.clone()))?,
            judge: Judge::load(&cache, &manifest.judge)?,
            variables: variables(),
            memory: MemoryBudget::new(limits::PROCESS_MEMORY_BYTES),
        });
        let components = Components::load(&engine, &cache, &manifest, &services)?;
        Ok(Self {
            public_url: settings
                .public_url
                .clone()
                .unwrap_or_else(|| format!("http://{address}")),
            pool,
            data,
            listener,
            hooks,
            receivers,
            manifest,
            description,
            engine,
            services,
            components: Arc::new(components),
        })
    }

    /// The API and git over HTTP; git's hooks are answered until `unheard`.
    async fn server(
        self,
        requests_per_hour: u32,
        ready: &Arc<AtomicBool>,
        unheard: &CancellationToken,
    ) -> anyhow::Result<Server> {
        let identity = Identity::new(self.pool.clone());
        let git = GitTrigger::new(
            self.services,
            identity.clone(),
            GitSettings {
                socket: socket_path(&self.data),
                hooks: self.hooks,
                receivers: self.receivers,
            },
        );
        git.listen(unheard.clone())
            .await
            .context("the socket for git's hooks")?;
        let api = Api::new(ApiParts {
            manifest: self.manifest,
            components: self.components,
            identity,
            pool: self.pool,
            public_url: self.public_url,
            requests_per_hour,
        });
        let is_ready = Arc::clone(ready);
        Ok(Server::new(
            self.listener,
            Arc::new(api),
            Arc::new(git),
            self.description,
            Arc::new(move || is_ready.load(Ordering::Relaxed)),
        ))
    }
}

impl App {
    /// Starts everything; what an earlier process left half done is settled before anything new begins.
    pub async fn start(settings: Settings) -> anyhow::Result<Self> {
        let base = Base::make(&settings).await?;
        let (pool, public_url) = (base.pool.clone(), base.public_url.clone());
        let services = Arc::clone(&base.services);
        let _ticker = tick(&base.engine, limits::APP_TICK);
        let stop = CancellationToken::new();
        let ready = Arc::new(AtomicBool::new(false));
        intents::settle_left(&pool, &services.repos)
            .await
            .context("ref moves that were left over")?;
        let queue = queue(&pool, settings.sqs_queue_url).await;
        let relay = Relay::new(pool.clone(), Arc::clone(&queue));
        let consumer = Consumer::new(
            queue,
            pool.clone(),
            Arc::new(Dispatch(Arc::clone(&base.components))),
            ConsumerSettings::default(),
        );
        // Hooks are answered as long as a push may be under way.
        let unheard = CancellationToken::new();
        let server = base
            .server(settings.requests_per_hour, &ready, &unheard)
            .await?;
        let (serving, consuming, relaying) = (stop.clone(), stop.clone(), stop.clone());
        let settling = keep_settling(pool.clone(), Arc::clone(&services), stop.clone());
        let tasks = vec![
            tokio::spawn(async move {
                server.run(serving).await;
                unheard.cancel();
            }),
            tokio::spawn(async move { consumer.run(consuming).await }),
            tokio::spawn(async move { relay.run(relaying).await }),
            tokio::spawn(settling),
        ];
        ready.store(true, Ordering::Relaxed);
        info!(public_url, "serving");
        Ok(Self {
            public_url,
            pool,
            services,
            ready,
            stop,
            tasks,
            _ticker,
        })
    }

    /// Takes no more work, finishes what runs, within a time limit.
    pub async fn stop(self) {
        self.ready.store(false, Ordering::Relaxed);
        self.stop.cancel();
        let all = futures::future::join_all(self.tasks);
        // Longer than each part's own limit, which is what usually ends the wait.
        if tokio::time::timeout(limits::SHUT_DOWN + Duration::from_secs(10), all)
            .await
            .is_err()
        {
            warn!("what still ran was cut at shut-down");
        }
        tokio::time::timeout(limits::CONNECT_WAIT, self.services.guests.close())
            .await
            .ok();
        tokio::time::timeout(limits::CONNECT_WAIT, self.pool.close())
            .await
            .ok();
    }
}

/// The queue of events: SQS, or the one in Postgres.
pub(super) async fn queue(pool: &PgPool, sqs_queue_url: Option<String>) -> Arc<dyn QueueClient> {
    match sqs_queue_url {
        Some(url) => {
            let mut settings = SqsSettings::new(url);
            settings.endpoint = std::env::var("AWS_ENDPOINT_URL").ok();
            Arc::new(SqsQueue::new(settings).await)
        }
        None => Arc::new(PostgresQueue::new(pool.clone(), QUEUE)),
    }
}

/// Settles, for as long as the server runs, what a database that did not answer or a git that failed left.
async fn keep_settling(pool: PgPool, services: Arc<Services>, stop: CancellationToken) {
    loop {
        let wait = tokio::time::sleep(limits::SETTLE_EVERY);
        if stop.run_until_cancelled(wait).await.is_none() {
            return;
        }
        if let Err(error) = intents::settle_left(&pool, &services.repos).await {
            warn!(
                error = &error as &dyn std::error::Error,
                "left-over ref moves: trying again"
            );
        }
    }
}

/// Settings for components: `G1T_VARIABLE_NAME` becomes `name`.
fn variables() -> BTreeMap<String, String> {
    std::env::vars()
        .filter_map(|(name, value)| {
            Some((name.strip_prefix("G1T_VARIABLE_")?.to_lowercase(), value))
        })
        .collect()
}

/// The folder git takes its hooks from: this binary under the hook's name.
fn hooks_folder(data: &std::path::Path) -> anyhow::Result<PathBuf> {
    let folder = data.join("hooks");
    std::fs::create_dir_all(&folder)?;
    let link = folder.join("pre-receive");
    let temporary = folder.join(format!("pre-receive.{}", std::process::id()));
    std::fs::remove_file(&temporary).ok();
    std::os::unix::fs::symlink(std::env::current_exe()?, &temporary)?;
    std::fs::rename(&temporary, &link)?;
    Ok(folder)
}

/// A path short enough for a unix socket (about 100 bytes).
fn socket_path(data: &std::path::Path) -> PathBuf {
    let beside = data.join("hook.sock");
    if beside.as_os_str().len() < 100 {
        return beside;
    }
    std::env::temp_dir().join(format!("g1t-hook-{:x}.sock", std::process::id()))
}
