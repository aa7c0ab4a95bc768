//! The interface `read`.

use g1t_repos::{Branch, DiffPage, Error, FileStatus, Oid};

use crate::world::{REPO, World, edited, files, oid, text};

#[tokio::test]
async fn names_mean_commits() {
    let world = World::new().await;
    let commit = world.commit(&[], &files().with("a", "1"));
    world.set_ref("refs/heads/main", commit);
    world.set_ref("refs/heads/topic/x", commit);
    world.git(&[
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@x",
        "tag",
        "-a",
        "v1",
        "-m",
        "v1",
        &commit.to_string(),
    ]);
    let tree = world.tree_of(commit);

    for name in [
        "main",
        "topic/x",
        "refs/heads/main",
        "refs/tags/v1",
        &commit.to_string(),
        &world.git(&["rev-parse", "v1"]),
    ] {
        assert_eq!(
            world.repos.resolve(REPO, name).await.unwrap(),
            Some(commit),
            "{name}"
        );
    }
    for name in [
        "v1",
        "nothing",
        "main~1",
        "HEAD",
        "main:a",
        "--all",
        "",
        "../main",
        &tree.to_string(),
        &"1".repeat(40),
    ] {
        assert_eq!(
            world.repos.resolve(REPO, name).await.unwrap(),
            None,
            "{name}"
        );
    }
}

#[tokio::test]
async fn branches_come_in_pages_without_the_queues_own() {
    let world = World::new().await;
    let commit = world.commit(&[], &files().with("a", "1"));
    for name in ["b", "a", "g1t-queue/1-1", "c/d"] {
        world.set_ref(&format!("refs/heads/{name}"), commit);
    }
    world.set_ref("refs/tags/t", commit);
    world.git(&["pack-refs", "--all"]);
    world.set_ref("refs/heads/z", commit);
    let names = |branches: Vec<Branch>| {
        branches
            .into_iter()
            .map(|branch| branch.name)
            .collect::<Vec<_>>()
    };

    assert_eq!(
        names(world.repos.branches(REPO, None, 1_000).await.unwrap()),
        ["a", "b", "c/d", "z"]
    );
    assert_eq!(
        names(world.repos.branches(REPO, None, 2).await.unwrap()),
        ["a", "b"]
    );
    assert_eq!(
        names(world.repos.branches(REPO, Some("b"), 2).await.unwrap()),
        ["c/d", "z"]
    );
    for limit in [0, 1_001] {
        assert!(matches!(
            world.repos.branches(REPO, None, limit).await,
            Err(Error::Invalid(_))
        ));
    }
}

#[tokio::test]
async fn a_commit_is_its_own_ancestor() {
    let world = World::new().await;
    let first = world.commit(&[], &files().with("a", "1"));
    let second = world.commit(&[first], &files().with("a", "2"));
    assert!(world.repos.is_ancestor(REPO, first, second).await.unwrap());
    assert!(world.repos.is_ancestor(REPO, first, first).await.unwrap());
    assert!(!world.repos.is_ancestor(REPO, second, first).await.unwrap());
}

#[tokio::test]
async fn histories_without_a_common_commit_count_whole() {
    let world = World::new().await;
    let (a, b) = (
        world.commit(&[], &files().with("a", "1")),
        world.commit(&[], &files().with("b", "1")),
    );
    let b = world.commit(&[b], &files().with("b", "2"));
    let distance = world.repos.distance(REPO, a, b).await.unwrap();
    assert_eq!((distance.ahead, distance.behind), (2, 1));
    assert_eq!(world.repos.merge_base(REPO, a, b).await.unwrap(), None);
    assert_eq!(
        world
            .repos
            .changes(REPO, a, b, 10)
            .await
            .unwrap()
            .files
            .len(),
        1
    );
}

#[tokio::test]
async fn commits_come_oldest_first_and_say_when_they_are_cut() {
    let world = World::new().await;
    let base = world.commit(&[], &files().with("a", "0"));
    let mut head = base;
    for at in 1..=5 {
        head = world.commit_at(
            &[head],
            &files().with("a", at.to_string()),
            &format!("Change {at}\n\nText\n"),
            1_600_000_000 + at,
        );
    }
    let all = world.repos.commits(REPO, base, head, 5).await.unwrap();
    assert!(!all.cut);
    let messages: Vec<_> = all
        .commits
        .iter()
        .map(|commit| commit.message.as_str())
        .collect();
    assert_eq!(messages[0], "Change 1\n\nText\n");
    assert_eq!(messages[4], "Change 5\n\nText\n");
    assert_eq!(all.commits[0].parents, [base]);
    assert_eq!(all.commits[0].author.name, "Ada");
    assert_eq!(all.commits[0].author.when_ms, 1_600_000_001_000);
    assert!(!all.commits[0].has_signature);

    let cut = world.repos.commits(REPO, base, head, 2).await.unwrap();
    assert!(cut.cut);
    assert_eq!(cut.commits, all.commits[3..]);
}

#[tokio::test]
async fn a_signed_commit_is_seen_as_signed() {
    let world = World::new().await;
    let base = world.commit(&[], &files().with("a", "0"));
    let raw = world.raw();
    let unsigned = format!(
        "tree {}\nparent {base}\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nSigned\n",
        world.tree_of(base)
    );
    let signed = raw
        .commit_signed(
            &unsigned,
            "-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----",
            None,
        )
        .unwrap();
    let commits = world
        .repos
        .commits(REPO, base, oid(&signed.to_string()), 5)
        .await
        .unwrap();
    assert!(commits.commits[0].has_signature);
}

#[tokio::test]
#[expect(
    clippy::too_many_lines,
    reason = "one change of every kind, and the list of them"
)]
async fn changes_are_told_as_git_tells_them() {
    let world = World::new().await;
    let start = files()
        .with("edited", text("edited"))
        .with("moved", text("moved"))
        .with("moved-edited", text("moved-edited"))
        .with("gone", text("gone"))
        .with("run", text("run"))
        .with("kind", text("kind"))
        .with_submodule("sub", 'a');
    let base = world.commit(&[], &start);
    // The base moves on: that is not part of the change.
    let main = world.commit(&[base], &start.clone().with("elsewhere", "x"));
    let changed = start
        .with("edited", "12345")
        .renamed("moved", "there/moved")
        .without("moved-edited")
        .with("new-name", edited("moved-edited", 3, "x"))
        .without("gone")
        .with("added", "123")
        .with_mode("run", 0o100755)
        .with_link("kind", "added")
        .with_submodule("sub", 'b');
    let head = world.commit(&[base], &changed);

    let changes = world.repos.changes(REPO, main, head, 100).await.unwrap();

    let told: Vec<_> = changes
        .files
        .iter()
        .map(|file| {
            (
                file.path.as_str(),
                file.previous_path.as_deref(),
                file.status,
                file.size_bytes,
            )
        })
        .collect();
    let size = |text: String| u64::try_from(text.len()).unwrap();
    assert_eq!(
        told,
        [
            ("added", None, FileStatus::Added, 3),
            ("edited", None, FileStatus::Modified, 5),
            ("gone", None, FileStatus::Removed, 0),
            ("kind", None, FileStatus::Modified, 5),
            (
                "new-name",
                Some("moved-edited"),
                FileStatus::Renamed,
                size(edited("moved-edited", 3, "x"))
            ),
            ("run", None, FileStatus::ModeChanged, size(text("run"))),
            ("sub", None, FileStatus::Modified, 0),
            (
                "there/moved",
                Some("moved"),
                FileStatus::Renamed,
                size(text("moved"))
            ),
        ]
    );
    assert!(!changes.cut);
    let cut = world.repos.changes(REPO, main, head, 3).await.unwrap();
    assert!(cut.cut);
    assert_eq!(cut.files, changes.files[..3]);
}

#[tokio::test]
async fn lines_are_counted_as_git_counts_them_a_page_at_a_time() {
    let world = World::new().await;
    let start = files()
        .with("edited", "one\ntwo\nthree\n")
        .with("gone", "one\ntwo\n")
        .with("image", "a\0b\n")
        .with("moved", text("moved"))
        .with("large", "x\n".repeat(1 << 20) + "y\n");
    let base = world.commit(&[], &start);
    let changed = start
        .with("added", "last line without an end")
        .with("edited", "one\n2\nthree\nfour\n")
        .without("gone")
        .with("image", "a\0c\n")
        .renamed("moved", "there/moved")
        .with("large", "x\n".repeat(1 << 20) + "z\n");
    let head = world.commit(&[base], &changed);
    let page = |after: Option<&str>, skip, limit| {
        let after = after.map(str::to_owned);
        world
            .repos
            .diff(REPO, base, head, DiffPage { after, skip, limit })
    };
    let all = page(None, 0, 100).await.unwrap();
    let told: Vec<_> = all
        .files
        .iter()
        .map(|diff| (diff.file.path.as_str(), diff.additions, diff.deletions))
        .collect();
    assert_eq!(
        told,
        [
            ("added", 1, 0),
            ("edited", 2, 1),
            ("gone", 0, 2),
            ("image", 0, 0),
            // More than is compared.
            ("large", 0, 0),
            ("there/moved", 0, 0),
        ]
    );
    for diff in &all.files {
        let (commit, path) = match diff.file.status {
            FileStatus::Removed => (base, &diff.file.path),
            _ => (head, &diff.file.path),
        };
        let blob = world.git(&["rev-parse", &format!("{commit}:{path}")]);
        assert_eq!(diff.blob.to_string(), blob, "{path}");
    }
    assert!(!all.cut);
    let first = page(None, 0, 2).await.unwrap();
    assert_eq!((&first.files[..], first.cut), (&all.files[..2], true));
    let rest = page(Some("edited"), 1, 100).await.unwrap();
    assert_eq!((&rest.files[..], rest.cut), (&all.files[3..], false));
    assert!(matches!(page(None, 0, 0).await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn files_are_read_up_to_the_size_asked_for() {
    let world = World::new().await;
    let commit = world.commit(
        &[],
        &files().with("docs/a", "12345").with_submodule("sub", 'a'),
    );
    let read = async |path: &str, most| world.repos.read_file(REPO, commit, path, most).await;
    assert_eq!(read("docs/a", 5).await.unwrap(), Some(b"12345".to_vec()));
    assert!(matches!(read("docs/a", 4).await, Err(Error::Invalid(_))));
    for path in ["docs", "sub", "docs/b", "docs/a/b"] {
        assert_eq!(read(path, 5).await.unwrap(), None, "{path}");
    }
    for path in ["", "/docs/a", "docs/../docs/a", "docs//a"] {
        assert!(
            matches!(read(path, 5).await, Err(Error::Invalid(_))),
            "{path}"
        );
    }
}

#[tokio::test]
async fn an_id_of_something_else_is_not_a_commit() {
    let world = World::new().await;
    let commit = world.commit(&[], &files().with("a", "1"));
    let tree = world.tree_of(commit);
    let refused = world
        .repos
        .commits(REPO, commit, tree, 1)
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, Error::Invalid(why) if why.contains("is a tree")),
        "{refused:?}"
    );
    let zero = world
        .repos
        .distance(REPO, Oid::zero(), commit)
        .await
        .unwrap_err();
    assert!(matches!(zero, Error::NoObject(_)), "{zero:?}");
}
