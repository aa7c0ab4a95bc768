//! The binary: wiring only.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use g1t_work::cli::{Options, run};
use g1t_work::trigger::git::hook_main;

fn main() -> ExitCode {
    // Git calls this binary as its hook, by a link of that name: before anything else, since each push waits for it.
    let called = std::env::args_os().next().unwrap_or_default();
    if Path::new(&called)
        .file_name()
        .is_some_and(|name| name == "pre-receive")
    {
        return hook_main();
    }
    let options = Options::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("G1T_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("g1t-work: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(run(options.command)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("g1t-work: {error:#}");
            ExitCode::FAILURE
        }
    }
}
