use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::limits::REQUESTS_PER_HOUR;

/// Everything about a change that is not the code: pull requests, rules, checks, and a merge queue that moves the main
/// branch only to a commit whose checks passed.
#[derive(Debug, Parser)]
#[command(name = "g1t-work", version)]
pub struct Options {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a server with everything it needs on this machine: a private Postgres, the queue in it, repositories on disk.
    Up(ServerArgs),
    /// Run a server on the Postgres of DATABASE_URL and the queue of SQS_QUEUE_URL (or the queue in Postgres).
    Serve(ServerArgs),
    /// Bring the database of DATABASE_URL up to date.
    Migrate(DatabaseArgs),
    /// Stand in for a CI system: run commands on pull request heads and merge queue candidates, and report check runs.
    Runner(RunnerArgs),
    /// Show events that no try could handle, or send them again.
    DeadLetters(DeadLettersArgs),
    /// Play the main job before your eyes, on a repository it makes or on a clone of one of yours.
    Demo(DemoArgs),
}

#[derive(Clone, Debug, Args)]
pub struct DatabaseArgs {
    /// Address of the Postgres server, such as postgres://user:password@host/database.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
}

#[derive(Clone, Debug, Args)]
pub struct DeadLettersArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(subcommand)]
    pub command: DeadLettersCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub enum DeadLettersCommand {
    /// List those that wait, newest first.
    List {
        /// Also those that were sent again.
        #[arg(long)]
        all: bool,
    },
    /// Send some again, or all that wait.
    Resend {
        /// Numbers, as `list` shows them; all that wait when left out.
        ids: Vec<i64>,
        /// Address of an SQS queue; the queue is in Postgres when left out.
        #[arg(long, env = "SQS_QUEUE_URL")]
        sqs_queue_url: Option<String>,
    },
}

#[derive(Clone, Debug, Args)]
pub struct ServerArgs {
    /// Address and port to listen on; port 0 takes a free one.
    #[arg(long, env = "G1T_LISTEN", default_value = "127.0.0.1:8600")]
    pub listen: SocketAddr,
    /// Folder for repositories, compiled components and, with `up`, the private Postgres.
    #[arg(long, env = "G1T_DATA", default_value = ".g1t")]
    pub data: PathBuf,
    /// Folder with app.toml, openapi.json and the components.
    #[arg(long, env = "G1T_COMPONENTS", default_value = "target/components")]
    pub components: PathBuf,
    /// Folder for compiled components, which nobody else may write to; `code` in the data folder when left out.
    #[arg(long, env = "G1T_CODE")]
    pub code: Option<PathBuf>,
    /// Address under which clients reach the server; the listening address when left out.
    #[arg(long, env = "G1T_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// Address of the Postgres server; `up` starts a private one when left out.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// Address with the login for components that may write: a member of g1t_guest. The host makes one when left out.
    #[arg(long, env = "G1T_GUEST_DATABASE_URL", hide_env_values = true)]
    pub guest_database_url: Option<String>,
    /// Address with the login for components that may only read: a member of g1t_reader. As above.
    #[arg(long, env = "G1T_READER_DATABASE_URL", hide_env_values = true)]
    pub reader_database_url: Option<String>,
    /// Address of an SQS queue; the queue is in Postgres when left out.
    #[arg(long, env = "SQS_QUEUE_URL")]
    pub sqs_queue_url: Option<String>,
    /// Requests of the API that one token may make in an hour.
    #[arg(long, env = "G1T_REQUESTS_PER_HOUR", default_value_t = REQUESTS_PER_HOUR)]
    pub requests_per_hour: u32,
    /// Writes the first owner's token to this file, readable by its owner only.
    #[arg(long, env = "G1T_TOKEN_FILE")]
    pub token_file: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct RunnerArgs {
    /// Address of the server.
    #[arg(long, env = "G1T_URL", default_value = "http://127.0.0.1:8600")]
    pub url: String,
    /// Token with the scopes repo:read and checks:write.
    #[arg(long, env = "G1T_TOKEN", hide_env_values = true)]
    pub token: String,
    /// Repository, as workspace/name.
    #[arg(long)]
    pub repo: String,
    /// A check and the command that decides it, as NAME=COMMAND. May be given more than once.
    #[arg(long = "check", required = true)]
    pub checks: Vec<String>,
    /// Longest a command may run, in seconds.
    #[arg(long, default_value_t = 600)]
    pub timeout_s: u64,
    /// Commands run at the same time.
    #[arg(long, default_value_t = 2)]
    pub parallel: usize,
}

#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// Folder with app.toml, openapi.json and the components.
    #[arg(long, env = "G1T_COMPONENTS", default_value = "target/components")]
    pub components: PathBuf,
    /// Folder or address of a repository to play on; one is made when left out.
    #[arg(long)]
    pub repo: Option<String>,
    /// How many of its last commits (that are no merges) become pull requests.
    #[arg(long, default_value_t = 20)]
    pub count: usize,
    /// Command that decides the required check, run in a clean folder of each candidate.
    #[arg(long, default_value = "git fsck --no-dangling")]
    pub check: String,
}
