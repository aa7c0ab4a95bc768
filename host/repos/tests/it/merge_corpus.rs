//! Merges of every kind, each compared with `git merge-tree`.

use g1t_repos::Merged;

use crate::world::{Files, REPO, World, edited, files, text};

/// Who has to work the merge out. `Trivial` is what makes a queue fast, `ByGit` what keeps it right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Trivial,
    Git,
}

struct Case {
    name: &'static str,
    by: By,
    base: Files,
    ours: Files,
    theirs: Files,
}

/// Each case starts from the same files.
fn base() -> Files {
    files()
        .with("README", text("readme"))
        .with("src/main.c", text("main"))
        .with("src/lib.c", text("lib"))
        .with("src/deep/er.c", text("deep"))
        .with("src-tools/run", text("run"))
        .with("old/one", text("one"))
        .with("old/two", text("two"))
        .with(
            "picture",
            [&[0, 1, 2, 255], text("picture").as_bytes()].concat(),
        )
        .with_link("link", "README")
        .with_submodule("sub", 'a')
}

fn case(name: &'static str, by: By, ours: Files, theirs: Files) -> Case {
    Case {
        name,
        by,
        base: base(),
        ours,
        theirs,
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "a list of cases, one after the other"
)]
fn simple_cases() -> Vec<Case> {
    use By::Trivial;
    vec![
        case(
            "different files",
            Trivial,
            base().with("README", "x"),
            base().with("src/lib.c", "y"),
        ),
        case(
            "files in one folder",
            Trivial,
            base().with("src/main.c", "x"),
            base().with("src/lib.c", "y"),
        ),
        case(
            "both add",
            Trivial,
            base().with("src/a", "x"),
            base().with("new/folder/b", "y"),
        ),
        case(
            "one adds, one deletes",
            Trivial,
            base().with("a", "x"),
            base().without("README"),
        ),
        case(
            "both delete",
            Trivial,
            base().without("README"),
            base().without("src/lib.c"),
        ),
        case(
            "a folder becomes empty",
            Trivial,
            base().without("src/deep/er.c"),
            base().with("README", "x"),
        ),
        case(
            "nested folders become empty",
            Trivial,
            base().without("old/one").without("old/two"),
            base().with("a", "x"),
        ),
        case(
            "same edit on both sides",
            Trivial,
            base().with("README", "x"),
            base().with("README", "x").with("b", "y"),
        ),
        case(
            "same deletion on both sides",
            By::Git,
            base().without("README"),
            base().without("README").without("link"),
        ),
        case(
            "same addition on both sides",
            Trivial,
            base().with("a/b", "x"),
            base().with("a/b", "x").with("a/c", "y"),
        ),
        case(
            "mode here, another file there",
            Trivial,
            base().with_mode("README", 0o100755),
            base().with("src/lib.c", "y"),
        ),
        case(
            "same mode on both sides",
            Trivial,
            base().with_mode("README", 0o100755),
            base().with_mode("README", 0o100755).with("b", ""),
        ),
        case(
            "submodule moves on one side",
            Trivial,
            base().with_submodule("sub", 'b'),
            base().with("README", "x"),
        ),
        case(
            "link changes on one side",
            Trivial,
            base().with_link("link", "src"),
            base().with("README", "x"),
        ),
        case(
            "a file becomes a link",
            Trivial,
            base().with_link("README", "link"),
            base().with("src/lib.c", "y"),
        ),
        case(
            "a link becomes a submodule",
            Trivial,
            base().with_submodule("link", 'c'),
            base().with("src/lib.c", "y"),
        ),
        case(
            "a binary on one side",
            Trivial,
            base().with("picture", [0, 9, 9]),
            base().with("src/lib.c", "y"),
        ),
        case(
            "an empty file",
            Trivial,
            base().with("empty", ""),
            base().with("src/lib.c", ""),
        ),
        case(
            "rename here, edit of others there",
            Trivial,
            base().renamed("README", "READ.ME"),
            base().with("src/lib.c", "y"),
        ),
        case(
            "folder renamed here, edit of others there",
            Trivial,
            base().folder_renamed("old", "new"),
            base().with("README", "x"),
        ),
        case(
            "nothing on our side",
            Trivial,
            base(),
            base().with("README", "x").renamed("src/lib.c", "lib.c"),
        ),
        case(
            "a name that sorts beside its folder",
            Trivial,
            base().with("src.c", "x"),
            base().with("src/z", "y"),
        ),
        case(
            "odd names",
            Trivial,
            base().with("-x", "1").with("a b", "2"),
            base().with("ü", "3").with("q\"\\\t", "4"),
        ),
    ]
}

#[expect(
    clippy::too_many_lines,
    reason = "a list of cases, one after the other"
)]
fn hard_cases() -> Vec<Case> {
    use By::Git;
    vec![
        case(
            "both edit, apart",
            Git,
            base().with("README", edited("readme", 2, "x")),
            base().with("README", edited("readme", 18, "y")),
        ),
        case(
            "both edit, the same line",
            Git,
            base().with("README", edited("readme", 2, "x")),
            base().with("README", edited("readme", 2, "y")),
        ),
        case(
            "both change a binary",
            Git,
            base().with("picture", [0, 1]),
            base().with("picture", [0, 2]),
        ),
        case(
            "modify and delete",
            Git,
            base().with("README", "x"),
            base().without("README"),
        ),
        case(
            "delete and modify",
            Git,
            base().without("README"),
            base().with("README", "x"),
        ),
        case(
            "add and add",
            Git,
            base().with("a", "x\n"),
            base().with("a", "y\n"),
        ),
        case(
            "add and add, another mode",
            Git,
            base().with("a", "x"),
            base().with("a", "x").with_mode("a", 0o100755),
        ),
        case(
            "mode here, content there",
            Git,
            base().with_mode("README", 0o100755),
            base().with("README", edited("readme", 2, "x")),
        ),
        case(
            "submodule moves on both sides",
            Git,
            base().with_submodule("sub", 'b'),
            base().with_submodule("sub", 'c'),
        ),
        case(
            "link on both sides",
            Git,
            base().with_link("link", "a"),
            base().with_link("link", "b"),
        ),
        case(
            "rename here, edit there",
            Git,
            base().renamed("README", "READ.ME"),
            base().with("README", edited("readme", 2, "x")),
        ),
        case(
            "edit here, rename there",
            Git,
            base().with("README", edited("readme", 2, "x")),
            base().renamed("README", "READ.ME"),
        ),
        case(
            "rename and edit here, edit there",
            Git,
            base()
                .without("README")
                .with("READ.ME", edited("readme", 2, "x")),
            base().with("README", edited("readme", 18, "y")),
        ),
        case(
            "rename here, deletion there",
            Git,
            base().renamed("README", "READ.ME"),
            base().without("README"),
        ),
        case(
            "renamed to two names",
            Git,
            base().renamed("README", "a"),
            base().renamed("README", "b"),
        ),
        case(
            "two files renamed to one name",
            Git,
            base().renamed("README", "a"),
            base().renamed("src/lib.c", "a"),
        ),
        case(
            "same rename on both sides",
            Git,
            base().renamed("README", "a"),
            base().renamed("README", "a").with("b", ""),
        ),
        case(
            "both delete, one has a copy",
            Git,
            base().renamed("README", "copy"),
            base().without("README").with("src/lib.c", "y"),
        ),
        case(
            "folder renamed here, file added there",
            Git,
            base().folder_renamed("old", "new"),
            base().with("old/three", text("three")),
        ),
        case(
            "file added here, folder renamed there",
            Git,
            base().with("old/three", text("three")),
            base().folder_renamed("old", "new"),
        ),
        case(
            "folder renamed into a folder, file added",
            Git,
            base().folder_renamed("old", "src/old"),
            base().with("old/three", "3"),
        ),
        case(
            "folder split here, file added there",
            Git,
            base()
                .renamed("old/one", "x/one")
                .renamed("old/two", "y/two"),
            base().with("old/three", "3"),
        ),
        case(
            "file against folder",
            Git,
            base().with("new", "x"),
            base().with("new/file", "y"),
        ),
        case(
            "folder against file",
            Git,
            base().with("new/file", "y"),
            base().with("new", "x"),
        ),
        case(
            "a file becomes a folder, edit there",
            Git,
            base().without("README").with("README/a", "x"),
            base().with("README", "y"),
        ),
        case(
            "a file becomes a folder",
            By::Trivial,
            base().without("README").with("README/a", "x"),
            base().with("src/lib.c", "y"),
        ),
        case(
            "a folder becomes a file",
            By::Trivial,
            base()
                .without("old/one")
                .without("old/two")
                .with("old", "x"),
            base().with("src/lib.c", "y"),
        ),
    ]
}

/// What `.gitattributes` says matters where contents are merged, and only there.
fn attribute_cases() -> Vec<Case> {
    let with = |name, attributes: &str, ours: String, theirs: String| {
        let base = base().with(".gitattributes", attributes);
        Case {
            name,
            by: By::Git,
            ours: base.clone().with("README", ours),
            theirs: base.clone().with("README", theirs),
            base,
        }
    };
    let (top, bottom) = (edited("readme", 2, "x"), edited("readme", 18, "y"));
    let other_top = edited("readme", 2, "y");
    vec![
        with(
            "line ends",
            "* text eol=crlf\n",
            top.replace('\n', "\r\n"),
            bottom.clone(),
        ),
        with(
            "line ends, unsaid",
            "",
            top.replace('\n', "\r\n"),
            bottom.clone(),
        ),
        with("union", "* merge=union\n", top.clone(), other_top),
        with("no merging", "README -merge\n", top.clone(), bottom.clone()),
        with("binary by name", "README binary\n", top, bottom),
    ]
}

#[tokio::test]
async fn every_kind_of_merge_gives_what_git_gives() {
    let world = World::new().await;
    let (mut wrong, mut trivial, mut by_git) = (Vec::new(), 0, 0);
    for case in simple_cases()
        .into_iter()
        .chain(hard_cases())
        .chain(attribute_cases())
    {
        let base = world.commit(&[], &case.base);
        let ours = world.commit_saying(&[base], &case.ours, "ours");
        let theirs = world.commit_saying(&[base], &case.theirs, "theirs");
        let before = world.repos.merge_counts();
        let merged = world.repos.merge_check(REPO, ours, theirs).await.unwrap();
        let after = world.repos.merge_counts();
        let by = if after.trivial > before.trivial {
            By::Trivial
        } else {
            By::Git
        };
        match by {
            By::Trivial => trivial += 1,
            By::Git => by_git += 1,
        }
        if by != case.by {
            wrong.push(format!("{}: worked out by {by:?}", case.name));
        }
        let expected = world.merged_by_git(ours, theirs);
        if !same(&merged, &expected) {
            wrong.push(format!("{}: {merged:?}, git says {expected:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    println!("merges of the corpus: {trivial} trivial, {by_git} by git");
    world.expect_sound();
}

/// Git names no file for some conflicts; then only that there is one can be compared.
fn same(merged: &Merged, expected: &Merged) -> bool {
    match (merged, expected) {
        (Merged::Conflicting(ours), Merged::Conflicting(by_git)) if by_git.is_empty() => {
            !ours.is_empty()
        }
        _ => merged == expected,
    }
}

#[tokio::test]
async fn merges_in_both_directions_are_left_to_git() {
    let world = World::new().await;
    let root = world.commit(&[], &base());
    let left = world.commit_saying(
        &[root],
        &base().with("README", edited("readme", 2, "left")),
        "left",
    );
    let right = world.commit_saying(
        &[root],
        &base().with("README", edited("readme", 18, "right")),
        "right",
    );
    let both = edited("readme", 2, "left").replace("readme line 18\n", "right\n");
    let left_merge = world.commit_saying(
        &[left, right],
        &base().with("README", &both),
        "right into left",
    );
    let right_merge = world.commit_saying(
        &[right, left],
        &base().with("README", &both),
        "left into right",
    );
    let ours = world.commit_saying(
        &[left_merge],
        &base().with("README", both.replace("left", "LEFT")),
        "ours",
    );
    let theirs = world.commit_saying(
        &[right_merge],
        &base().with("README", both.replace("right", "RIGHT")),
        "theirs",
    );

    let merged = world.repos.merge_check(REPO, ours, theirs).await.unwrap();

    assert_eq!(
        world
            .git(&[
                "merge-base",
                "--all",
                &ours.to_string(),
                &theirs.to_string()
            ])
            .lines()
            .count(),
        2
    );
    assert_eq!(merged, world.merged_by_git(ours, theirs));
    assert_eq!(world.repos.merge_counts().by_git, 1);
}

#[tokio::test]
async fn histories_without_a_common_commit_do_not_merge() {
    let world = World::new().await;
    let ours = world.commit(&[], &files().with("a", "1"));
    let theirs = world.commit(&[], &files().with("b", "2"));
    let merged = world.repos.merge_check(REPO, ours, theirs).await.unwrap();
    assert_eq!(merged, Merged::Unrelated);
}

#[tokio::test]
async fn what_is_contained_needs_no_merge() {
    let world = World::new().await;
    let base = world.commit(&[], &base());
    let ahead = world.commit(&[base], &files().with("a", "1"));
    assert_eq!(
        world.repos.merge_check(REPO, ahead, base).await.unwrap(),
        Merged::Contained
    );
    assert_eq!(
        world.repos.merge_check(REPO, ahead, ahead).await.unwrap(),
        Merged::Contained
    );
    assert_eq!(
        world.repos.merge_check(REPO, base, ahead).await.unwrap(),
        Merged::Clean(world.tree_of(ahead))
    );
}

#[tokio::test]
async fn trees_of_old_git_are_left_to_git() {
    let world = World::new().await;
    let raw = world.raw();
    // A group-writable file, as git wrote it before 2005, and an empty folder, which git never writes.
    let blob = raw.blob(b"x").unwrap();
    let empty = raw.treebuilder(None).unwrap().write().unwrap();
    for (mode, id) in [("100664", blob), ("40000", empty)] {
        let base = world.commit_saying(&[], &base(), mode);
        let mut tree = format!("{mode} odd\0").into_bytes();
        tree.extend_from_slice(id.as_bytes());
        let tree = raw
            .odb()
            .unwrap()
            .write(git2::ObjectType::Tree, &tree)
            .unwrap();
        let odd = world.git(&[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@x",
            "commit-tree",
            "-p",
            &base.to_string(),
            "-m",
            "odd",
            &tree.to_string(),
        ]);
        let ours = world.commit(&[base], &crate::merge_corpus::base().with("README", "x"));
        let theirs = crate::world::oid(&odd);
        assert_eq!(
            world.repos.merge_check(REPO, ours, theirs).await.unwrap(),
            world.merged_by_git(ours, theirs)
        );
    }
    assert_eq!(world.repos.merge_counts().trivial, 0);
}
