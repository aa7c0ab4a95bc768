//! What one side of a merge changes against the base, path by path.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::error::Doing;
use crate::limits::{TREE_DEPTH, TRIVIAL_MERGE_PATHS};
use crate::store::Work;
use crate::{Error, Result};

/// A file, link or submodule in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) id: git2::Oid,
    pub(super) mode: i32,
}

/// How a side changes a path; what was there before is the base's, so it is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Added(Leaf),
    Modified(Leaf),
    Deleted,
}

/// Changes of one side by path.
pub(super) type Changes = BTreeMap<Vec<u8>, Change>;

/// Which folders are looked into.
#[derive(Clone, Copy)]
pub(super) enum Scope<'t, 'w> {
    /// All that the side changed.
    Everywhere,
    /// Of those only the ones that this tree, the other side's, has otherwise than the base.
    Where(Option<&'t git2::Tree<'w>>),
}

/// The changes from `base` to `side`; none when a tree on the way is not ordinary or there are too many.
pub(super) fn changes(
    work: &Work,
    base: Option<&git2::Tree<'_>>,
    side: &git2::Tree<'_>,
    scope: Scope<'_, '_>,
) -> Result<Option<Changes>> {
    let mut walk = Walk {
        work,
        changes: Changes::new(),
    };
    match walk.trees(&mut Vec::new(), 0, base, Some(side), scope) {
        Ok(()) => Ok(Some(walk.changes)),
        Err(Stop::NotOrdinary) => Ok(None),
        Err(Stop::Failed(error)) => Err(error),
    }
}

enum Stop {
    NotOrdinary,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

struct Walk<'w> {
    work: &'w Work,
    changes: Changes,
}

impl<'w> Walk<'w> {
    /// Walks two trees side by side. An entry that is a file in one and a folder in the other counts as two entries.
    fn trees(
        &mut self,
        prefix: &mut Vec<u8>,
        depth: usize,
        base: Option<&git2::Tree<'_>>,
        side: Option<&git2::Tree<'_>>,
        scope: Scope<'_, '_>,
    ) -> Result<(), Stop> {
        self.work.check_time()?;
        if depth > TREE_DEPTH || self.changes.len() > TRIVIAL_MERGE_PATHS {
            return Err(Stop::NotOrdinary);
        }
        let mut before = base.into_iter().flat_map(|tree| tree.iter()).peekable();
        let mut after = side.into_iter().flat_map(|tree| tree.iter()).peekable();
        loop {
            let step = match (before.peek(), after.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => order(old, new),
            };
            let old = if step.is_le() { before.next() } else { None };
            let new = if step.is_ge() { after.next() } else { None };
            let at = prefix.len();
            if let Some(entry) = old.as_ref().or(new.as_ref()) {
                prefix.extend_from_slice(entry.name_bytes());
            }
            self.entry(prefix, depth, old.as_ref(), new.as_ref(), scope)?;
            prefix.truncate(at);
        }
    }

    /// Both are of one kind where both are given.
    fn entry(
        &mut self,
        path: &mut Vec<u8>,
        depth: usize,
        old: Option<&git2::TreeEntry<'_>>,
        new: Option<&git2::TreeEntry<'_>>,
        scope: Scope<'_, '_>,
    ) -> Result<(), Stop> {
        let (old_leaf, new_leaf) = (old.map(leaf).transpose()?, new.map(leaf).transpose()?);
        if old_leaf == new_leaf {
            return Ok(());
        }
        if let Some(entry) = old.or(new).filter(|entry| is_tree(entry)) {
            let other = match scope {
                Scope::Everywhere => None,
                Scope::Where(tree) => {
                    let found = tree.and_then(|tree| tree.get_name_bytes(entry.name_bytes()));
                    let other = found.filter(is_tree).as_ref().map(leaf).transpose()?;
                    if other == old_leaf {
                        return Ok(());
                    }
                    self.subtree(other)?
                }
            };
            let scope = match scope {
                Scope::Everywhere => Scope::Everywhere,
                Scope::Where(_) => Scope::Where(other.as_ref()),
            };
            let (old, new) = (self.subtree(old_leaf)?, self.subtree(new_leaf)?);
            path.push(b'/');
            return self.trees(path, depth + 1, old.as_ref(), new.as_ref(), scope);
        }
        let change = match (old_leaf, new_leaf) {
            (None, Some(new)) => Change::Added(new),
            (Some(_), Some(new)) => Change::Modified(new),
            (Some(_), None) | (None, None) => Change::Deleted,
        };
        self.changes.insert(path.clone(), change);
        Ok(())
    }

    fn subtree(&self, entry: Option<Leaf>) -> Result<Option<git2::Tree<'w>>, Stop> {
        let Some(entry) = entry else { return Ok(None) };
        let work: &'w Work = self.work;
        let tree = work.repo.find_tree(entry.id).doing("read a tree")?;
        if tree.is_empty() {
            Err(Stop::NotOrdinary)
        } else {
            Ok(Some(tree))
        }
    }
}

fn is_tree(entry: &git2::TreeEntry<'_>) -> bool {
    entry.kind() == Some(git2::ObjectType::Tree)
}

/// The order of entries in a tree: names by bytes, a folder as if its name ended in a slash.
fn order(a: &git2::TreeEntry<'_>, b: &git2::TreeEntry<'_>) -> Ordering {
    fn key<'e>(entry: &'e git2::TreeEntry<'_>) -> impl Iterator<Item = &'e u8> {
        entry
            .name_bytes()
            .iter()
            .chain(is_tree(entry).then_some(&b'/'))
    }
    key(a).cmp(key(b))
}

fn leaf(entry: &git2::TreeEntry<'_>) -> Result<Leaf, Stop> {
    let mode = entry.filemode_raw();
    match mode {
        0o040000 | 0o100644 | 0o100755 | 0o120000 | 0o160000 => Ok(Leaf {
            id: entry.id(),
            mode,
        }),
        _ => Err(Stop::NotOrdinary),
    }
}
