//! Making repositories.

use g1t_repos::{Error, Oid, Repos};
use tempfile::TempDir;

use crate::world::{REPO, World, files};

#[tokio::test]
async fn creating_twice_changes_nothing() {
    let world = World::new().await;
    let commit = world.commit(&[], &files().with("a", "1"));
    world.set_ref("refs/heads/main", commit);
    world.repos.create(REPO, "other").await.unwrap();
    assert_eq!(
        world.repos.resolve(REPO, "main").await.unwrap(),
        Some(commit)
    );
    assert_eq!(world.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
}

#[tokio::test]
async fn many_may_create_at_once() {
    let folder = TempDir::new().unwrap();
    let repos = Repos::open(folder.path(), None).unwrap();
    let creating: Vec<_> = (0..8)
        .map(|_| {
            let repos = repos.clone();
            tokio::spawn(async move { repos.create(1, "main").await })
        })
        .collect();
    for created in creating {
        created.await.unwrap().unwrap();
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "something was left behind"
    );
}

#[tokio::test]
async fn a_new_repository_does_what_the_judge_needs() {
    let folder = TempDir::new().unwrap();
    let hooks = folder.path().join("hooks");
    let repos = Repos::open(folder.path().join("repos"), Some(hooks.clone())).unwrap();
    repos.create(1, "trunk").await.unwrap();
    let config = git2::Config::open(&repos.path(1).join("config")).unwrap();
    assert_eq!(
        config.get_string("core.hooksPath").unwrap(),
        hooks.to_str().unwrap()
    );
    assert!(config.get_bool("core.bare").unwrap());
    assert!(config.get_bool("receive.fsckObjects").unwrap());
    assert!(!config.get_bool("receive.denyDeletes").unwrap());
    assert_eq!(config.get_i32("gc.auto").unwrap(), 0);
    assert_eq!(
        std::fs::read_to_string(repos.path(1).join("HEAD")).unwrap(),
        "ref: refs/heads/trunk\n"
    );
}

#[tokio::test]
async fn half_made_repositories_are_not_repositories() {
    let folder = TempDir::new().unwrap();
    let unfinished = folder.path().join(".new-1-2-3-4");
    std::fs::create_dir(&unfinished).unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(10_000);
    std::fs::File::open(&unfinished)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    let young = folder.path().join(".new-1-2-3-5");
    std::fs::create_dir(&young).unwrap();

    let repos = Repos::open(folder.path(), None).unwrap();

    assert!(!repos.exists(1));
    assert!(!unfinished.exists());
    assert!(young.exists(), "somebody may be making this one now");
}

#[tokio::test]
async fn what_is_not_there_is_said_to_be_missing() {
    let world = World::new().await;
    let missing = world.repos.resolve(8, "main").await.unwrap_err();
    assert!(matches!(missing, Error::NoRepository(8)), "{missing:?}");
    let id: Oid = "1".repeat(40).parse().unwrap();
    let missing = world.repos.distance(REPO, id, id).await.unwrap_err();
    assert!(
        matches!(missing, Error::NoObject(missing) if missing == id),
        "{missing:?}"
    );
    let refused = world.repos.create(9, "--upload-pack=x").await.unwrap_err();
    assert!(matches!(refused, Error::Invalid(_)), "{refused:?}");
    assert!(!world.repos.exists(9));
}
