//! Writing a tree with some paths changed.

use super::changes::{Change, Changes};
use crate::Result;
use crate::error::Doing;
use crate::store::Work;

/// The tree `onto` with `changes` made; none when the library refuses a name, so that git may say what it thinks of it.
///
/// Folders that become empty vanish. Only folders with a change in them are read and written.
pub(super) fn apply(
    work: &Work,
    onto: &git2::Tree<'_>,
    changes: &Changes,
) -> Result<Option<git2::Oid>> {
    let list: Vec<(&[u8], &Change)> = changes
        .iter()
        .map(|(path, change)| (path.as_slice(), change))
        .collect();
    if list.is_empty() {
        return Ok(Some(onto.id()));
    }
    match folder(work, Some(onto), 0, &list) {
        Ok(Some(id)) => Ok(Some(id)),
        Ok(None) => work
            .repo
            .treebuilder(None)
            .and_then(|empty| empty.write())
            .map(Some)
            .doing("write a tree"),
        Err(error) if error.class() == git2::ErrorClass::Tree => Ok(None),
        Err(error) => Err(error).doing("write a tree"),
    }
}

/// Writes one folder; none when nothing is left in it. `changes` are sorted, and all lie in the folder whose path has
/// `start` bytes.
fn folder(
    work: &Work,
    old: Option<&git2::Tree<'_>>,
    start: usize,
    changes: &[(&[u8], &Change)],
) -> std::result::Result<Option<git2::Oid>, git2::Error> {
    let mut builder = work.repo.treebuilder(old)?;
    let mut rest = changes;
    while let Some((path, change)) = rest.first() {
        let inside = path.get(start..).unwrap_or_default();
        let Some(slash) = inside.iter().position(|byte| *byte == b'/') else {
            match change {
                Change::Added(leaf) | Change::Modified(leaf) => {
                    builder.insert(inside, leaf.id, leaf.mode)?;
                }
                Change::Deleted => remove(&mut builder, inside)?,
            }
            rest = rest.get(1..).unwrap_or_default();
            continue;
        };
        // Sorted by bytes, everything below one folder is in one piece.
        let below = path.get(..=start + slash).unwrap_or_default();
        let count = rest
            .iter()
            .take_while(|(path, _)| path.starts_with(below))
            .count();
        let (part, others) = rest.split_at(count);
        rest = others;
        let name = inside.get(..slash).unwrap_or_default();
        let subtree = old
            .and_then(|tree| tree.get_name_bytes(name))
            .filter(|entry| entry.kind() == Some(git2::ObjectType::Tree))
            .map(|entry| work.repo.find_tree(entry.id()))
            .transpose()?;
        match folder(work, subtree.as_ref(), below.len(), part)? {
            Some(id) => {
                builder.insert(name, id, git2::FileMode::Tree.into())?;
            }
            None => remove(&mut builder, name)?,
        }
    }
    if builder.is_empty() {
        Ok(None)
    } else {
        builder.write().map(Some)
    }
}

/// Removes an entry; one that both sides deleted is gone already.
fn remove(
    builder: &mut git2::TreeBuilder<'_>,
    name: &[u8],
) -> std::result::Result<(), git2::Error> {
    if builder.get(name)?.is_some() {
        builder.remove(name)
    } else {
        Ok(())
    }
}
