//! The records of `wit/git`, as plain Rust.

use crate::Oid;

/// A branch and the commit it points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Without `refs/heads/`.
    pub name: String,
    /// The commit it points at.
    pub head: Oid,
}

/// How far two commits are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// Commits that the second has and the first does not.
    pub ahead: u32,
    /// Commits that the first has and the second does not.
    pub behind: u32,
}

/// A person as git writes one into a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Bytes that are not UTF-8 are replaced.
    pub name: String,
    /// Bytes that are not UTF-8 are replaced.
    pub email: String,
    /// Milliseconds since 1970.
    pub when_ms: i64,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: Oid,
    /// Ids of its parents, in order.
    pub parents: Vec<Oid>,
    /// Who wrote the change.
    pub author: Signature,
    /// Who made the commit.
    pub committer: Signature,
    /// The message, cut at [`crate::limits::MESSAGE_BYTES`]; bytes that are not UTF-8 are replaced.
    pub message: String,
    /// True when there is more of the message.
    pub message_cut: bool,
    /// True when there is a cryptographic signature; whether it is good is not known here.
    pub has_signature: bool,
}

/// Commits, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commits {
    /// Oldest first. Where they were cut, the newest are given.
    pub commits: Vec<Commit>,
    /// True when there were more than asked for.
    pub cut: bool,
}

/// How a file is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
    /// It was not there before.
    Added,
    /// Its content changed, or its kind (a file became a link).
    Modified,
    /// It is not there afterwards.
    Removed,
    /// It was moved, and perhaps changed.
    Renamed,
    /// Only its mode changed.
    ModeChanged,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path after the change (before it, for a removed file); bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Path before the change, for a renamed file.
    pub previous_path: Option<String>,
    /// How it differs.
    pub status: FileStatus,
    /// Size after the change; 0 for a removed file and for a submodule.
    pub size_bytes: u64,
}

/// Files that differ, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// Sorted by path.
    pub files: Vec<File>,
    /// True when there were more than asked for.
    pub cut: bool,
}

/// Which files of a difference are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffPage {
    /// Files from the one after this path on.
    pub after: Option<String>,
    /// Files to pass over, after that.
    pub skip: u32,
    /// How many at most.
    pub limit: u32,
}

/// A file that differs, with the lines that it gains and loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// The file.
    pub file: File,
    /// Its content after the change (before it, for a removed file).
    pub blob: Oid,
    /// Lines that are added, as git counts them; 0 for a binary file and for content above
    /// [`DIFF_BYTES`](crate::limits::DIFF_BYTES).
    pub additions: u32,
    /// Lines that are removed.
    pub deletions: u32,
}

/// A page of files that differ, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiffs {
    /// Sorted by path.
    pub files: Vec<FileDiff>,
    /// True when there are more.
    pub cut: bool,
}

/// What merging two commits gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// The tree that merging gives: the one `git merge-tree` makes.
    Clean(Oid),
    /// Paths that conflict, sorted.
    Conflicting(Vec<String>),
    /// The second is contained in the first already.
    Contained,
    /// The two have no commit in common: git refuses to merge them.
    Unrelated,
}

/// How a pull request is landed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeMethod {
    /// A commit with two parents.
    Merge,
    /// One commit with everything.
    Squash,
    /// Each commit again, on top.
    Rebase,
    /// The head itself.
    FastForward,
}

/// A name and an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// May be anything; what git cannot write is left out.
    pub name: String,
    /// May be anything; what git cannot write is left out.
    pub email: String,
}

/// One entry to land on a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The state to land on.
    pub onto: Oid,
    /// The pull request's head.
    pub head: Oid,
    /// How.
    pub method: MergeMethod,
    /// First line of the message, for `Merge` and `Squash`.
    pub title: String,
    /// Rest of the message; may be empty.
    pub body: String,
    /// Author of the one commit that `Squash` makes.
    pub author: Person,
    /// Committer of every commit that is made.
    pub committer: Person,
    /// Written into every commit that is made, in milliseconds since 1970; git keeps whole seconds.
    pub time_ms: i64,
    /// Branch to set to the result, without `refs/heads/`; begins with `g1t-queue/`.
    pub branch: Option<String>,
}

/// What a step gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Built {
    /// The commit to test and to land.
    Candidate(Oid),
    /// Paths that conflict, sorted; nothing was made.
    Conflicting(Vec<String>),
    /// Nothing to land.
    Contained,
    /// `Rebase` would lose what a merge commit of the branch resolved by hand, in these paths.
    NotRebasable(Vec<String>),
    /// `FastForward` was asked for and `onto` is not an ancestor of `head`.
    NotFastForward,
    /// `onto` and `head` have no commit in common: git refuses to merge them.
    Unrelated,
    /// `Rebase` was asked for, and `head` has more than [`crate::limits::REPLAYED_COMMITS`] commits that `onto` lacks.
    TooManyCommits,
}

/// What moving a branch gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landed {
    /// The branch points at the commit now.
    Landed,
    /// The branch contained the commit already.
    Already,
    /// The branch is here instead of where it was expected; zeros when it does not exist.
    Moved(Oid),
}
