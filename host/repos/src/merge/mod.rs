//! Merging: always the result of `git merge-tree`, most of the time without running it.
//!
//! `git merge-tree --write-tree` (the "ort" strategy) is what decides: its tree, its conflicts. Starting it for each
//! candidate costs more than everything else a candidate needs, and most merges in a queue touch different files. Those
//! are worked out in process, but only where it can be shown that git gives the same. Everything else asks git.
//!
//! # Which merges are trivial
//!
//! Let `B` be the tree of the one merge base, `O` ours, `T` theirs. A *change* of a side is a path (of a file, link or
//! submodule) whose id or mode differs from `B`; it is an addition, a deletion or a modification. A merge is trivial when
//!
//! 1. there is **exactly one merge base**. With several, git merges them into a virtual one first;
//! 2. **no path is changed on both sides differently**. The same change on both sides is fine. This leaves to git every
//!    content merge, and with it attributes, merge drivers, line ends, binary files and submodules that moved on both
//!    sides; also one side changing the mode and the other the content; also modify/delete and add/add;
//! 3. **no rename can matter**. Git pairs a deletion with an addition *of the same side*, so a side without both has
//!    neither renamed files nor, since these are derived from them, renamed folders. A side that has both may hold a rename,
//!    which git uses for two things only: it carries the *other* side's change of the old path to the new one, and it moves the
//!    *other* side's new files into the renamed folder. So no side may change a path that the other deletes (not even by
//!    deleting it too: git may see a rename against a deletion), and where one side has both deletions and additions
//!    the other must not add any file;
//! 4. **no path is a file on one side and a folder on the other**: no added or deleted path is the parent of another added or
//!    deleted path;
//! 5. **every tree that is walked is ordinary**: no empty folders and no modes but the five that git writes today. Git
//!    normalises others when it rewrites a tree.
//!
//! Theirs is walked wherever it differs from the base. Ours need not be, when theirs adds no file: then theirs has no renames,
//! and what renames of ours could carry along are paths that theirs changes. So only folders that *both* changed are
//! compared (2, 3 and 4 speak of nothing else then), and git takes ours in all others as it is.
//!
//! Then git's per-path rule is all that is left (take the side that differs from the base), and the result is `B` with the changes
//! of both. Trees that both sides leave as they were are not even read, here as there.
//!
//! `tests/merge_corpus.rs` holds situations of every kind and random histories, and compares each with git.

mod apply;
mod changes;
mod commits;
mod counts;
mod process;
mod trivial;

pub(crate) use commits::{MergedTree, merge_commits, pick};
pub(crate) use counts::MergeCounters;
pub use counts::MergeCounts;
