//! Building candidates.

use g1t_repos::limits::REPLAYED_COMMITS;
use g1t_repos::{Built, Error, MergeMethod, Merged, Oid};

use crate::world::{Files, REPO, STEP_SECONDS, World, candidate, edited, files, oid, step, text};

fn start() -> Files {
    files()
        .with("a", text("a"))
        .with("b", text("b"))
        .with("c", text("c"))
}

struct Story {
    world: World,
    /// Main's head, one commit after `fork`.
    main: Oid,
    fork: Oid,
}

/// Main has moved on in `c` since the branches of the tests were cut.
async fn story() -> Story {
    let world = World::new().await;
    let fork = world.commit(&[], &start());
    let main = world.commit_saying(
        &[fork],
        &start().with("c", edited("c", 1, "moved on")),
        "Move on",
    );
    Story { world, main, fork }
}

#[tokio::test]
async fn merge_makes_a_commit_with_two_parents() {
    let Story { world, main, fork } = story().await;
    let head = world.commit(&[fork], &start().with("a", edited("a", 2, "x")));
    let made = candidate(world.build(&step(MergeMethod::Merge, main, head)).await);
    assert_eq!(world.parents_of(made), [main, head]);
    assert_eq!(
        world.git(&[
            "log",
            "-1",
            "--format=%an <%ae> %at|%cn <%ce> %ct|%B",
            &made.to_string()
        ]),
        format!(
            "g1t <g1t@example.org> {STEP_SECONDS}|g1t <g1t@example.org> {STEP_SECONDS}|Add it (#1)\n\nBecause."
        )
    );
    assert_eq!(world.changed(main, made), ["a"]);
    world.expect_sound();
}

#[tokio::test]
async fn squash_makes_one_commit_by_the_author() {
    let Story { world, main, fork } = story().await;
    let first = world.commit(&[fork], &start().with("a", edited("a", 2, "x")));
    let head = world.commit(&[first], &start().with("a", edited("a", 2, "y")));
    let made = candidate(world.build(&step(MergeMethod::Squash, main, head)).await);
    assert_eq!(world.parents_of(made), [main]);
    assert_eq!(
        world.git(&["log", "-1", "--format=%an|%cn|%s", &made.to_string()]),
        "Ada|g1t|Add it (#1)"
    );
    assert_eq!(world.changed(main, made), ["a"]);
    world.expect_sound();
}

#[tokio::test]
async fn rebase_keeps_authors_times_and_messages() {
    let Story { world, main, fork } = story().await;
    let first = world.commit_at(
        &[fork],
        &start().with("a", edited("a", 2, "x")),
        "First\n\nIts text\n",
        1_500_000_000,
    );
    let head = world.commit_at(
        &[first],
        &start().with("a", edited("a", 2, "x")).with("d", "d"),
        "Second\n",
        1_500_000_100,
    );
    let made = candidate(world.build(&step(MergeMethod::Rebase, main, head)).await);
    let log = world.git(&[
        "log",
        "--reverse",
        "--format=%an %at %cn %ct %B",
        &format!("{main}..{made}"),
    ]);
    assert_eq!(
        log,
        format!(
            "Ada 1500000000 g1t {STEP_SECONDS} First\n\nIts text\n\nAda 1500000100 g1t {STEP_SECONDS} Second"
        )
    );
    assert_eq!(world.changed(main, made), ["a", "d"]);
    world.expect_sound();
}

#[tokio::test]
async fn a_replayed_message_keeps_its_bytes() {
    let Story { world, main, fork } = story().await;
    let changed = world.commit(&[fork], &start().with("a", "x"));
    let mut bytes = format!(
        "tree {}\nparent {fork}\nauthor Ad\u{e4} <a@x> 1 +0530\n",
        world.tree_of(changed)
    )
    .into_bytes();
    bytes.extend_from_slice(b"committer A <a@x> 1 +0000\nencoding ISO-8859-1\n\nGr\xfc\xdfe\n");
    let head = world
        .raw()
        .odb()
        .unwrap()
        .write(git2::ObjectType::Commit, &bytes)
        .unwrap();
    let made = candidate(
        world
            .build(&step(MergeMethod::Rebase, main, oid(&head.to_string())))
            .await,
    );
    let raw = world.raw();
    let odb = raw.odb().unwrap();
    let object = odb.read(crate::world::raw_id(made)).unwrap();
    let ends = b"\nencoding ISO-8859-1\n\nGr\xfc\xdfe\n";
    assert!(
        object.data().ends_with(ends),
        "{}",
        String::from_utf8_lossy(object.data())
    );
    assert!(String::from_utf8_lossy(object.data()).contains("author Ad\u{e4} <a@x> 1 +0530\n"));
}

#[tokio::test]
async fn a_replay_that_changes_nothing_keeps_the_commits() {
    let Story { world, main, .. } = story().await;
    let first = world.commit(
        &[main],
        &start().with("c", edited("c", 1, "moved on")).with("a", "x"),
    );
    let head = world.commit(
        &[first],
        &start().with("c", edited("c", 1, "moved on")).with("a", "y"),
    );
    assert_eq!(
        world.build(&step(MergeMethod::Rebase, main, head)).await,
        Built::Candidate(head)
    );
}

#[tokio::test]
async fn a_commit_that_main_has_already_is_dropped() {
    let Story { world, main, fork } = story().await;
    let same = world.commit(&[fork], &start().with("c", edited("c", 1, "moved on")));
    let head = world.commit_saying(
        &[same],
        &start().with("c", edited("c", 1, "moved on")).with("a", "x"),
        "Own",
    );
    let made = candidate(world.build(&step(MergeMethod::Rebase, main, head)).await);
    assert_eq!(world.parents_of(made), [main]);
    assert_eq!(
        world.git(&["log", "-1", "--format=%s", &made.to_string()]),
        "Own"
    );
    assert_eq!(
        world.build(&step(MergeMethod::Rebase, main, same)).await,
        Built::Contained
    );
    assert_eq!(
        world.build(&step(MergeMethod::Squash, main, same)).await,
        Built::Contained
    );
}

#[tokio::test]
async fn a_commit_that_was_empty_from_the_start_is_kept() {
    let Story { world, main, fork } = story().await;
    let empty = world.commit_saying(&[fork], &start(), "Trigger it");
    let head = world.commit(&[empty], &start().with("a", "x"));
    let made = candidate(world.build(&step(MergeMethod::Rebase, main, head)).await);
    assert_eq!(
        world.git(&["rev-list", "--count", &format!("{main}..{made}")]),
        "2"
    );
}

#[tokio::test]
async fn fast_forward_lands_the_head_itself_or_nothing() {
    let Story { world, main, fork } = story().await;
    let ahead = world.commit(&[main], &start());
    let beside = world.commit(&[fork], &start().with("a", "x"));
    assert_eq!(
        world
            .build(&step(MergeMethod::FastForward, main, ahead))
            .await,
        Built::Candidate(ahead)
    );
    assert_eq!(
        world
            .build(&step(MergeMethod::FastForward, main, beside))
            .await,
        Built::NotFastForward
    );
}

const METHODS: [MergeMethod; 4] = [
    MergeMethod::Merge,
    MergeMethod::Squash,
    MergeMethod::Rebase,
    MergeMethod::FastForward,
];

#[tokio::test]
async fn what_is_contained_is_not_landed_again() {
    let Story { world, main, fork } = story().await;
    for method in METHODS {
        assert_eq!(
            world.build(&step(method, main, fork)).await,
            Built::Contained,
            "{method:?}"
        );
        assert_eq!(
            world.build(&step(method, main, main)).await,
            Built::Contained,
            "{method:?}"
        );
    }
}

#[tokio::test]
async fn a_conflict_names_the_files() {
    let Story { world, main, fork } = story().await;
    let head = world.commit(
        &[fork],
        &start()
            .with("c", edited("c", 1, "otherwise"))
            .with("a", "x"),
    );
    for method in [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase] {
        assert_eq!(
            world.build(&step(method, main, head)).await,
            Built::Conflicting(vec!["c".into()]),
            "{method:?}"
        );
    }
    // A merge in the branch that has nothing to do with it resolves nothing.
    let beside = world.commit(&[fork], &start().with("b", "y"));
    let conflicting = start()
        .with("c", edited("c", 1, "otherwise"))
        .with("a", "x");
    let merge = world.commit(&[head, beside], &conflicting.with("b", "y"));
    assert_eq!(
        world.build(&step(MergeMethod::Rebase, main, merge)).await,
        Built::Conflicting(vec!["c".into()])
    );
}

#[tokio::test]
async fn the_same_step_gives_the_same_commit() {
    let Story { world, main, fork } = story().await;
    let head = world.commit(&[fork], &start().with("a", edited("a", 2, "x")));
    for method in [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase] {
        let once = candidate(world.build(&step(method, main, head)).await);
        let again = candidate(world.build(&step(method, main, head)).await);
        assert_eq!(once, again, "{method:?}");
    }
}

#[tokio::test]
async fn the_queue_branch_is_put_back_when_somebody_moved_it() {
    let Story { world, main, fork } = story().await;
    let head = world.commit(&[fork], &start().with("a", "x"));
    let mut step = step(MergeMethod::Merge, main, head);
    step.branch = Some("g1t-queue/5-2".into());
    let made = candidate(world.build(&step).await);
    assert_eq!(world.ref_target("refs/heads/g1t-queue/5-2"), Some(made));
    world.set_ref("refs/heads/g1t-queue/5-2", fork);
    assert_eq!(candidate(world.build(&step).await), made);
    assert_eq!(world.ref_target("refs/heads/g1t-queue/5-2"), Some(made));
}

#[tokio::test]
async fn no_other_branch_is_ever_set() {
    let Story { world, main, fork } = story().await;
    world.set_ref("refs/heads/main", main);
    let head = world.commit(&[fork], &start().with("a", "x"));
    for name in [
        "main",
        "g1t-queue",
        "g1t-queue/",
        "g1t-queue/../main",
        "x/g1t-queue/1",
    ] {
        let mut step = step(MergeMethod::Merge, main, head);
        step.branch = Some(name.into());
        let refused = world.repos.build_queue_step(REPO, step).await;
        assert!(
            matches!(refused, Err(Error::Invalid(_))),
            "{name}: {refused:?}"
        );
    }
    assert_eq!(
        world.git(&["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main"
    );
}

/// MQ-01: squashing a group must not undo earlier work.
#[tokio::test]
async fn each_candidate_changes_its_own_files_and_undoes_nothing() {
    let world = World::new().await;
    let old = world.commit(&[], &start().with("c", edited("c", 20, "older")));
    let between = world.commit(&[old], &start().with("c", edited("c", 20, "old")));
    let main = world.commit(&[between], &start());
    let one = world.commit(&[main], &start().with("a", edited("a", 5, "one")));
    let two = world.commit(&[main], &start().with("b", edited("b", 5, "two")));
    let three = world.commit(
        &[old],
        &start().with(
            "c",
            edited("c", 20, "older").replace("c line 5\n", "three\n"),
        ),
    );

    let first = candidate(world.build(&step(MergeMethod::Squash, main, one)).await);
    let second = candidate(world.build(&step(MergeMethod::Squash, first, two)).await);
    let third = candidate(world.build(&step(MergeMethod::Squash, second, three)).await);

    assert_eq!(world.changed(main, first), ["a"]);
    assert_eq!(world.changed(first, second), ["b"]);
    assert_eq!(world.changed(second, third), ["c"]);
    let all = start()
        .with("a", edited("a", 5, "one"))
        .with("b", edited("b", 5, "two"))
        .with("c", edited("c", 5, "three"));
    assert_eq!(world.tree_of(third), world.tree_of(world.commit(&[], &all)));
}

/// A ref that tells git to read another object must not smuggle its lines into a candidate.
#[tokio::test]
async fn a_replaced_object_changes_no_candidate() {
    let Story { world, main, fork } = story().await;
    let mine = start().with("c", edited("c", 20, "mine"));
    let head = world.commit(&[fork], &mine);
    let blob = world.git(&["rev-parse", &format!("{head}:c")]);
    let smuggled = edited("c", 20, "mine") + "smuggled\n";
    let other = world.raw().blob(smuggled.as_bytes()).unwrap().to_string();
    world.set_ref(&format!("refs/replace/{blob}"), oid(&other));
    for method in [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase] {
        let made = candidate(world.build(&step(method, main, head)).await);
        let c = edited("c", 20, "mine").replace("c line 1\n", "moved on\n");
        let whole = world.commit(&[], &start().with("c", c));
        assert_eq!(world.tree_of(made), world.tree_of(whole), "{method:?}");
    }
}

/// MQ-13: a branch that merged main into itself and resolved a conflict by hand.
#[tokio::test]
async fn a_replay_never_loses_a_resolution() {
    let Story { world, main, fork } = story().await;
    let by_branch = start().with("c", edited("c", 1, "by the branch"));
    let p = world.commit(&[fork], &by_branch);
    let resolved = start().with("c", edited("c", 1, "resolved"));
    let merge = world.commit(&[p, main], &resolved);
    let q = world.commit(&[merge], &resolved.clone().with("a", "x"));
    let built = world.build(&step(MergeMethod::Rebase, main, q)).await;
    assert_eq!(built, Built::NotRebasable(vec!["c".into()]));

    // The merge adds something of its own where nothing conflicts: the replay would go through, and lose it.
    let p = world.commit_saying(&[fork], &start().with("b", "by the branch"), "p");
    let moved_on = start()
        .with("c", edited("c", 1, "moved on"))
        .with("b", "by the branch");
    let merge = world.commit(&[p, main], &moved_on.clone().with("by-hand", "1"));
    let q = world.commit(&[merge], &moved_on.with("by-hand", "1").with("a", "x"));
    let built = world.build(&step(MergeMethod::Rebase, main, q)).await;
    assert_eq!(built, Built::NotRebasable(vec!["by-hand".into()]));
}

#[tokio::test]
async fn a_branch_with_a_plain_merge_can_be_replayed() {
    let Story { world, main, fork } = story().await;
    let p = world.commit(&[fork], &start().with("b", "by the branch"));
    let moved_on = start()
        .with("c", edited("c", 1, "moved on"))
        .with("b", "by the branch");
    let merge = world.commit(&[p, main], &moved_on);
    let q = world.commit(&[merge], &moved_on.with("a", "x"));
    let made = candidate(world.build(&step(MergeMethod::Rebase, main, q)).await);
    assert_eq!(world.tree_of(made), world.tree_of(q));
    assert_eq!(
        world.git(&[
            "rev-list",
            "--count",
            "--merges",
            &format!("{main}..{made}")
        ]),
        "0"
    );
}

#[tokio::test]
async fn a_branch_of_another_history_is_told_as_such() {
    let Story { world, main, .. } = story().await;
    let stranger = world.commit(&[], &files().with("x", "1"));
    for method in [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase] {
        let built = world.build(&step(method, main, stranger)).await;
        assert_eq!(built, Built::Unrelated, "{method:?}");
    }
    let merged = world.repos.merge_check(REPO, main, stranger).await.unwrap();
    assert_eq!(merged, Merged::Unrelated);
    assert_eq!(
        world
            .build(&step(MergeMethod::FastForward, main, stranger))
            .await,
        Built::NotFastForward
    );
}

#[tokio::test]
async fn a_history_that_was_merged_in_is_replayed_too() {
    let Story { world, main, fork } = story().await;
    let stranger = world.commit_saying(&[], &files().with("x", text("x")), "Another beginning");
    let head = world.commit(&[fork, stranger], &start().with("x", text("x")));
    let made = candidate(world.build(&step(MergeMethod::Rebase, main, head)).await);
    assert_eq!(world.changed(main, made), ["x"]);
    assert_eq!(world.parents_of(made), [main]);
}

#[tokio::test]
async fn so_many_commits_are_replayed_and_no_more() {
    let Story { world, main, fork } = story().await;
    let mut head = world.commit(&[fork], &start().with("a", "x"));
    for _ in 1..REPLAYED_COMMITS {
        head = world.commit(&[head], &start().with("a", "x"));
    }
    candidate(world.build(&step(MergeMethod::Rebase, main, head)).await);
    let head = world.commit(&[head], &start().with("a", "y"));
    let built = world.build(&step(MergeMethod::Rebase, main, head)).await;
    assert_eq!(built, Built::TooManyCommits);
    candidate(world.build(&step(MergeMethod::Squash, main, head)).await);
}
