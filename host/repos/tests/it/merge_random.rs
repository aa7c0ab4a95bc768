//! Random histories, each merge compared with `git merge-tree`. A failure names the seed that repeats it.

use g1t_repos::{Distance, Merged, Oid};

use crate::world::{Entry, Files, REPO, World, files, oid, text};

const HISTORIES: u64 = 200;

/// xorshift64*: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % most
    }

    fn path(&mut self, files: &Files) -> Option<String> {
        if files.0.is_empty() {
            return None;
        }
        let at = self.below(files.0.len());
        files.0.keys().nth(at).cloned()
    }

    fn new_path(&mut self) -> String {
        let folder = ["", "a/", "a/b/", "c/", "d/"][self.below(5)];
        format!("{folder}f{}", self.below(12))
    }
}

/// True when `path` can be added: it is no folder, and no folder on its way is a file.
fn is_free(files: &Files, path: &str) -> bool {
    let below = format!("{path}/");
    let is_folder = files.0.keys().any(|other| other.starts_with(&below));
    let is_under_file = path
        .match_indices('/')
        .any(|(at, _)| files.0.contains_key(&path[..at]));
    !is_folder && !is_under_file && !files.0.contains_key(path)
}

fn change(random: &mut Random, files: &mut Files) {
    match random.below(12) {
        0..=4 => edit(random, files),
        5 | 6 => {
            let path = random.new_path();
            if is_free(files, &path) {
                let content = text(&format!("{path}{}", random.below(3)));
                *files = files.clone().with(&path, content);
            }
        }
        7 => {
            if let Some(path) = random.path(files) {
                files.0.remove(&path);
            }
        }
        8 => rename(random, files),
        9 => {
            let (from, to) = [("a", "z"), ("a/b", "y"), ("c", "a/c"), ("z", "a")][random.below(4)];
            let renamed = files.clone().folder_renamed(from, to);
            if renamed.0.len() == files.0.len() && !is_tangled(&renamed) {
                *files = renamed;
            }
        }
        10 => {
            if let Some(path) = random.path(files) {
                let entry = files.0.get_mut(&path).unwrap();
                if entry.mode != 0o160000 {
                    entry.mode = [0o100644, 0o100755, 0o120000][random.below(3)];
                }
            }
        }
        _ => {
            let path = ["sub", "a/sub", "f1"][random.below(3)];
            if is_free(files, path) || files.0.contains_key(path) {
                let digit = ['a', 'b', 'c'][random.below(3)];
                *files = files.clone().with_submodule(path, digit);
            }
        }
    }
}

fn is_tangled(files: &Files) -> bool {
    files.0.keys().any(|path| {
        path.match_indices('/')
            .any(|(at, _)| files.0.contains_key(&path[..at]))
    })
}

fn edit(random: &mut Random, files: &mut Files) {
    let Some(path) = random.path(files) else {
        return;
    };
    let Entry { mode, content } = files.0.get_mut(&path).unwrap();
    if *mode == 0o160000 {
        return;
    }
    let mut lines: Vec<String> = String::from_utf8_lossy(content)
        .lines()
        .map(str::to_owned)
        .collect();
    let at = random.below(lines.len().max(1));
    let line = format!("edit {}", random.below(4));
    if at < lines.len() {
        lines[at] = line
    } else {
        lines.push(line)
    }
    *content = (lines.join("\n") + "\n").into_bytes();
}

fn rename(random: &mut Random, files: &mut Files) {
    let (Some(from), to) = (random.path(files), random.new_path()) else {
        return;
    };
    let entry = files.0.remove(&from).unwrap();
    let at = if is_free(files, &to) { to } else { from };
    files.0.insert(at, entry);
}

/// Commits of one history with their files; the last ones are its heads.
fn history(world: &World, random: &mut Random, seed: u64) -> Vec<(Oid, Files)> {
    let mut start = files()
        .with("f0", text("f0"))
        .with("a/f1", text("f1"))
        .with("a/f2", text("f2"));
    start = start
        .with("a/b/f3", text("f3"))
        .with("c/f4", text("f4"))
        .with("c/f5", text("f5"));
    let say = |at: usize| format!("commit {at} of history {seed}\n");
    let mut commits = vec![(world.commit_saying(&[], &start, &say(0)), start)];
    for at in 1..10 {
        let parent = random.below(commits.len());
        let (id, mut files) = commits[parent].clone();
        let mut parents = vec![id];
        // Some commits are merges that keep what one side has, which makes histories with several merge bases.
        if at > 3 && random.below(4) == 0 {
            let other = commits[random.below(commits.len())].0;
            if other != id {
                parents.push(other);
            }
        }
        for _ in 0..=random.below(3) {
            change(random, &mut files);
        }
        // Clocks are wrong now and then.
        let seconds = 1_600_000_000 + i64::try_from(at * 100 + random.below(150)).unwrap();
        commits.push((world.commit_at(&parents, &files, &say(at), seconds), files));
    }
    commits
}

#[tokio::test]
async fn random_histories_merge_as_git_merges_them() {
    let world = World::new().await;
    let (mut clean, mut conflicting) = (0, 0);
    for seed in 1..=HISTORIES {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let commits = history(&world, &mut random, seed);
        for _ in 0..3 {
            let ours = commits[random.below(commits.len())].0;
            let theirs = commits[commits.len() - 1 - random.below(4)].0;
            let merged = world.repos.merge_check(REPO, ours, theirs).await.unwrap();
            let expected = world.merged_by_git(ours, theirs);
            match (&merged, &expected) {
                (Merged::Conflicting(paths), Merged::Conflicting(by_git)) if by_git.is_empty() => {
                    assert!(!paths.is_empty())
                }
                _ => assert_eq!(merged, expected, "history {seed}: {ours} and {theirs}"),
            }
            match merged {
                Merged::Clean(_) => clean += 1,
                Merged::Conflicting(_) => conflicting += 1,
                Merged::Contained => {}
                Merged::Unrelated => panic!("both sides begin with the same commit"),
            }
        }
    }
    let counts = world.repos.merge_counts();
    println!("merges of random histories: {counts:?}, {clean} clean, {conflicting} conflicting");
    assert!(
        counts.trivial > 50 && conflicting > 50 && clean > 50,
        "the histories have become one-sided"
    );
}

#[tokio::test]
async fn random_histories_are_walked_as_git_walks_them() {
    let world = World::new().await;
    for seed in 1..=40 {
        let mut random = Random(seed * 7_919);
        let commits = history(&world, &mut random, seed);
        let (a, b) = (commits[9].0, commits[8].0);
        let (left, right) = (a.to_string(), b.to_string());

        let counts = world.git(&[
            "rev-list",
            "--left-right",
            "--count",
            &format!("{left}...{right}"),
        ]);
        let (behind, ahead) = counts.split_once('\t').unwrap();
        let expected = Distance {
            ahead: ahead.parse().unwrap(),
            behind: behind.parse().unwrap(),
        };
        assert_eq!(
            world.repos.distance(REPO, a, b).await.unwrap(),
            expected,
            "history {seed}"
        );

        let bases = world.git(&["merge-base", "--all", &left, &right]);
        let base = world.repos.merge_base(REPO, a, b).await.unwrap().unwrap();
        assert!(bases.lines().any(|id| oid(id) == base), "history {seed}");

        let listed = world.git(&["rev-list", &right, &format!("^{left}")]);
        let mut expected: Vec<Oid> = listed.lines().map(oid).collect();
        let walked = world.repos.commits(REPO, a, b, 100).await.unwrap();
        let mut ids: Vec<Oid> = walked.commits.iter().map(|commit| commit.id).collect();
        for (at, commit) in walked.commits.iter().enumerate() {
            assert!(
                commit
                    .parents
                    .iter()
                    .all(|parent| !ids[at..].contains(parent)),
                "history {seed}: a child comes first"
            );
        }
        ids.sort();
        expected.sort();
        assert_eq!(ids, expected, "history {seed}");

        let logged = world.git(&["log", "--format=%H", &right]);
        let expected: Vec<Oid> = logged.lines().map(oid).collect();
        let mut pages = Vec::new();
        loop {
            let skip = u32::try_from(pages.len()).unwrap();
            let page = world.repos.log(REPO, b, skip, 2).await.unwrap();
            pages.extend(page.commits.iter().map(|commit| commit.id));
            if !page.cut {
                break;
            }
        }
        assert_eq!(pages, expected, "history {seed}");
    }
}
