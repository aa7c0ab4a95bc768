use super::*;
use g1t_kit::ActorKind;
use g1t_kit::shape::User;

/// A pull request that could be merged.
pub(crate) fn pull(state: PullState) -> Pull {
    Pull {
        id: 30,
        number: 3,
        title: "Add a fast path".to_owned(),
        body: String::new(),
        state,
        author: User {
            id: 7,
            login: "ada".to_owned(),
            kind: ActorKind::Person,
        },
        author_name: "Ada".to_owned(),
        author_email: "ada@example.org".to_owned(),
        base_branch: "main".to_owned(),
        head_branch: "fast".to_owned(),
        head_sha: "1".repeat(40),
        base_sha: "2".repeat(40),
        behind: 0,
        ahead: 1,
        changed_files: 1,
        mergeable: Mergeable::Clean,
        conflict_files: Vec::new(),
        last_pusher_id: None,
        merge_intent: None,
        merged_by: None,
        merge_commit_sha: None,
        merged_at_ms: None,
        closed_at_ms: None,
        created_at_ms: 0,
        updated_at_ms: 0,
    }
}

#[test]
fn the_hardest_obstacle_is_the_state() {
    assert_eq!(mergeable_state(&pull(PullState::Open), false), "clean");
    assert_eq!(mergeable_state(&pull(PullState::Open), true), "blocked");
    assert_eq!(mergeable_state(&pull(PullState::Draft), true), "draft");
    assert_eq!(mergeable_state(&pull(PullState::Merged), false), "unknown");
    let conflicting = Pull {
        mergeable: Mergeable::Conflicting,
        ..pull(PullState::Draft)
    };
    assert_eq!(mergeable_state(&conflicting, true), "dirty");
}

#[test]
fn nothing_is_said_while_it_is_being_found_out() {
    let checking = Pull {
        mergeable: Mergeable::Checking,
        ..pull(PullState::Open)
    };
    assert_eq!(mergeable(&checking), None);
    assert_eq!(mergeable(&pull(PullState::Merged)), None);
    assert_eq!(mergeable(&pull(PullState::Open)), Some(true));
}
