//! Candidates of the merge queue a second, on a repository of 10,000 files, against `git merge-tree` as a process each.
//!
//! Ours makes the commit and sets the queue's branch, too. Both work on a repository of their own with the same commits,
//! and every merge is a new one, since objects that are there already cost less to write.

use std::fmt::Write as _;
use std::ops::Range;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use g1t_repos::{Built, MergeMethod, Oid, Person, Repos, Step};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::measure::{Effort, Side, in_turns};
use crate::table::{Aim, Row, Unit};

const OURS: u64 = 1;
const PEER: u64 = 2;
const FOLDERS: usize = 100;
const FILES_PER_FOLDER: usize = 100;
/// Files that main changed since the branches were cut, all in the first folder.
const MOVED_ON: usize = 10;
/// Files that a branch of [`Kind::Apart`] changes.
const CHANGED: usize = 3;
const WHEN: &str = "1700000000 +0000";

/// How a branch and main touch each other.
#[derive(Clone, Copy)]
enum Kind {
    /// They changed different files.
    Apart,
    /// They changed the same file in different places.
    Together,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Together => "together",
        }
    }

    /// The files of branch `number`, with their content.
    fn changes(self, number: usize) -> Vec<(String, String)> {
        let line = format!("branch {number}");
        match self {
            Self::Apart => {
                let files = FILES_PER_FOLDER * (FOLDERS - 1);
                let changed = (0..CHANGED).map(|part| (number * CHANGED + part) % files);
                changed
                    .map(|file| {
                        // Folder by folder, so that one branch touches several; never the first.
                        let path = path(1 + file % (FOLDERS - 1), file / (FOLDERS - 1));
                        let text = text(&path, &[(20, line.as_str())]);
                        (path, text)
                    })
                    .collect()
            }
            Self::Together => {
                let path = path(0, 0);
                let text = text(&path, &[(35, line.as_str())]);
                vec![(path, text)]
            }
        }
    }
}

/// Measures candidates.
///
/// # Errors
/// When a candidate has another tree than git's own merge.
pub async fn measure(effort: Effort) -> Result<Vec<Row>> {
    let rounds = effort.pick(7, 2);
    let merges = effort.pick(60, 5);
    let mut rows = Vec::new();
    for (kind, what) in [
        (
            Kind::Apart,
            "Candidates, 10,000 files, changes in different files",
        ),
        (
            Kind::Together,
            "Candidates, 10,000 files, changes in one file",
        ),
    ] {
        println!("==> candidates: {what}");
        let world = World::make(kind, (rounds + 1) * merges).await?;
        let mut trees = Trees::default();
        let pairs = in_turns(rounds, async |side, round| {
            let heads = world.heads(round * merges..(round + 1) * merges)?;
            match side {
                Side::Ours => world.build(heads, round, &mut trees.ours).await,
                Side::Peer => world.merge_by_git(heads, &mut trees.peer).await,
            }
        })
        .await?;
        trees.ours.sort();
        trees.peer.sort();
        ensure!(
            trees.ours == trees.peer,
            "candidates have other trees than git's merges"
        );
        rows.push(Row {
            what,
            against: "`git merge-tree`, a process each",
            unit: Unit::CandidatesPerSecond,
            pairs,
            aim: Aim::RatioAtLeast(1.0),
        });
    }
    Ok(rows)
}

/// Head and tree of every merge, for comparing.
#[derive(Default)]
struct Trees {
    ours: Vec<(Oid, String)>,
    peer: Vec<(Oid, String)>,
}

/// Two repositories with the same commits.
struct World {
    repos: Repos,
    main: Oid,
    heads: Vec<Oid>,
    _folder: TempDir,
}

impl World {
    async fn make(kind: Kind, branches: usize) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("g1t-bench-").tempdir()?;
        let repos = Repos::open(folder.path().join("repositories"), None)?;
        let stream = history(kind, branches)?;
        for repository in [OURS, PEER] {
            repos.create(repository, "main").await?;
            import(&repos, repository, &stream).await?;
        }
        let main = repos.resolve(OURS, "main").await?.context("no main")?;
        let mut heads = Vec::with_capacity(branches);
        for number in 0..branches {
            let name = branch(kind, number);
            let head = repos.resolve(OURS, &name).await?;
            heads.push(head.with_context(|| format!("no branch {name}"))?);
        }
        Ok(Self {
            repos,
            main,
            heads,
            _folder: folder,
        })
    }

    fn heads(&self, range: Range<usize>) -> Result<&[Oid]> {
        self.heads.get(range).context("fewer branches than merges")
    }

    /// Builds a candidate of each head on main; gives how many a second.
    async fn build(
        &self,
        heads: &[Oid],
        round: usize,
        trees: &mut Vec<(Oid, String)>,
    ) -> Result<f64> {
        let mut candidates = Vec::with_capacity(heads.len());
        let since = Instant::now();
        for (number, head) in heads.iter().enumerate() {
            let step = self.step(*head, format!("g1t-queue/{round}-{number}"));
            match self.repos.build_queue_step(OURS, step).await? {
                Built::Candidate(candidate) => candidates.push(candidate),
                other => bail!("{head} gave no candidate but {other:?}"),
            }
        }
        let rate = heads.len() as f64 / since.elapsed().as_secs_f64();
        let built = self.trees_of(&candidates).await?;
        ensure!(built.len() == heads.len(), "candidates without a tree");
        trees.extend(heads.iter().copied().zip(built));
        Ok(rate)
    }

    /// Has git merge each head into main; gives how many a second.
    async fn merge_by_git(&self, heads: &[Oid], trees: &mut Vec<(Oid, String)>) -> Result<f64> {
        let since = Instant::now();
        for head in heads {
            let mut git = git_of(&self.repos, PEER);
            git.args(["merge-tree", "--write-tree"]);
            git.arg(self.main.to_string()).arg(head.to_string());
            let output = git.output().await.context("git cannot run")?;
            ensure!(output.status.success(), "git does not merge {head}");
            let said = String::from_utf8_lossy(&output.stdout);
            let tree = said.lines().next().unwrap_or_default();
            trees.push((*head, tree.to_owned()));
        }
        Ok(heads.len() as f64 / since.elapsed().as_secs_f64())
    }

    fn step(&self, head: Oid, branch: String) -> Step {
        let person = |name: &str| Person {
            name: name.into(),
            email: format!("{name}@example.org"),
        };
        Step {
            onto: self.main,
            head,
            method: MergeMethod::Merge,
            title: "Land a branch (#1)".into(),
            body: "Because it passed.".into(),
            author: person("ada"),
            committer: person("g1t"),
            time_ms: 1_700_000_000_000,
            branch: Some(branch),
        }
    }

    /// The trees of our commits, in their order.
    async fn trees_of(&self, commits: &[Oid]) -> Result<Vec<String>> {
        let mut git = git_of(&self.repos, OURS);
        git.args(["log", "--no-walk=unsorted", "--format=%T"]);
        git.args(commits.iter().map(Oid::to_string));
        let output = git.output().await.context("git cannot run")?;
        ensure!(output.status.success(), "git does not read the candidates");
        let said = String::from_utf8(output.stdout)?;
        Ok(said.lines().map(str::to_owned).collect())
    }
}

fn branch(kind: Kind, number: usize) -> String {
    format!("{}-{number}", kind.word())
}

fn path(folder: usize, file: usize) -> String {
    format!("folder{folder:02}/file{file:02}.txt")
}

/// Forty lines that belong to a path, some of them replaced.
fn text(path: &str, replaced: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let other = replaced.iter().find(|(at, _)| *at == number);
        other.map_or_else(
            || format!("{path} line {number}\n"),
            |(_, text)| format!("{text}\n"),
        )
    };
    (1..=40).map(line).collect()
}

/// The first commit, what main made of it, and the branches, for `git fast-import`.
fn history(kind: Kind, branches: usize) -> Result<String> {
    let mut stream = String::new();
    let all =
        (0..FOLDERS).flat_map(|folder| (0..FILES_PER_FOLDER).map(move |file| path(folder, file)));
    let first: Vec<_> = all
        .map(|path| {
            let text = text(&path, &[]);
            (path, text)
        })
        .collect();
    commit(&mut stream, "first", None, &first)?;
    let moved_on: Vec<_> = (0..MOVED_ON)
        .map(|file| {
            let path = path(0, file);
            let text = text(&path, &[(5, "main has moved on")]);
            (path, text)
        })
        .collect();
    commit(&mut stream, "main", Some("first"), &moved_on)?;
    for number in 0..branches {
        let name = branch(kind, number);
        commit(&mut stream, &name, Some("first"), &kind.changes(number))?;
    }
    Ok(stream)
}

/// A commit on a branch, which begins where another one is.
fn commit(
    stream: &mut String,
    branch: &str,
    from: Option<&str>,
    files: &[(String, String)],
) -> Result<()> {
    let message = format!("Change {branch}\n");
    writeln!(stream, "commit refs/heads/{branch}")?;
    writeln!(stream, "committer Ada <ada@example.org> {WHEN}")?;
    write!(stream, "data {}\n{message}", message.len())?;
    if let Some(from) = from {
        writeln!(stream, "from refs/heads/{from}")?;
    }
    for (path, text) in files {
        writeln!(stream, "M 100644 inline {path}")?;
        write!(stream, "data {}\n{text}", text.len())?;
    }
    writeln!(stream)?;
    Ok(())
}

/// Git, on a repository.
fn git_of(repos: &Repos, repository: u64) -> Command {
    let mut git = Command::new("git");
    git.arg("--git-dir").arg(repos.path(repository));
    git
}

async fn import(repos: &Repos, repository: u64, stream: &str) -> Result<()> {
    let mut child = git_of(repos, repository)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .context("git cannot run")?;
    let mut input = child.stdin.take().context("no input")?;
    input.write_all(stream.as_bytes()).await?;
    drop(input);
    let status = child.wait().await?;
    ensure!(status.success(), "git fast-import ended with {status}");
    Ok(())
}
