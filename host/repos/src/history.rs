//! Walking commits.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::error::Doing;
use crate::limits::{MESSAGE_BYTES, MESSAGES_BYTES};
use crate::store::Work;
use crate::{Commit, Commits, Oid, Result, Signature};

/// All best common ancestors; empty for histories without one. More than one after merges in both directions.
pub(crate) fn merge_bases(work: &Work, a: git2::Oid, b: git2::Oid) -> Result<Vec<git2::Oid>> {
    match work.repo.merge_bases(a, b) {
        Ok(bases) => Ok(bases.iter().copied().collect()),
        Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).doing("find the common ancestor"),
    }
}

/// Commits that `head` has and none of `hidden` does, oldest first. The newest `limit` when there are more.
pub(crate) fn commits(
    work: &Work,
    head: git2::Oid,
    hidden: &[git2::Oid],
    limit: usize,
) -> Result<Commits> {
    let (mut ids, mut cut) = ids(work, head, hidden, limit)?;
    ids.reverse();
    let mut commits = Vec::new();
    let mut message_bytes = 0;
    // From the newest, so that what is left out is the oldest.
    for id in ids.iter().rev() {
        work.check_time()?;
        let commit = commit(&work.repo.find_commit(*id).doing("read a commit")?);
        message_bytes += commit.message.len();
        if message_bytes > MESSAGES_BYTES {
            cut = true;
            break;
        }
        commits.push(commit);
    }
    commits.reverse();
    Ok(Commits { commits, cut })
}

/// Ids of the commits that `head` has and none of `hidden` does, children before parents, and whether there were more
/// than `limit`.
pub(crate) fn ids(
    work: &Work,
    head: git2::Oid,
    hidden: &[git2::Oid],
    limit: usize,
) -> Result<(Vec<git2::Oid>, bool)> {
    // A walk in order reads the whole history first. An unordered one can stop early, so it counts.
    let mut counted = 0;
    for id in walk(work, head, hidden, git2::Sort::NONE)? {
        id.doing("walk the history")?;
        work.check_time()?;
        counted += 1;
        if counted > limit {
            break;
        }
    }
    let sorting = if counted > limit {
        git2::Sort::NONE
    } else {
        git2::Sort::TOPOLOGICAL | git2::Sort::TIME
    };
    let mut ids = Vec::with_capacity(counted.min(limit));
    for id in walk(work, head, hidden, sorting)?.take(limit) {
        work.check_time()?;
        ids.push(id.doing("walk the history")?);
    }
    Ok((ids, counted > limit))
}

/// The history of `head` from the `skip`th commit on, newest first, as `git log` orders it: by date, a commit never before
/// it was seen as somebody's parent, and of equal dates the one that was seen first. (The library's own walk by date does
/// not say which of equal dates comes first, and pages must not shift.)
pub(crate) fn log(work: &Work, head: git2::Oid, skip: usize, limit: usize) -> Result<Commits> {
    let mut seen = HashSet::from([head]);
    let mut waiting = BinaryHeap::new();
    let find = |id| work.repo.find_commit(id).doing("read a commit");
    waiting.push((find(head)?.time().seconds(), Reverse(0), head));
    let (mut commits, mut passed) = (Vec::new(), 0);
    while let Some((_, _, id)) = waiting.pop() {
        work.check_time()?;
        if commits.len() == limit {
            return Ok(Commits { commits, cut: true });
        }
        let found = find(id)?;
        for parent in found.parent_ids() {
            if seen.insert(parent) {
                let order = Reverse(seen.len());
                waiting.push((find(parent)?.time().seconds(), order, parent));
            }
        }
        if passed < skip {
            passed += 1;
        } else {
            commits.push(commit(&found));
        }
    }
    Ok(Commits {
        commits,
        cut: false,
    })
}

fn walk<'w>(
    work: &'w Work,
    head: git2::Oid,
    hidden: &[git2::Oid],
    sorting: git2::Sort,
) -> Result<git2::Revwalk<'w>> {
    let mut walk = work.repo.revwalk().doing("walk the history")?;
    walk.set_sorting(sorting).doing("walk the history")?;
    walk.push(head).doing("walk the history")?;
    for id in hidden {
        walk.hide(*id).doing("walk the history")?;
    }
    Ok(walk)
}

fn commit(commit: &git2::Commit<'_>) -> Commit {
    Commit {
        id: Oid(commit.id()),
        parents: commit.parent_ids().map(Oid).collect(),
        author: signature(&commit.author()),
        committer: signature(&commit.committer()),
        message: cut_text(commit.message_bytes(), MESSAGE_BYTES),
        message_cut: commit.message_bytes().len() > MESSAGE_BYTES,
        has_signature: commit.header_field_bytes("gpgsig").is_ok(),
    }
}

fn signature(signature: &git2::Signature<'_>) -> Signature {
    Signature {
        name: String::from_utf8_lossy(signature.name_bytes()).into_owned(),
        email: String::from_utf8_lossy(signature.email_bytes()).into_owned(),
        when_ms: signature.when().seconds().saturating_mul(1_000),
    }
}

/// Text of at most `most` bytes, cut between characters.
fn cut_text(bytes: &[u8], most: usize) -> String {
    let mut text = String::from_utf8_lossy(bytes.get(..most).unwrap_or(bytes)).into_owned();
    if bytes.len() > most {
        // A character that was cut in two has become a replacement character.
        while text.ends_with(char::REPLACEMENT_CHARACTER) {
            text.pop();
        }
    }
    // Replacements are longer than what they replace.
    while text.len() > most {
        text.pop();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::cut_text;

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(cut_text(b"short", 10), "short");
        assert_eq!(cut_text("aaß".as_bytes(), 3), "aa");
        assert_eq!(cut_text("aaß".as_bytes(), 4), "aaß");
        assert!(cut_text(&[0xff; 100], 10).len() <= 10);
    }
}
