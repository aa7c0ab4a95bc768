use super::*;
use spin_sdk::pg::DbValue;

fn repository_with(rank: i32) -> Repository {
    let row = Row::of(&[
        ("id", DbValue::Int64(3)),
        ("workspace_id", DbValue::Int64(1)),
        ("workspace", DbValue::Str("acme".into())),
        ("name", DbValue::Str("app".into())),
        ("description", DbValue::Str(String::new())),
        ("private", DbValue::Boolean(true)),
        ("default_branch", DbValue::Str("main".into())),
        ("topics", DbValue::ArrayStr(Vec::new())),
        ("allow_merge_commit", DbValue::Boolean(true)),
        ("allow_squash_merge", DbValue::Boolean(true)),
        ("allow_rebase_merge", DbValue::Boolean(true)),
        ("created_at_ms", DbValue::Int64(0)),
        ("updated_at_ms", DbValue::Int64(0)),
        ("pushed_at_ms", DbValue::DbNull),
        ("role_rank", DbValue::Int32(rank)),
    ]);
    Repository::from_row(&row).expect("every column is there")
}

#[test]
fn a_role_contains_the_weaker_ones() {
    let writer = repository_with(3);
    assert_eq!(writer.require(Role::Triage), Ok(()));
    let fault = writer
        .require(Role::Maintain)
        .expect_err("write is less than maintain");
    assert_eq!(
        fault.to_string(),
        "the role `maintain` on acme/app is needed; you have `write`"
    );
    assert_eq!(fault.status().as_u16(), 403);
}

#[test]
fn ranks_and_words_are_the_databases() {
    for (rank, word) in [
        (0, "none"),
        (1, "read"),
        (2, "triage"),
        (3, "write"),
        (4, "maintain"),
        (5, "admin"),
    ] {
        assert_eq!(role_word(role_of_rank(rank)), word);
        assert_eq!(role_of_word(word), Some(role_of_rank(rank)));
    }
    assert_eq!(role_of_word("push"), Some(Role::Write));
    assert_eq!(role_of_word("king"), None);
}

#[test]
fn what_agents_never_do_is_said_in_words() {
    assert_eq!(Need::Write.refused_to_agents(), None);
    for need in [Need::Checks, Need::Maintain, Need::Admin] {
        assert!(need.refused_to_agents().is_some(), "{need:?}");
    }
}
