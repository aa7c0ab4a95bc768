//! A private Postgres: a child process on a unix socket under the data folder.
//!
//! Whoever reaches the socket is its superuser without a password, so socket and folder are closed to everybody else.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File, Permissions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
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
    socket: Socket,
    /// Held as long as the server runs: the folder is one process's at a time.
    _lock: File,
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
        // Another user must get through the folders above to its own, but not look round in them.
        let mode = if programs.as_nobody { 0o711 } else { 0o700 };
        DirBuilder::new()
            .recursive(true)
            .mode(mode)
            .create(folder)?;
        let folder = folder.canonicalize()?;
        let lock = lock(&folder)?;
        let data = folder.join("data");
        let socket = Socket::in_folder(&folder)?;
        for path in [&folder, socket.path()] {
            std::fs::set_permissions(path, Permissions::from_mode(0o700))?;
            if programs.as_nobody {
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
        let log = File::create(folder.join("postgres.log"))?;
        let child = server(&programs, &data, socket.path())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("postgres cannot run")?;
        let embedded = Self {
            child,
            socket,
            _lock: lock,
            programs,
            data,
        };
        embedded.wait().await?;
        Ok(embedded)
    }

    /// How to reach the database.
    pub fn options(&self) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .socket(self.socket.path())
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

fn server(programs: &Programs, data: &Path, socket: &Path) -> Command {
    let mut command = programs.command("postgres");
    command.arg("-D").arg(data).arg("-k").arg(socket);
    for setting in [
        "listen_addresses=",
        "unix_socket_permissions=0700",
        "max_connections=100",
        "shared_buffers=64MB",
    ] {
        command.args(["-c", setting]);
    }
    // A terminal's Ctrl-C is for the host, which still needs the database while it finishes.
    command.process_group(0);
    command
}

/// A folder whose path is short enough for a unix socket (about 100 bytes).
enum Socket {
    Beside(PathBuf),
    Short(tempfile::TempDir),
}

impl Socket {
    fn in_folder(folder: &Path) -> anyhow::Result<Self> {
        let beside = folder.join("s");
        if beside.as_os_str().len() < 80 {
            std::fs::create_dir_all(&beside)?;
            return Ok(Self::Beside(beside));
        }
        let short = tempfile::Builder::new().prefix("g1t-").tempdir()?;
        Ok(Self::Short(short))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Beside(path) => path,
            Self::Short(folder) => folder.path(),
        }
    }
}

/// Makes the folder this process's own.
fn lock(folder: &Path) -> anyhow::Result<File> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another g1t-work runs its Postgres in {}: stop it, or give another folder by --data",
            folder.display()
        ),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
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

/// A server that outlived a host that was killed holds the data folder: it is told to stop first. The number in its file
/// may be another process's by now, so only a server that works in this folder is told.
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
    let alive = || is_server_of(pid, data);
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

/// Whether a process is a Postgres whose data folder is this one: it works there.
fn is_server_of(pid: u32, data: &Path) -> bool {
    let of = |what: &str| std::fs::read_link(format!("/proc/{pid}/{what}"));
    let is_postgres = of("exe").is_ok_and(|exe| {
        // A program replaced by an update has " (deleted)" behind its name.
        exe.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("postgres"))
    });
    is_postgres && of("cwd").is_ok_and(|folder| folder == data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    /// A folder that the server's user can get to.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o711)).unwrap();
        folder
    }

    /// The group of a process: the fifth word of its state, counted behind the name in parentheses.
    fn group_of(pid: u32) -> String {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let (_, behind) = state.rsplit_once(") ").unwrap();
        behind.split(' ').nth(2).unwrap().to_owned()
    }

    #[tokio::test]
    async fn the_server_is_closed_to_others_and_one_process_has_it() {
        let folder = folder();
        let place = folder.path().join("postgres");
        let running = Embedded::start(&place).await.unwrap();
        let closed = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o077 == 0;
        assert!(closed(&place), "the folder");
        assert!(closed(running.socket.path()), "the socket's folder");
        assert!(
            closed(&running.socket.path().join(".s.PGSQL.5432")),
            "the socket"
        );
        let child = running.child.id().unwrap();
        assert_ne!(group_of(child), group_of(std::process::id()));
        let Err(second) = Embedded::start(&place).await else {
            panic!("two had one folder");
        };
        assert!(second.to_string().contains("--data"), "{second:#}");
        running.stop().await;
        Embedded::start(&place).await.unwrap().stop().await;
    }

    #[tokio::test]
    async fn a_server_that_was_left_over_is_stopped_and_a_stranger_is_not() {
        let folder = folder();
        let place = folder.path().join("postgres");
        let mut left = Embedded::start(&place).await.unwrap();
        let data = left.data.clone();
        let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
        // As when the host is killed: nobody stops the server, and the lock goes with the process.
        left._lock.unlock().unwrap();
        let next = Embedded::start(&place).await.unwrap();
        assert!(
            left.child.try_wait().unwrap().is_some(),
            "it holds the folder"
        );
        next.stop().await;
        let pid = stranger.id().unwrap();
        std::fs::write(data.join("postmaster.pid"), format!("{pid}\n")).unwrap();
        stop_left_over(&data).await;
        assert!(stranger.try_wait().unwrap().is_none(), "it was ended");
        stranger.kill().await.unwrap();
    }
}
