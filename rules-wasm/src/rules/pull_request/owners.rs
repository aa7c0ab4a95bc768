//! Which files still need a code owner's approval.

use super::reviews::is_same_login;
use crate::bypass::plain_team;
use crate::types::{CodeOwner, Review};

/// Files, and who could approve them, that lack approvals. A file that nobody owns needs none.
pub(super) fn lacking<'a>(owned: &'a [CodeOwner], approvals: &[&Review]) -> Vec<&'a CodeOwner> {
    owned
        .iter()
        .filter(|file| !file.owners.is_empty())
        .filter(|file| {
            let given = approvals
                .iter()
                .filter(|approval| is_owner(file, approval))
                .count();
            u32::try_from(given).is_ok_and(|given| given < file.required)
        })
        .collect()
}

fn is_owner(file: &CodeOwner, approval: &Review) -> bool {
    file.owners
        .iter()
        .any(|owner| match owner.strip_prefix("team:") {
            Some(team) => {
                let team = plain_team(team);
                approval
                    .reviewer_teams
                    .iter()
                    .any(|own| plain_team(own) == team)
            }
            None => is_same_login(owner.trim_start_matches('@'), &approval.reviewer),
        })
}

/// An owner as people write it: `@kim`, `the team core`.
pub(super) fn spoken(owner: &str) -> String {
    match owner.strip_prefix("team:") {
        Some(team) => format!("team {team}"),
        None => format!("@{}", owner.trim_start_matches('@')),
    }
}
