//! The main job, played before the reader's eyes: real server, real pushes, real checks, real queue.

mod stage;
mod story;
mod verify;
mod watch;

use std::process::ExitCode;

use super::options::DemoArgs;

/// Plays the story, on a repository it makes or on a clone of one, and verifies what happened.
pub async fn run(args: DemoArgs) -> anyhow::Result<ExitCode> {
    let stage = stage::Stage::open(&args).await?;
    let played = play(&stage, &args).await;
    stage.close().await;
    let line = played?;
    println!("{line}");
    Ok(ExitCode::SUCCESS)
}

async fn play(stage: &stage::Stage, args: &DemoArgs) -> anyhow::Result<String> {
    let plan = match &args.repo {
        None => story::own(stage).await?,
        Some(repo) => story::of_repository(stage, repo, args.count, &args.check).await?,
    };
    stage.protect().await?;
    if let Some(refused) = stage.try_direct_push().await? {
        println!("\na push straight to main is refused by the judge:\n{refused}");
    }
    let runner = stage.runner(&plan.check);
    let opened = story::open(stage, &plan).await?;
    story::wait_for_heads(stage, &opened).await?;
    story::queue_all(stage, &opened).await?;
    let ended = watch::until_empty(stage).await?;
    runner.stop().await?;
    let main = verify::everything(stage, &plan, &opened, &ended).await?;
    Ok(format!(
        "demo: landed {}, ejected {}, main at {main}",
        ended.landed.len(),
        ended.ejected.len()
    ))
}
