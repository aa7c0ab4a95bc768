//! Moving branches.

use std::time::Duration;

use g1t_repos::limits::{LAND_WAIT, LOCK_WAIT};
use g1t_repos::{Error, Landed, Oid};

use crate::world::{REPO, World, files};

struct Chain {
    world: World,
    ids: Vec<Oid>,
}

/// `main` at the first of four commits in a row.
async fn chain() -> Chain {
    let world = World::new().await;
    let mut ids = vec![world.commit(&[], &files().with("a", "0"))];
    for at in 1..4 {
        ids.push(world.commit(&[ids[at - 1]], &files().with("a", at.to_string())));
    }
    world.set_ref("refs/heads/main", ids[0]);
    Chain { world, ids }
}

#[tokio::test]
async fn a_branch_moves_to_exactly_the_commit() {
    let Chain { world, ids } = chain().await;
    let lock = world.repos.lock(REPO).await.unwrap();
    assert_eq!(
        world
            .repos
            .land(&lock, "main", ids[0], ids[2])
            .await
            .unwrap(),
        Landed::Landed
    );
    assert_eq!(world.ref_target("refs/heads/main"), Some(ids[2]));
}

#[tokio::test]
async fn landing_again_moves_nothing() {
    let Chain { world, ids } = chain().await;
    let lock = world.repos.lock(REPO).await.unwrap();
    for _ in 0..2 {
        world
            .repos
            .land(&lock, "main", ids[0], ids[1])
            .await
            .unwrap();
    }
    world
        .repos
        .land(&lock, "main", ids[1], ids[2])
        .await
        .unwrap();
    assert_eq!(
        world
            .repos
            .land(&lock, "main", ids[0], ids[1])
            .await
            .unwrap(),
        Landed::Already
    );
    assert_eq!(world.ref_target("refs/heads/main"), Some(ids[2]));
}

#[tokio::test]
async fn a_branch_that_moved_meanwhile_is_left_alone() {
    let Chain { world, ids } = chain().await;
    world.set_ref("refs/heads/main", ids[1]);
    let lock = world.repos.lock(REPO).await.unwrap();
    assert_eq!(
        world
            .repos
            .land(&lock, "main", ids[0], ids[2])
            .await
            .unwrap(),
        Landed::Moved(ids[1])
    );
    assert_eq!(world.ref_target("refs/heads/main"), Some(ids[1]));
    assert_eq!(
        world
            .repos
            .land(&lock, "gone", ids[0], ids[2])
            .await
            .unwrap(),
        Landed::Moved(Oid::zero())
    );
}

#[tokio::test]
async fn nothing_lands_that_would_lose_commits() {
    let Chain { world, ids } = chain().await;
    world.set_ref("refs/heads/main", ids[3]);
    let beside = world.commit(&[ids[0]], &files().with("b", "1"));
    let lock = world.repos.lock(REPO).await.unwrap();
    let refused = world
        .repos
        .land(&lock, "main", ids[3], beside)
        .await
        .unwrap_err();
    assert!(matches!(refused, Error::Invalid(_)), "{refused:?}");
    assert_eq!(world.ref_target("refs/heads/main"), Some(ids[3]));
}

#[tokio::test]
async fn names_that_are_no_branches_are_refused() {
    let Chain { world, ids } = chain().await;
    let lock = world.repos.lock(REPO).await.unwrap();
    for name in [
        "",
        "-x",
        "a..b",
        "../main",
        "main.lock",
        "HEAD",
        "g1t-queue/1-1",
    ] {
        let refused = world.repos.land(&lock, name, ids[0], ids[1]).await;
        assert!(
            matches!(refused, Err(Error::Invalid(_))),
            "{name}: {refused:?}"
        );
    }
    for name in ["main", "g1t-queue", "g1t-queue/../main"] {
        let refused = world.repos.remove_queue_branch(REPO, name).await;
        assert!(
            matches!(refused, Err(Error::Invalid(_))),
            "{name}: {refused:?}"
        );
    }
    assert_eq!(world.ref_target("refs/heads/main"), Some(ids[0]));
}

#[tokio::test]
async fn a_queue_branch_goes_once() {
    let Chain { world, ids } = chain().await;
    world.set_ref("refs/heads/g1t-queue/1-1", ids[1]);
    world
        .repos
        .remove_queue_branch(REPO, "g1t-queue/1-1")
        .await
        .unwrap();
    assert_eq!(world.ref_target("refs/heads/g1t-queue/1-1"), None);
    world
        .repos
        .remove_queue_branch(REPO, "g1t-queue/1-1")
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_writer_at_a_time_and_nobody_waits_for_ever() {
    let world = World::new().await;
    let lock = world.repos.lock(REPO).await.unwrap();
    assert!(matches!(world.repos.lock(REPO).await, Err(Error::Busy(_))));
    let since = tokio::time::Instant::now();
    let refused = world.repos.lock_within(REPO, LAND_WAIT).await;
    assert!(matches!(refused, Err(Error::Busy(_))), "{refused:?}");
    assert!(since.elapsed() < LOCK_WAIT, "whoever lands has less time");
    let other = world.repos.lock(REPO + 1).await.unwrap();
    drop(lock);
    let again = tokio::time::timeout(Duration::from_secs(1), world.repos.lock(REPO)).await;
    assert_eq!(again.unwrap().unwrap().repository(), REPO);
    assert_eq!(other.repository(), REPO + 1);
}
