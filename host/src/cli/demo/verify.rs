use anyhow::{Context, bail};

use super::stage::{CHECK, Stage};
use super::story::{Opened, Plan, short};
use super::watch::Ended;

/// Holds what happened against what must be: each commit main passed through had its check pass, and its tree is the one
/// that git's own merge makes. Gives main's commit.
pub(super) async fn everything(
    stage: &Stage,
    plan: &Plan,
    opened: &[Opened],
    ended: &Ended,
) -> anyhow::Result<String> {
    let git = &stage.clone;
    git.run(&[
        "fetch",
        "--quiet",
        &stage.git_url(),
        "+refs/heads/main:refs/remotes/demo/main",
    ])
    .await?;
    let main = git.run(&["rev-parse", "refs/remotes/demo/main"]).await?;
    let range = format!("{}..{main}", plan.base);
    let passed = git
        .run(&["rev-list", "--first-parent", "--reverse", &range])
        .await?;
    println!("\nmain passed through:");
    for commit in passed.lines() {
        let pull = landed(stage, commit, opened).await?;
        println!(
            "  {} #{} {}: {CHECK} passed, tree as git merges",
            short(commit),
            pull.number,
            pull.title
        );
    }
    if passed.lines().count() != ended.landed.len() {
        bail!(
            "{} landed, but main moved {} times",
            ended.landed.len(),
            passed.lines().count()
        );
    }
    println!(
        "\n{}",
        git.run(&[
            "log",
            "--graph",
            "--oneline",
            "--decorate-refs=refs/remotes/demo/main",
            &main,
            "-n",
            "40"
        ])
        .await?
    );
    println!();
    Ok(main)
}

/// The pull request that a commit of main landed, when the commit is all that it must be.
async fn landed<'o>(
    stage: &Stage,
    commit: &str,
    opened: &'o [Opened],
) -> anyhow::Result<&'o Opened> {
    let git = &stage.clone;
    check_passed(stage, commit).await?;
    let parents = git
        .run(&["rev-list", "--parents", "-n", "1", commit])
        .await?;
    let parents: Vec<&str> = parents.split(' ').skip(1).collect();
    let [before, head] = parents.as_slice() else {
        bail!("{commit} is not a merge of a pull request")
    };
    let expected = git
        .run(&["merge-tree", "--write-tree", before, head])
        .await?;
    let tree = git
        .run(&["rev-parse", &format!("{commit}^{{tree}}")])
        .await?;
    if expected != tree {
        bail!("{commit} has the tree {tree}; git's own merge makes {expected}");
    }
    opened
        .iter()
        .find(|pull| pull.head == *head)
        .context("main holds a head nobody opened")
}

async fn check_passed(stage: &Stage, commit: &str) -> anyhow::Result<()> {
    let runs = stage
        .client
        .get(&stage.repository_path(&format!("/commits/{commit}/check-runs")))
        .await?;
    let passed = runs["check_runs"].as_array().is_some_and(|runs| {
        runs.iter()
            .any(|run| run["name"] == CHECK && run["conclusion"] == "success")
    });
    if !passed {
        bail!("main passed through {commit}, on which '{CHECK}' did not pass");
    }
    Ok(())
}
