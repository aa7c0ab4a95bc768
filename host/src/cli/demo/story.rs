use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::stage::{CHECK, Stage};
use crate::client::ClientError;

/// Longest the heads' own checks may take.
const HEADS: Duration = Duration::from_secs(3_600);

/// What is to be played.
pub(super) struct Plan {
    /// The commit that main begins at.
    pub(super) base: String,
    /// Branches that become pull requests, in order, with their titles.
    pub(super) branches: Vec<(String, String)>,
    /// The command that decides the required check.
    pub(super) check: String,
}

/// A pull request of the demo.
pub(super) struct Opened {
    pub(super) number: i64,
    pub(super) head: String,
    pub(super) title: String,
}

/// Each file in `uses/` names a file that must be in `names/`.
const OWN_CHECK: &str = "for file in uses/*; do name=$(cat \"$file\"); \
    test -e \"names/$name\" || { echo \"$file uses '$name', which is not there\"; exit 1; }; done; echo fine";

/// Five pull requests: three are fine, one fails on what main has become, one only together with another.
pub(super) async fn own(stage: &Stage) -> anyhow::Result<Plan> {
    let git = &stage.clone;
    git.run(&["init", "--quiet", "--initial-branch=main"])
        .await?;
    write(stage, "names/old", "")?;
    write(stage, "names/colour", "")?;
    write(stage, "uses/page", "colour\n")?;
    commit(stage, "Begin").await?;
    git.run(&["branch", "from-before"]).await?;
    git.run(&["rm", "--quiet", "names/old"]).await?;
    commit(stage, "Take the name 'old' out").await?;
    let base = git.run(&["rev-parse", "main"]).await?;
    git.run(&["push", "--quiet", &stage.git_url(), "main"])
        .await?;

    let mut branches = Vec::new();
    for [name, from, title, path, text] in OWN_BRANCHES {
        git.run(&["checkout", "--quiet", "-b", name, from]).await?;
        write(stage, path, text)?;
        match name {
            "alpha" => write(stage, "names/alpha", "")?,
            "rename" => {
                git.run(&["mv", "names/colour", "names/color"]).await?;
            }
            _ => {}
        }
        commit(stage, title).await?;
        branches.push((name.to_owned(), title.to_owned()));
    }
    git.run(&["checkout", "--quiet", "main"]).await?;
    Ok(Plan {
        base,
        branches,
        check: OWN_CHECK.to_owned(),
    })
}

/// The pull requests of the demo's own story: branch, where it begins, title, and the file it writes.
const OWN_BRANCHES: [[&str; 5]; 5] = [
    [
        "alpha",
        "main",
        "Add the name 'alpha' and use it",
        "uses/menu",
        "alpha\n",
    ],
    [
        "stale",
        "from-before",
        "Use 'old', which main no longer has",
        "uses/footer",
        "old\n",
    ],
    [
        "rename",
        "main",
        "Rename 'colour' to 'color'",
        "uses/page",
        "color\n",
    ],
    [
        "paint",
        "main",
        "Use 'colour' in one more place",
        "uses/paint",
        "colour\n",
    ],
    [
        "notes",
        "main",
        "Write down how names work",
        "NOTES",
        "Each file in uses/ names one in names/.\n",
    ],
];

/// The last `count` commits of a repository that are no merges, each as a pull request from the commit before them all.
pub(super) async fn of_repository(
    stage: &Stage,
    repo: &str,
    count: usize,
    check: &str,
) -> anyhow::Result<Plan> {
    let git = &stage.clone;
    let from = std::fs::canonicalize(repo)
        .map_or_else(|_| repo.to_owned(), |path| path.display().to_string());
    git.run(&["clone", "--quiet", "--no-local", &from, "."])
        .await
        .context("the repository cannot be cloned")?;
    let count = count.max(1).to_string();
    let listed = git
        .run(&[
            "rev-list",
            "--no-merges",
            "--first-parent",
            "-n",
            &count,
            "HEAD",
        ])
        .await?;
    let mut commits: Vec<&str> = listed.lines().collect();
    commits.reverse();
    let Some(first) = commits.first() else {
        bail!("{repo} has no commits to play")
    };
    let base = git
        .run(&["rev-parse", "--verify", "--quiet", &format!("{first}^")])
        .await;
    let base = base.with_context(|| {
        format!("{repo} has no commit before its last {count}: give a smaller --count")
    })?;
    git.run(&["checkout", "--quiet", "-B", "main", &base])
        .await?;
    git.run(&["push", "--quiet", &stage.git_url(), "main"])
        .await?;
    let mut branches = Vec::new();
    for (index, commit) in commits.iter().enumerate() {
        let name = format!("change-{:02}", index + 1);
        let title = branch(stage, &name, &base, commit).await?;
        branches.push((name, title));
    }
    git.run(&["checkout", "--quiet", "main"]).await?;
    println!(
        "{} commits of {repo} become pull requests from {}",
        branches.len(),
        short(&base)
    );
    Ok(Plan {
        base,
        branches,
        check: check.to_owned(),
    })
}

/// Makes a branch from the base with one commit; gives the commit's title.
async fn branch(stage: &Stage, name: &str, base: &str, commit: &str) -> anyhow::Result<String> {
    let git = &stage.clone;
    git.run(&["checkout", "--quiet", "-B", name, base]).await?;
    // A commit that does not apply to the base alone stands on those before it: its branch carries them along.
    if git
        .run(&["cherry-pick", "--allow-empty", commit])
        .await
        .is_err()
    {
        git.run(&["cherry-pick", "--abort"]).await.ok();
        git.run(&["reset", "--hard", "--quiet", commit]).await?;
    }
    let title = git.run(&["log", "-1", "--format=%s", commit]).await?;
    Ok(title.chars().take(200).collect())
}

fn write(stage: &Stage, path: &str, text: &str) -> anyhow::Result<()> {
    let path = stage.work().join(path);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(path, text)?)
}

async fn commit(stage: &Stage, title: &str) -> anyhow::Result<()> {
    stage.clone.run(&["add", "--all"]).await?;
    stage.clone.run(&["commit", "--quiet", "-m", title]).await?;
    Ok(())
}

/// Pushes every branch and opens its pull request.
pub(super) async fn open(stage: &Stage, plan: &Plan) -> anyhow::Result<Vec<Opened>> {
    println!("\nopening {} pull requests", plan.branches.len());
    let mut opened = Vec::new();
    for (branch, title) in &plan.branches {
        stage
            .clone
            .run(&["push", "--quiet", &stage.git_url(), branch])
            .await?;
        let head = stage.clone.run(&["rev-parse", branch]).await?;
        let body = json!({ "title": title, "head": branch, "base": "main" });
        let pull = stage
            .client
            .post(&stage.repository_path("/pulls"), &body)
            .await?;
        let number = pull["number"]
            .as_i64()
            .context("the pull request has no number")?;
        println!("  #{number} {title} ({})", short(&head));
        opened.push(Opened {
            number,
            head,
            title: title.clone(),
        });
    }
    Ok(opened)
}

/// Waits until each head has its own verdict: joining the queue needs it.
pub(super) async fn wait_for_heads(stage: &Stage, opened: &[Opened]) -> anyhow::Result<()> {
    println!("\nthe runner tests each head by itself");
    let since = Instant::now();
    for pull in opened {
        loop {
            let path = stage.repository_path(&format!("/commits/{}/check-runs", pull.head));
            let runs = stage.client.get(&path).await?;
            let done = runs["check_runs"].as_array().and_then(|runs| {
                runs.iter()
                    .find(|run| run["name"] == CHECK && run["status"] == "completed")
            });
            if let Some(run) = done {
                println!(
                    "  #{} {CHECK}: {}",
                    pull.number,
                    run["conclusion"].as_str().unwrap_or("?")
                );
                break;
            }
            if since.elapsed() > HEADS {
                bail!(
                    "#{} has no verdict of its own after {} s",
                    pull.number,
                    HEADS.as_secs()
                );
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    Ok(())
}

/// Asks for every merge; a pull request that the rules refuse says why and stays out.
pub(super) async fn queue_all(stage: &Stage, opened: &[Opened]) -> anyhow::Result<()> {
    println!("\nmerging all of them: main takes only what was tested, so they queue");
    for pull in opened {
        let path = stage.repository_path(&format!("/pulls/{}/merge", pull.number));
        match stage.client.put(&path, &json!({})).await {
            Ok(answer) => println!(
                "  #{}: {}",
                pull.number,
                answer["message"].as_str().unwrap_or("queued")
            ),
            Err(ClientError::Refused {
                status: 405 | 409,
                detail,
                body,
                ..
            }) => {
                println!("  #{}: refused: {}", pull.number, reasons(&detail, &body));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn reasons(detail: &str, body: &Value) -> String {
    let told: Vec<&str> = body["errors"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|error| error["message"].as_str())
        .collect();
    if told.is_empty() {
        detail.to_owned()
    } else {
        told.join(" ")
    }
}

pub(super) fn short(sha: &str) -> &str {
    sha.get(..8).unwrap_or(sha)
}
