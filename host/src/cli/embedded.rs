//! A private Postgres: a child process on a unix socket under the data folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use sqlx::postgres::PgConnectOptions;
use tokio::process::{Child, Command};

/// Longest the server may take to start or stop.
const START_TIME: Duration = Duration::from_secs(60);
/// The database's name, as the seed has it.
const DATABASE: &str = "g1t-work";

/// A running server; stopped by [`Embedded::stop`].
pub struct Embedded {
    child: Child,
    socket: PathBuf,
    programs: Programs,
    data: PathBuf,
}

struct Programs {
    folder: PathBuf,
    /// Postgres refuses to run as root: as root it runs as this user.
    as_nobody: bool,
}

impl Programs {
    /// The newest server on the machine: on PATH, or where Debian puts it.
    fn find() -> anyhow::Result<Self> {
        let mut folders: Vec<PathBuf> = std::env::var_os("PATH")
            .map(|path| std::env::split_paths(&path).collect())
            .unwrap_or_default();
        if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
            let mut versions: Vec<PathBuf> = versions
                .flatten()
                .map(|entry| entry.path().join("bin"))
                .collect();
            versions.sort();
            folders.extend(versions.into_iter().rev());
        }
        let has_all = |folder: &PathBuf| {
            ["initdb", "postgres"]
                .iter()
                .all(|name| folder.join(name).is_file())
        };
        let Some(folder) = folders.into_iter().find(has_all) else {
            bail!(
                "no Postgres server on this machine: run `cargo xtask setup`, or give --database-url"
            );
        };
        // SAFETY-free way to ask who we are: the owner of our own entry in /proc.
        let as_nobody = std::fs::metadata("/proc/self")
            .map(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)?;
        Ok(Self { folder, as_nobody })
    }

    fn command(&self, program: &str) -> Command {
        let program = self.folder.join(program);
        let mut command = if self.as_nobody {
            let mut command = Command::new("setpriv");
            command
                .args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"])
                .arg(program);
            command
        } else {
            Command::new(program)
        };
        command
            .env("LC_ALL", "C.UTF-8")
            .current_dir("/")
            .stdin(Stdio::null());
        command
    }

    async fn run(&self, program: &str, args: &[&OsStr]) -> anyhow::Result<()> {
        let output = self
            .command(program)
            .args(args)
            .output()
            .await
            .with_context(|| format!("{program} cannot run"))?;
        if !output.status.success() {
            bail!(
                "{program} failed: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        Ok(())
    }
}

impl Embedded {
    /// Starts the server in a folder, making the cluster when there is none.
    pub async fn start(folder: &Path) -> anyhow::Result<Self> {
        let programs = Programs::find()?;
        std::fs::create_dir_all(folder)?;
        let folder = folder.canonicalize()?;
        let data = folder.join("data");
        let socket = socket_folder(&folder)?;
        if programs.as_nobody {
            for path in [&folder, &socket] {
                own_by_nobody(path).await?;
            }
        }
        if !data.join("PG_VERSION").exists() {
            let options = ["-D", "-A", "-U", "-E"].map(OsStr::new);
            let values = [
                data.as_os_str(),
                OsStr::new("trust"),
                OsStr::new("g1t"),
                OsStr::new("UTF8"),
            ];
            let args: Vec<&OsStr> = options
                .into_iter()
                .zip(values)
                .flat_map(|(a, b)| [a, b])
                .collect();
            programs.run("initdb", &args).await?;
        }
        stop_left_over(&data).await;
        let mut command = programs.command("postgres");
        command.arg("-D").arg(&data).arg("-k").arg(&socket);
        command.args([
            "-c",
            "listen_addresses=",
            "-c",
            "max_connections=100",
            "-c",
            "shared_buffers=64MB",
        ]);
        let log = std::fs::File::create(folder.join("postgres.log"))?;
        let child = command
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("postgres cannot run")?;
        let embedded = Self {
            child,
            socket,
            programs,
            data,
        };
        embedded.wait().await?;
        Ok(embedded)
    }

    /// How to reach the database.
    pub fn options(&self) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .socket(&self.socket)
            .username("g1t")
            .database(DATABASE)
    }

    async fn wait(&self) -> anyhow::Result<()> {
        use sqlx::{Connection, Executor};
        let admin = self.options().database("postgres");
        let ready = async {
            loop {
                match sqlx::PgConnection::connect_with(&admin).await {
                    Ok(connection) => break connection,
                    Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                }
            }
        };
        let mut connection = tokio::time::timeout(START_TIME, ready)
            .await
            .with_context(|| {
                format!(
                    "Postgres did not start: see postgres.log beside {}",
                    self.data.display()
                )
            })?;
        let exists = sqlx::query("SELECT FROM pg_database WHERE datname = $1")
            .bind(DATABASE)
            .fetch_optional(&mut connection)
            .await?;
        if exists.is_none() {
            connection.execute("CREATE DATABASE \"g1t-work\"").await?;
        }
        Ok(())
    }

    /// Stops the server: a fast shut-down, by the id of the child.
    pub async fn stop(mut self) {
        let data = self.data.clone();
        let args = [
            OsStr::new("stop"),
            OsStr::new("-D"),
            data.as_os_str(),
            OsStr::new("-m"),
            OsStr::new("fast"),
        ];
        if self.programs.run("pg_ctl", &args).await.is_err() {
            self.child.kill().await.ok();
        }
        tokio::time::timeout(START_TIME, self.child.wait())
            .await
            .ok();
    }
}

/// A folder whose path is short enough for a unix socket (about 100 bytes).
fn socket_folder(folder: &Path) -> anyhow::Result<PathBuf> {
    let beside = folder.join("s");
    if beside.as_os_str().len() < 80 {
        std::fs::create_dir_all(&beside)?;
        return Ok(beside);
    }
    let short = std::env::temp_dir().join(format!("g1t-{:x}", std::process::id()));
    std::fs::create_dir_all(&short)?;
    Ok(short)
}

async fn own_by_nobody(path: &Path) -> anyhow::Result<()> {
    let status = Command::new("chown")
        .arg("nobody:nogroup")
        .arg(path)
        .status()
        .await?;
    if !status.success() {
        bail!(
            "{} cannot be given to the user nobody, whom Postgres runs as",
            path.display()
        );
    }
    Ok(())
}

/// A server that outlived a host that was killed holds the data folder: it is told to stop first.
async fn stop_left_over(data: &Path) {
    let Ok(text) = std::fs::read_to_string(data.join("postmaster.pid")) else {
        return;
    };
    let Some(pid) = text
        .lines()
        .next()
        .and_then(|line| line.trim().parse::<u32>().ok())
    else {
        return;
    };
    let alive = || Path::new(&format!("/proc/{pid}")).exists();
    if alive() {
        Command::new("kill")
            .args(["-INT", &pid.to_string()])
            .status()
            .await
            .ok();
    }
    let gone = async {
        while alive() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(START_TIME, gone).await.ok();
}
