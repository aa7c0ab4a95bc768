use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context, bail};
use sqlx::postgres::PgConnectOptions;
use tokio::signal::unix::{SignalKind, signal};

use super::app::{App, Settings, migrate};
use super::embedded::Embedded;
use super::first_owner::{LOGIN, first_owner};
use super::options::{Command, ServerArgs};
use super::{dead_letters, demo, runner};
use crate::capability::postgres::GivenLogins;

/// Runs one command to its end.
pub async fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Up(args) => up(args).await,
        Command::Serve(args) => serve(args).await,
        Command::Migrate(args) => {
            let pool = sqlx::PgPool::connect(&args.database_url)
                .await
                .context("the database cannot be reached")?;
            migrate(&pool).await?;
            println!("the database is up to date");
            Ok(ExitCode::SUCCESS)
        }
        Command::Runner(args) => runner::run(args).await,
        Command::DeadLetters(args) => dead_letters::run(args).await,
        Command::Demo(args) => demo::run(args).await,
    }
}

async fn up(args: ServerArgs) -> anyhow::Result<ExitCode> {
    if args.database_url.is_some() {
        return serve(args).await;
    }
    println!(
        "starting a private Postgres in {}",
        args.data.join("postgres").display()
    );
    let embedded = Embedded::start(&args.data.join("postgres")).await?;
    let served = until_told(&args, embedded.options()).await;
    embedded.stop().await;
    served
}

async fn serve(args: ServerArgs) -> anyhow::Result<ExitCode> {
    let Some(url) = &args.database_url else {
        bail!(
            "give the database by --database-url or DATABASE_URL, or run `g1t-work up` for a private one"
        );
    };
    let database = PgConnectOptions::from_str(url)
        .context("DATABASE_URL is not the address of a Postgres server")?;
    until_told(&args, database).await
}

async fn until_told(args: &ServerArgs, database: PgConnectOptions) -> anyhow::Result<ExitCode> {
    let app = App::start(Settings {
        database,
        guests: given_logins(args)?,
        code: args.code.clone().unwrap_or_else(|| args.data.join("code")),
        data: args.data.clone(),
        components: args.components.clone(),
        listen: args.listen,
        public_url: args.public_url.clone(),
        sqs_queue_url: args.sqs_queue_url.clone(),
        requests_per_hour: args.requests_per_hour,
    })
    .await?;
    say(&format!("g1t-work is at {}", app.public_url));
    first_owner(&app.pool, |token| match &args.token_file {
        Some(file) => write_token(file, token)
            .with_context(|| format!("the token cannot be written to {}", file.display())),
        None => {
            println!("token of the first owner ('{LOGIN}'), shown this once: {token}");
            Ok(())
        }
    })
    .await?;
    let at = app
        .public_url
        .trim_start_matches("http://")
        .trim_start_matches("https://");
    say(&format!(
        "push to a repository: git push http://x:TOKEN@{at}/WORKSPACE/REPOSITORY.git main"
    ));
    told_to_stop().await?;
    say("stopping");
    app.stop().await;
    Ok(ExitCode::SUCCESS)
}

/// A line for whoever started the server. Nobody may be reading any more: a server does not end for that, as it would by
/// `println!`.
fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").ok();
}

/// The logins for components that the operator made.
fn given_logins(args: &ServerArgs) -> anyhow::Result<Option<GivenLogins>> {
    let (writer, reader) = match (&args.guest_database_url, &args.reader_database_url) {
        (None, None) => return Ok(None),
        (Some(writer), Some(reader)) => (writer, reader),
        _ => bail!("give both G1T_GUEST_DATABASE_URL and G1T_READER_DATABASE_URL, or neither"),
    };
    let options = |name, url: &str| {
        PgConnectOptions::from_str(url)
            .with_context(|| format!("{name} is not the address of a Postgres server"))
    };
    Ok(Some(GivenLogins {
        writer: options("G1T_GUEST_DATABASE_URL", writer)?,
        reader: options("G1T_READER_DATABASE_URL", reader)?,
    }))
}

/// Waits for SIGINT or SIGTERM.
async fn told_to_stop() -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

fn write_token(file: &Path, token: &str) -> anyhow::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(file)?;
    writeln!(file, "{token}")?;
    file.sync_all()?;
    Ok(())
}
