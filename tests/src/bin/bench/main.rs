//! `cargo xtask bench`: what g1t-work costs, each time as a ratio to a program that does the same work without it.
//!
//! Both sides are measured in turns within one run on one machine, so a slow machine slows both. `cargo xtask bench`
//! builds everything for release, provides the peers and says by environment where they are.

mod candidates;
mod cgi;
mod environment;
mod git;
mod judge;
mod machine;
mod measure;
mod push;
mod requests;
mod server;
mod table;

use clap::{Parser, ValueEnum};

use measure::Effort;
use server::Server;

#[derive(Parser)]
#[command(
    name = "cargo xtask bench",
    about = "Measures g1t-work against its peers"
)]
struct Options {
    /// Few and short rounds: shows that everything runs, not how fast it is
    #[arg(long)]
    quick: bool,
    /// Measure only these; all when none is named
    #[arg(value_enum)]
    only: Vec<Measurement>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Measurement {
    /// Requests a second against `wasmtime serve`
    Http,
    /// A judged push against plain `git http-backend`
    Push,
    /// A decision in a fresh instance against the same function called natively
    Judge,
    /// Candidates of the queue a second against `git merge-tree`
    Candidates,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let effort = if options.quick {
        Effort::Quick
    } else {
        Effort::Whole
    };
    let wants = |one| options.only.is_empty() || options.only.contains(&one);
    let mut rows = Vec::new();
    if wants(Measurement::Http) || wants(Measurement::Push) {
        // Gone before anything is measured that does not need it.
        let server = Server::start()?;
        if wants(Measurement::Http) {
            rows.push(requests::measure(&server, effort).await?);
        }
        if wants(Measurement::Push) {
            rows.push(push::measure(&server, effort).await?);
        }
    }
    if wants(Measurement::Judge) {
        rows.extend(judge::measure(effort).await?);
    }
    if wants(Measurement::Candidates) {
        rows.extend(candidates::measure(effort).await?);
    }
    println!();
    println!("{}", table::text(&rows));
    println!("{}", machine::text(effort)?);
    Ok(())
}
