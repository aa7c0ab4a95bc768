//! What the tests talk to: a Postgres and an SQS-protocol server, private to one run and gone with it.
//!
//! Neither outlives this program, however it ends. When it ends in order, dropping [`Services`] stops both. When it is
//! killed, the SQS server sees its input close, and the kernel sends Postgres the signal to shut down (`setpriv
//! --pdeathsig`, where there is one; on a terminal Ctrl-C reaches both by itself).

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::build::Profile;
use crate::places::Places;
use crate::process;
use crate::setup::{JavaScript, Postgres};
use crate::steps::note;

/// Postgres starts in well under a second; a machine this much slower has another problem.
const START_LIMIT: Duration = Duration::from_secs(60);

/// How long Postgres may take to end its connections and write its files before it is killed.
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// Each test has its own database and its own pool.
const CONNECTIONS: u32 = 300;

/// Running servers; dropping stops them.
pub struct Services {
    database: Child,
    queue: Child,
    queue_url: String,
    path: OsString,
    // The socket's folder has a short path, for a socket's may have 107 bytes at most, and lies where the database's
    // user may go: neither is sure of the target folder.
    folder: TempDir,
}

/// The user Postgres runs as; as root it refuses to.
#[derive(Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

impl Services {
    /// Starts both servers and waits until they answer.
    ///
    /// # Errors
    /// When one does not start; its log is named.
    pub fn start(places: &Places, postgres: &Postgres, javascript: &JavaScript) -> Result<Self> {
        let logs = places.target.join("test-logs");
        fs::create_dir_all(&logs).with_context(|| format!("cannot make {}", logs.display()))?;
        let folder = fresh_folder(&logs.join("folder"))?;
        let path = process::path_with(
            &[javascript.programs()?, &places.tools().join("bin")],
            &[&postgres.programs],
        )?;
        let (mut queue, queue_url) = start_queue(javascript, &logs.join("sqs.log"))?;
        let database = match start_database(
            &postgres.programs,
            folder.path(),
            &logs.join("postgres.log"),
        ) {
            Ok(database) => database,
            Err(error) => {
                end(&mut queue);
                return Err(error);
            }
        };
        let services = Self {
            database,
            queue,
            queue_url,
            path,
            folder,
        };
        note(&format!("database: {}", services.database_url()));
        note(&format!("queue:    {}", services.queue_url));
        Ok(services)
    }

    /// The address of a database whose user may make more of them.
    pub fn database_url(&self) -> String {
        format!(
            "postgres://postgres@localhost/postgres?host={}",
            self.folder.path().display()
        )
    }

    /// Tells `command` where everything is.
    pub fn announce(&self, command: &mut Command, places: &Places, profile: Profile) {
        command
            .env("G1T_TEST_DATABASE_URL", self.database_url())
            .env("G1T_TEST_SQS_ENDPOINT", &self.queue_url)
            .env("G1T_COMPONENTS", places.components())
            .env("G1T_BIN", places.server(profile.folder()))
            .env("PATH", &self.path);
        // The client library signs its requests; the test server takes any key.
        command
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .env("AWS_REGION", "us-east-1");
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        // SIGINT asks for the fast shutdown: connections are ended, files written.
        let _ =
            process::captured(Command::new("kill").args(["-INT", &self.database.id().to_string()]));
        let end_at = Instant::now() + STOP_LIMIT;
        while matches!(self.database.try_wait(), Ok(None)) && Instant::now() < end_at {
            thread::sleep(Duration::from_millis(20));
        }
        end(&mut self.database);
        end(&mut self.queue);
    }
}

/// A new temporary folder, noted in `record`. A run that was killed could not remove its own: the one noted there last
/// goes now, unless its database still runs.
fn fresh_folder(record: &Path) -> Result<TempDir> {
    if let Ok(last) = fs::read_to_string(record) {
        let last = Path::new(last.trim());
        if last.join("data").is_dir() && !last.join("data/postmaster.pid").exists() {
            note(&format!(
                "removing {}, left by a run that was killed",
                last.display()
            ));
            // It is in nobody's way: failing to remove it is no reason to fail.
            let _ = fs::remove_dir_all(last);
        }
    }
    let folder = tempfile::Builder::new()
        .prefix("g1t-")
        .tempdir()
        .context("cannot make a temporary folder")?;
    fs::write(record, folder.path().to_string_lossy().as_bytes())
        .with_context(|| format!("cannot write {}", record.display()))?;
    Ok(folder)
}

/// Kills and reaps; a process that ended already is only reaped.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn start_queue(javascript: &JavaScript, log: &Path) -> Result<(Child, String)> {
    let errors = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let mut child = Command::new(&javascript.node)
        .current_dir(&javascript.folder)
        .arg("sqs-server.mjs")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .context("cannot start node")?;
    let mut line = String::new();
    let read = child
        .stdout
        .take()
        .map(|output| BufReader::new(output).read_line(&mut line));
    let url = line.trim();
    if !matches!(read, Some(Ok(_))) || !url.starts_with("http://") {
        end(&mut child);
        bail!(
            "the SQS server did not print its address: see {}",
            log.display()
        );
    }
    Ok((child, url.to_owned()))
}

fn start_database(programs: &Path, folder: &Path, log: &Path) -> Result<Child> {
    let user = if process::is_root() {
        Some(nobody()?)
    } else {
        None
    };
    if let Some(user) = user {
        chown(folder, Some(user.uid), Some(user.gid))
            .context("cannot hand the database's folder to its user")?;
    }
    let data = folder.join("data");
    let mut initdb = as_user(Command::new(programs.join("initdb")), user);
    initdb.current_dir(folder).arg("-D").arg(&data);
    initdb.args([
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
        "--no-instructions",
    ]);
    process::captured(&mut initdb).context("the test database cannot be made")?;

    let errors = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let mut server = as_user(ends_with_us(programs.join("postgres")), user);
    server
        .current_dir(folder)
        .arg("-D")
        .arg(&data)
        .arg("-k")
        .arg(folder);
    let settings = [
        "listen_addresses=",
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
    ];
    for setting in settings
        .iter()
        .map(|text| (*text).to_owned())
        .chain([format!("max_connections={CONNECTIONS}")])
    {
        server.arg("-c").arg(setting);
    }
    // A process group of its own would keep Ctrl-C away; it is meant to come through.
    let mut child = server
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .context("cannot start postgres")?;
    if let Err(error) = wait_until_ready(&mut child, &data) {
        end(&mut child);
        return Err(error.context(format!("see {}", log.display())));
    }
    Ok(child)
}

fn wait_until_ready(child: &mut Child, data: &Path) -> Result<()> {
    let end_at = Instant::now() + START_LIMIT;
    loop {
        if is_ready(&fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default()) {
            return Ok(());
        }
        if let Some(status) = child.try_wait()? {
            bail!("postgres ended while starting ({status})");
        }
        if Instant::now() > end_at {
            bail!("postgres was not ready within {} s", START_LIMIT.as_secs());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Line 8 of `postmaster.pid` has the state (`pidfile.h` of Postgres).
fn is_ready(pid_file: &str) -> bool {
    pid_file
        .lines()
        .nth(7)
        .is_some_and(|line| line.trim() == "ready")
}

/// The program, started so that the kernel asks it to shut down when we are gone.
fn ends_with_us(program: PathBuf) -> Command {
    if process::on_path("setpriv").is_none() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "INT"]).arg(program);
    command
}

fn as_user(mut command: Command, user: Option<User>) -> Command {
    if let Some(user) = user {
        // Setting the user as root drops all supplementary groups, too.
        command.uid(user.uid).gid(user.gid).env_remove("HOME");
    }
    command
}

fn nobody() -> Result<User> {
    let id = |flag: &str| -> Result<u32> {
        let text = process::captured(Command::new("id").args([flag, "nobody"]))?;
        text.trim().parse().context("`id` printed no number")
    };
    Ok(User {
        uid: id("-u")?,
        gid: id("-g")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_left_is_removed_and_a_running_database_is_not() {
        let place = tempfile::tempdir().unwrap();
        let record = place.path().join("record");
        for is_running in [false, true] {
            let data = place.path().join("last/data");
            fs::create_dir_all(&data).unwrap();
            if is_running {
                fs::write(data.join("postmaster.pid"), "1\n").unwrap();
            }
            fs::write(
                &record,
                place.path().join("last").to_string_lossy().as_bytes(),
            )
            .unwrap();
            let fresh = fresh_folder(&record).unwrap();
            assert_eq!(data.exists(), is_running);
            assert_eq!(
                fs::read_to_string(&record).unwrap(),
                fresh.path().to_string_lossy()
            );
        }
    }

    #[test]
    fn ready_is_read_from_the_eighth_line() {
        assert!(is_ready("1\n/d\n0\n5432\n/s\n\n  1 2\nready   \n"));
        assert!(!is_ready("1\n/d\n0\n5432\n/s\n\n  1 2\nstarting\n"));
        assert!(!is_ready(""));
    }
}
