//! The facts of a push that git holds back.

use std::path::PathBuf;

use g1t_repos::{Error, FileStatus, Oid, PushFacts, Quarantine, RefUpdate};

use crate::world::{Files, REPO, World, files, oid, text};

/// A repository with `main`, and a quarantine beside it as `git receive-pack` makes one.
struct Push {
    world: World,
    main: Oid,
    quarantine: Quarantine,
}

async fn push() -> Push {
    let world = World::new().await;
    let main = world.commit(&[], &start());
    world.set_ref("refs/heads/main", main);
    let objects = world.repos.path(REPO).join("objects");
    let held_back = objects.join("tmp_objdir-incoming-x");
    std::fs::create_dir(&held_back).unwrap();
    let quarantine =
        Quarantine::from_variables(held_back.to_str().unwrap(), objects.to_str().unwrap());
    Push {
        world,
        main,
        quarantine,
    }
}

fn start() -> Files {
    files().with("a", text("a")).with("b", text("b"))
}

impl Push {
    /// Makes objects that only the quarantine holds: everything that `make` writes is moved there.
    fn hold_back<T>(&self, make: impl FnOnce(&World) -> T) -> T {
        let objects = self.world.repos.path(REPO).join("objects");
        let before = loose(&objects);
        let made = make(&self.world);
        for path in loose(&objects)
            .into_iter()
            .filter(|path| !before.contains(path))
        {
            let to = self
                .quarantine
                .objects
                .join(path.strip_prefix(&objects).unwrap());
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::rename(&path, &to).unwrap();
        }
        made
    }

    async fn facts(&self, name: &str, old: Oid, new: Oid) -> PushFacts {
        let update = RefUpdate {
            name: name.into(),
            old,
            new,
        };
        self.facts_of(&[update]).await.unwrap().remove(0)
    }

    async fn facts_of(&self, updates: &[RefUpdate]) -> Result<Vec<PushFacts>, Error> {
        let repos = &self.world.repos;
        repos
            .push_facts(REPO, &self.quarantine, updates, "main")
            .await
    }
}

fn loose(objects: &PathBuf) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(objects)
        .unwrap()
        .flatten()
        .filter(|folder| folder.file_name().len() == 2);
    folders
        .flat_map(|folder| {
            std::fs::read_dir(folder.path())
                .unwrap()
                .flatten()
                .map(|file| file.path())
        })
        .collect()
}

fn messages(facts: &PushFacts) -> Vec<&str> {
    facts
        .commits
        .commits
        .iter()
        .map(|commit| commit.message.as_str())
        .collect()
}

fn paths(facts: &PushFacts) -> Vec<&str> {
    facts
        .files
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect()
}

#[tokio::test]
async fn a_push_tells_its_commits_and_files_before_they_are_stored() {
    let push = push().await;
    let (first, second) = push.hold_back(|world| {
        let first = world.commit_saying(&[push.main], &start().with("c", "12345"), "First");
        (
            first,
            world.commit_saying(&[first], &start().with("c", "12345").without("b"), "Second"),
        )
    });
    let facts = push.facts("refs/heads/main", push.main, second).await;
    assert!(facts.fast_forward);
    assert_eq!(messages(&facts), ["First", "Second"]);
    assert_eq!(paths(&facts), ["b", "c"]);
    assert_eq!(facts.files.files[1].status, FileStatus::Added);
    assert_eq!(facts.files.files[1].size_bytes, 5);
    // Nothing of it is in the repository.
    for id in [first, second] {
        assert_eq!(
            push.world
                .repos
                .resolve(REPO, &id.to_string())
                .await
                .unwrap(),
            None
        );
    }
}

#[tokio::test]
async fn objects_in_a_pack_are_seen_too() {
    let push = push().await;
    let head =
        push.hold_back(|world| world.commit_saying(&[push.main], &start().with("c", "1"), "First"));
    let packs = push.quarantine.objects.join("pack");
    std::fs::create_dir(&packs).unwrap();
    let status = std::process::Command::new("git")
        .args([
            "-C",
            push.world.repos.path(REPO).to_str().unwrap(),
            "repack",
            "-a",
            "-d",
            "-f",
            "-q",
        ])
        .status();
    assert!(status.unwrap().success());
    let listed = loose(&push.quarantine.objects);
    let ids: String = listed
        .iter()
        .map(|path| {
            path.strip_prefix(&push.quarantine.objects)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('/', "")
                + "\n"
        })
        .collect();
    let mut packing = std::process::Command::new("git")
        .args(["pack-objects", "-q", packs.join("pack").to_str().unwrap()])
        .current_dir(push.world.repos.path(REPO))
        .env("GIT_OBJECT_DIRECTORY", &push.quarantine.objects)
        .env(
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            push.world.repos.path(REPO).join("objects"),
        )
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut packing.stdin.take().unwrap(), ids.as_bytes()).unwrap();
    assert!(packing.wait().unwrap().success());
    listed
        .iter()
        .for_each(|path| std::fs::remove_file(path).unwrap());

    assert_eq!(
        messages(&push.facts("refs/heads/main", push.main, head).await),
        ["First"]
    );
}

#[tokio::test]
async fn a_rewound_branch_is_no_fast_forward() {
    let push = push().await;
    let ahead = push
        .world
        .commit_saying(&[push.main], &start().with("c", "1"), "Ahead");
    push.world.set_ref("refs/heads/main", ahead);
    let other = push.hold_back(|world| {
        world.commit_saying(&[push.main], &start().with("d", "another text"), "Other")
    });
    let facts = push.facts("refs/heads/main", ahead, other).await;
    assert!(!facts.fast_forward);
    assert_eq!(messages(&facts), ["Other"]);
    assert_eq!(paths(&facts), ["c", "d"]);
}

#[tokio::test]
async fn a_new_branch_is_compared_with_where_it_left_the_default_branch() {
    let push = push().await;
    let ahead = push
        .world
        .commit_saying(&[push.main], &start().with("moved-on", "1"), "Ahead");
    push.world.set_ref("refs/heads/main", ahead);
    let head =
        push.hold_back(|world| world.commit_saying(&[push.main], &start().with("c", "1"), "Topic"));
    let facts = push.facts("refs/heads/topic", Oid::zero(), head).await;
    assert!(facts.fast_forward);
    assert_eq!(messages(&facts), ["Topic"]);
    assert_eq!(paths(&facts), ["c"]);
}

#[tokio::test]
async fn the_first_push_is_compared_with_nothing() {
    let push = push().await;
    push.world
        .raw()
        .find_reference("refs/heads/main")
        .unwrap()
        .delete()
        .unwrap();
    let facts = push.facts("refs/heads/main", Oid::zero(), push.main).await;
    assert!(facts.fast_forward);
    assert_eq!(facts.commits.commits.len(), 1);
    assert_eq!(paths(&facts), ["a", "b"]);
}

#[tokio::test]
async fn another_history_is_compared_with_nothing() {
    let push = push().await;
    let stranger =
        push.hold_back(|world| world.commit_saying(&[], &files().with("x", "1"), "Stranger"));
    let created = push.facts("refs/heads/other", Oid::zero(), stranger).await;
    assert_eq!(paths(&created), ["x"]);
    let forced = push.facts("refs/heads/main", push.main, stranger).await;
    assert!(!forced.fast_forward);
    assert_eq!(messages(&forced), ["Stranger"]);
    assert_eq!(paths(&forced), ["a", "b", "x"]);
}

#[tokio::test]
async fn a_deleted_ref_brings_nothing() {
    let push = push().await;
    let facts = push.facts("refs/heads/main", push.main, Oid::zero()).await;
    assert_eq!(facts, PushFacts::default());
}

#[tokio::test]
async fn a_tag_stands_for_its_commit() {
    let push = push().await;
    let tag = push.hold_back(|world| {
        let commit = world.commit_saying(&[push.main], &start().with("c", "1"), "Tagged");
        oid(&tagged(world, &commit.to_string(), "commit"))
    });
    let facts = push.facts("refs/tags/v1", Oid::zero(), tag).await;
    assert!(facts.fast_forward);
    assert_eq!(messages(&facts), ["Tagged"]);
    assert_eq!(paths(&facts), ["c"]);
}

fn tagged(world: &World, id: &str, kind: &str) -> String {
    let tag = format!("object {id}\ntype {kind}\ntag v1\ntagger A <a@x> 1 +0000\n\nv1\n");
    world
        .raw()
        .odb()
        .unwrap()
        .write(git2::ObjectType::Tag, tag.as_bytes())
        .unwrap()
        .to_string()
}

#[tokio::test]
async fn a_ref_to_something_else_has_no_commits() {
    let push = push().await;
    let (blob, tag) = push.hold_back(|world| {
        let blob = world.raw().blob(b"a key").unwrap().to_string();
        (oid(&blob), oid(&tagged(world, &blob, "blob")))
    });
    for id in [blob, tag] {
        assert_eq!(
            push.facts("refs/tags/key", Oid::zero(), id).await,
            PushFacts::default()
        );
    }
}

/// Else rules about commits are evaded: what is pushed to a branch without rules first would bring nothing to `main`.
#[tokio::test]
async fn what_another_branch_has_is_new_to_this_one() {
    let push = push().await;
    let first = push
        .world
        .commit_saying(&[push.main], &start().with("c", "1"), "First");
    let second = push
        .world
        .commit_saying(&[first], &start().with("c", "2"), "Second");
    push.world.set_ref("refs/heads/scratch", second);
    let facts = push.facts("refs/heads/main", push.main, second).await;
    assert_eq!(messages(&facts), ["First", "Second"]);
    assert_eq!(paths(&facts), ["c"]);
    let facts = push.facts("refs/heads/release", Oid::zero(), second).await;
    assert_eq!(messages(&facts), ["First", "Second"]);
    // Of what the default branch has, nothing is new to a new branch.
    push.world.set_ref("refs/heads/main", first);
    let facts = push.facts("refs/heads/release", Oid::zero(), second).await;
    assert_eq!(messages(&facts), ["Second"]);
}

#[tokio::test]
async fn a_quarantine_elsewhere_is_refused() {
    let push = push().await;
    let update = RefUpdate {
        name: "refs/heads/main".into(),
        old: push.main,
        new: push.main,
    };
    let quarantine = Quarantine {
        objects: push.world.folder(),
        alternates: Vec::new(),
    };
    let updates = std::slice::from_ref(&update);
    let refused = push
        .world
        .repos
        .push_facts(REPO, &quarantine, updates, "main")
        .await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    let named = RefUpdate {
        name: "refs/heads/a..b".into(),
        ..update.clone()
    };
    let refused = push.facts_of(&[named]).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    let missing = RefUpdate {
        new: "1".repeat(40).parse().unwrap(),
        ..update.clone()
    };
    let refused = push.facts_of(&[update.clone(), missing]).await;
    assert!(matches!(refused, Err(Error::NoObject(_))), "{refused:?}");
    assert!(push.facts_of(&vec![update.clone(); 1_000]).await.is_ok());
    let refused = push.facts_of(&vec![update; 1_001]).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
}

#[tokio::test]
async fn each_ref_of_a_push_has_facts_of_its_own() {
    let push = push().await;
    let (one, two) = push.hold_back(|world| {
        let one = world.commit_saying(&[push.main], &start().with("c", "1"), "One");
        (
            one,
            world.commit_saying(&[one], &start().with("c", "1").with("d", "2"), "Two"),
        )
    });
    let update = |name: &str, new| RefUpdate {
        name: name.into(),
        old: Oid::zero(),
        new,
    };
    let updates = [
        update("refs/heads/two", two),
        update("refs/heads/gone", Oid::zero()),
        update("refs/heads/one", one),
    ];
    let facts = push.facts_of(&updates).await.unwrap();
    assert_eq!(messages(&facts[0]), ["One", "Two"]);
    assert_eq!(facts[1], PushFacts::default());
    assert_eq!(messages(&facts[2]), ["One"]);
    assert_eq!(paths(&facts[2]), ["c"]);
}
