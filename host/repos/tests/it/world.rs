//! A repository of its own for each test, commits made from lists of files, and git as the oracle.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

use g1t_repos::{Built, MergeMethod, Merged, Oid, Person, Repos, Step};
use tempfile::TempDir;

/// The repository of every test.
pub const REPO: u64 = 7;

/// 2023-11-14T22:13:20Z, the moment of every step.
pub const STEP_SECONDS: i64 = 1_700_000_000;

/// A file by its mode and content; the content of a submodule is the id it points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub mode: i32,
    pub content: Vec<u8>,
}

/// The files of a commit by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files(pub BTreeMap<String, Entry>);

impl Files {
    pub fn with(mut self, path: &str, content: impl AsRef<[u8]>) -> Files {
        self.0.insert(
            path.into(),
            Entry {
                mode: 0o100644,
                content: content.as_ref().to_vec(),
            },
        );
        self
    }

    pub fn with_mode(mut self, path: &str, mode: i32) -> Files {
        self.0.get_mut(path).expect("the file is there").mode = mode;
        self
    }

    pub fn with_link(mut self, path: &str, target: &str) -> Files {
        self.0.insert(
            path.into(),
            Entry {
                mode: 0o120000,
                content: target.into(),
            },
        );
        self
    }

    pub fn with_submodule(mut self, path: &str, digit: char) -> Files {
        let id = String::from(digit).repeat(40);
        self.0.insert(
            path.into(),
            Entry {
                mode: 0o160000,
                content: id.into(),
            },
        );
        self
    }

    pub fn without(mut self, path: &str) -> Files {
        self.0.remove(path).expect("the file is there");
        self
    }

    pub fn renamed(mut self, from: &str, to: &str) -> Files {
        let entry = self.0.remove(from).expect("the file is there");
        self.0.insert(to.into(), entry);
        self
    }

    /// Renames everything below a folder.
    pub fn folder_renamed(self, from: &str, to: &str) -> Files {
        let rename = |path: String| match path
            .strip_prefix(from)
            .and_then(|rest| rest.strip_prefix('/'))
        {
            Some(rest) => format!("{to}/{rest}"),
            None => path,
        };
        Files(
            self.0
                .into_iter()
                .map(|(path, entry)| (rename(path), entry))
                .collect(),
        )
    }
}

pub fn files() -> Files {
    Files::default()
}

/// Text of 20 lines that belongs to `name`, long enough for git to see a rename.
pub fn text(name: &str) -> String {
    (1..=20)
        .map(|line| format!("{name} line {line}\n"))
        .collect()
}

/// [`text`] with one line replaced.
pub fn edited(name: &str, line: usize, by: &str) -> String {
    text(name).replace(&format!("{name} line {line}\n"), &format!("{by}\n"))
}

pub struct World {
    folder: TempDir,
    pub repos: Repos,
}

impl World {
    pub async fn new() -> World {
        let folder = TempDir::new().unwrap();
        let repos = Repos::open(folder.path().join("repos"), None).unwrap();
        repos.create(REPO, "main").await.unwrap();
        World { folder, repos }
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub fn raw(&self) -> git2::Repository {
        git2::Repository::open_bare(self.repos.path(REPO)).unwrap()
    }

    pub fn commit(&self, parents: &[Oid], files: &Files) -> Oid {
        self.commit_at(parents, files, "A commit\n", 1_600_000_000)
    }

    pub fn commit_saying(&self, parents: &[Oid], files: &Files, message: &str) -> Oid {
        self.commit_at(parents, files, message, 1_600_000_000)
    }

    pub fn commit_at(&self, parents: &[Oid], files: &Files, message: &str, seconds: i64) -> Oid {
        let raw = self.raw();
        let tree = write_tree(
            &raw,
            &files
                .0
                .iter()
                .map(|(path, entry)| (path.as_str(), entry))
                .collect::<Vec<_>>(),
        );
        let who =
            git2::Signature::new("Ada", "ada@example.org", &git2::Time::new(seconds, 60)).unwrap();
        let tree = raw.find_tree(tree).unwrap();
        let parents: Vec<_> = parents
            .iter()
            .map(|id| raw.find_commit(raw_id(*id)).unwrap())
            .collect();
        let id = raw
            .commit(
                None,
                &who,
                &who,
                message,
                &tree,
                &parents.iter().collect::<Vec<_>>(),
            )
            .unwrap();
        oid(&id.to_string())
    }

    pub fn set_ref(&self, full: &str, id: Oid) {
        self.raw().reference(full, raw_id(id), true, "").unwrap();
    }

    pub fn ref_target(&self, full: &str) -> Option<Oid> {
        self.raw()
            .refname_to_id(full)
            .ok()
            .map(|id| oid(&id.to_string()))
    }

    /// Runs git in the repository.
    pub fn try_git(&self, args: &[&str]) -> Output {
        Command::new("git")
            .args(args)
            .current_dir(self.repos.path(REPO))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap()
    }

    /// What git prints, without the last line end.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    pub fn tree_of(&self, commit: Oid) -> Oid {
        oid(&self.git(&["rev-parse", &format!("{commit}^{{tree}}")]))
    }

    pub fn parents_of(&self, commit: Oid) -> Vec<Oid> {
        self.git(&["rev-parse", &format!("{commit}^@")])
            .lines()
            .map(oid)
            .collect()
    }

    /// Paths that differ between two commits.
    pub fn changed(&self, from: Oid, to: Oid) -> Vec<String> {
        let names = self.git(&[
            "diff-tree",
            "-r",
            "--name-only",
            &from.to_string(),
            &to.to_string(),
        ]);
        names.lines().map(str::to_owned).collect()
    }

    /// What git says a merge gives.
    pub fn merged_by_git(&self, ours: Oid, theirs: Oid) -> Merged {
        let (ours, theirs) = (ours.to_string(), theirs.to_string());
        if self
            .try_git(&["merge-base", "--is-ancestor", &theirs, &ours])
            .status
            .success()
        {
            return Merged::Contained;
        }
        let output = self.try_git(&[
            "merge-tree",
            "--write-tree",
            "--name-only",
            "-z",
            "--no-messages",
            &ours,
            &theirs,
        ]);
        let mut fields = output
            .stdout
            .split(|byte| *byte == 0)
            .map(|field| String::from_utf8_lossy(field).into_owned());
        let tree = oid(&fields.next().unwrap());
        match output.status.code() {
            Some(0) => Merged::Clean(tree),
            Some(1) => {
                let mut paths: Vec<String> = fields.filter(|path| !path.is_empty()).collect();
                paths.sort();
                paths.dedup();
                Merged::Conflicting(paths)
            }
            _ => panic!(
                "git merge-tree: {}",
                String::from_utf8_lossy(&output.stderr)
            ),
        }
    }

    pub async fn build(&self, step: &Step) -> Built {
        self.repos
            .build_queue_step(REPO, step.clone())
            .await
            .unwrap()
    }

    #[track_caller]
    pub fn expect_sound(&self) {
        self.git(&["fsck", "--strict", "--no-dangling"]);
    }
}

/// A step of the queue with names of its own.
pub fn step(method: MergeMethod, onto: Oid, head: Oid) -> Step {
    Step {
        onto,
        head,
        method,
        title: "Add it (#1)".into(),
        body: "Because.".into(),
        author: Person {
            name: "Ada".into(),
            email: "ada@example.org".into(),
        },
        committer: Person {
            name: "g1t".into(),
            email: "g1t@example.org".into(),
        },
        time_ms: STEP_SECONDS * 1_000 + 250,
        branch: None,
    }
}

#[track_caller]
pub fn candidate(built: Built) -> Oid {
    match built {
        Built::Candidate(id) => id,
        other => panic!("no candidate but {other:?}"),
    }
}

#[track_caller]
pub fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

pub fn raw_id(id: Oid) -> git2::Oid {
    git2::Oid::from_str(&id.to_string()).unwrap()
}

fn write_tree(raw: &git2::Repository, entries: &[(&str, &Entry)]) -> git2::Oid {
    let mut builder = raw.treebuilder(None).unwrap();
    let mut folders: BTreeMap<&str, Vec<(&str, &Entry)>> = BTreeMap::new();
    for (path, entry) in entries {
        if let Some((folder, rest)) = path.split_once('/') {
            folders.entry(folder).or_default().push((rest, entry));
            continue;
        }
        let id = if entry.mode == 0o160000 {
            git2::Oid::from_str(std::str::from_utf8(&entry.content).unwrap()).unwrap()
        } else {
            raw.blob(&entry.content).unwrap()
        };
        builder.insert(*path, id, entry.mode).unwrap();
    }
    for (folder, inside) in folders {
        builder
            .insert(folder, write_tree(raw, &inside), 0o040000)
            .unwrap();
    }
    builder.write().unwrap()
}
