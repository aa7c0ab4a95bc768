use serde_json::json;

use super::Stored;
use super::gather::check_state;
use crate::bindings::g1t::rules::types;

fn stored() -> Stored {
    Stored {
        id: 7,
        name: "main".into(),
        target: "branch".into(),
        enforcement: "active".into(),
        include: vec!["~DEFAULT_BRANCH".into()],
        rules: json!([{ "type": "deletion" }, { "type": "pull_request", "parameters": { "x": 1 }, "applies_to": "agents" }]),
        bypass: json!([
            { "actor_type": "RepositoryRole", "actor_id": 5, "bypass_mode": "pull_request" },
            { "actor_type": "role", "actor_id": "maintain" },
            { "actor_type": "OrganizationAdmin" },
            { "actor_type": "Unheard", "actor_id": 3 },
        ]),
        ..Stored::default()
    }
}

#[test]
fn a_ruleset_reaches_the_judge_as_it_was_written() {
    let ruleset = stored().ruleset();
    assert_eq!(ruleset.id, 7);
    assert_eq!(ruleset.rules[0].parameters, "{}");
    assert_eq!(ruleset.rules[1].parameters, "{\"x\":1}");
    assert_eq!(ruleset.rules[1].applies_to, types::AppliesTo::Agents);
}

#[test]
fn a_bypass_nobody_can_read_bypasses_nothing() {
    let bypass = stored().ruleset().bypass;
    assert_eq!(bypass.len(), 3);
    assert!(matches!(
        bypass[0].actor,
        types::BypassActor::Role(types::Role::Admin)
    ));
    assert_eq!(bypass[0].mode, types::BypassMode::PullRequests);
    assert!(matches!(
        bypass[1].actor,
        types::BypassActor::Role(types::Role::Maintain)
    ));
    assert!(matches!(bypass[2].actor, types::BypassActor::Owner));
}

#[test]
fn what_says_nothing_is_neither_passed_nor_failed() {
    assert_eq!(check_state("skipped"), types::CheckState::Passed);
    assert_eq!(check_state("error"), types::CheckState::Failed);
    assert_eq!(check_state("cancelled"), types::CheckState::NoVerdict);
    assert_eq!(check_state("in_progress"), types::CheckState::Running);
}
