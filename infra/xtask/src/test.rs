//! `cargo xtask test`: every check and every test there is, the quick ones first.

use anyhow::{Result, bail};

use crate::build::{self, Profile};
use crate::checks;
use crate::house;
use crate::places::Places;
use crate::process;
use crate::services::Services;
use crate::setup;
use crate::steps::Steps;

/// Options of `test`.
#[derive(clap::Args)]
pub struct Options {
    /// Skip format, lints, house checks and documentation links
    #[arg(long)]
    quick: bool,
    /// Only tests whose name contains this, or any arguments of `cargo nextest run`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    filter: Vec<String>,
}

/// Checks, builds and tests.
///
/// # Errors
/// When anything fails; checks that failed are all named, tests run only when none did.
pub fn run(places: &Places, options: &Options) -> Result<()> {
    let mut steps = Steps::default();
    let result = checked_and_tested(places, options, &mut steps);
    println!("==> times");
    steps.print_times();
    match &result {
        Ok(()) => println!("test: all passed"),
        Err(_) => println!("test: FAILED"),
    }
    result
}

fn checked_and_tested(places: &Places, options: &Options, steps: &mut Steps) -> Result<()> {
    if !options.quick {
        check(places, steps)?;
    }
    let ready = steps.run("setup", "what the machine lacks", || {
        setup::everything(places)
    })?;
    steps.run("build", "components", || {
        build::components(places, &ready.wasm)
    })?;
    // The server is built with the tests: alone it would get its dependencies with other features, all compiled twice.
    steps.run("build tests", "with the server they start", || {
        process::run(ready.nextest.command(places).arg("--no-run"))
    })?;
    if !options.quick {
        steps.run("clippy", "no warning in any crate", || {
            checks::lints(places)
        })?;
        steps.run(
            "doc links",
            "each link in a doc comment leads somewhere",
            || checks::documentation(places),
        )?;
    }
    let services = steps.run(
        "services",
        "a Postgres and an SQS-protocol server of this run's own",
        || Services::start(places, &ready.postgres, &ready.javascript),
    )?;
    let mut nextest = ready.nextest.command(places);
    services.announce(&mut nextest, places, Profile::Dev);
    nextest.args(&options.filter);
    steps.run("tests", "pure, component and end to end", || {
        process::run(&mut nextest)
    })
}

/// The checks that need no build; all of them run, so one visit shows all there is to mend.
fn check(places: &Places, steps: &mut Steps) -> Result<()> {
    let results = [
        steps.run("format", "one format for all Rust files", || {
            checks::is_formatted(places)
        }),
        steps.run(
            "house",
            "sizes, import direction, SQL, words, README",
            || house::check(places),
        ),
    ];
    let failures: Vec<String> = results
        .into_iter()
        .filter_map(Result::err)
        .map(|error| format!("{error:#}"))
        .collect();
    if !failures.is_empty() {
        bail!("{}", failures.join("\n"));
    }
    Ok(())
}
