//! Between the plain types of `g1t-repos` and the contract's. No choice is made here.

use g1t_repos::{
    Built, Commit, Commits, DiffPage, FileDiffs, FileStatus, Files, Landed, MergeMethod, Merged,
    Oid, Person, Step,
};
use tracing::warn;

use crate::bindings::app::g1t::git::types as wit;
use crate::bindings::app::g1t::rules::types as facts;

/// The contract's error; what the guest cannot mend is logged with its cause.
pub(super) fn error(error: g1t_repos::Error) -> wit::Error {
    match error {
        g1t_repos::Error::NoRepository(_) => wit::Error::NoRepository,
        g1t_repos::Error::NoObject(id) => wit::Error::NoObject(id.to_string()),
        g1t_repos::Error::Invalid(why) => wit::Error::Invalid(why),
        g1t_repos::Error::Busy(why) => wit::Error::Busy(why),
        other => {
            warn!(
                error = &other as &dyn std::error::Error,
                "a repository could not be used"
            );
            wit::Error::Other(other.to_string())
        }
    }
}

pub(super) fn oid(text: &str) -> Result<Oid, wit::Error> {
    text.parse().map_err(error)
}

fn signature(signature: g1t_repos::Signature) -> facts::Signature {
    facts::Signature {
        name: signature.name,
        email: signature.email,
        when: signature.when_ms,
    }
}

/// A commit as facts have it. A signature is not looked into yet: one that is there counts as unverified.
pub fn commit(commit: Commit) -> facts::Commit {
    facts::Commit {
        id: commit.id.to_string(),
        parents: commit.parents.iter().map(Oid::to_string).collect(),
        author: signature(commit.author),
        committer: signature(commit.committer),
        message: commit.message,
        message_cut: commit.message_cut,
        signed: if commit.has_signature {
            facts::Signed::Unverified
        } else {
            facts::Signed::Unsigned
        },
        more: Vec::new(),
    }
}

pub fn file(file: g1t_repos::File) -> facts::File {
    facts::File {
        path: file.path,
        previous_path: file.previous_path,
        status: match file.status {
            FileStatus::Added => facts::FileStatus::Added,
            FileStatus::Modified => facts::FileStatus::Modified,
            FileStatus::Removed => facts::FileStatus::Removed,
            FileStatus::Renamed => facts::FileStatus::Renamed,
            FileStatus::ModeChanged => facts::FileStatus::ModeChanged,
        },
        size_bytes: file.size_bytes,
        more: Vec::new(),
    }
}

pub(super) fn commits(list: Commits) -> wit::CommitList {
    wit::CommitList {
        commits: list.commits.into_iter().map(commit).collect(),
        cut: list.cut,
    }
}

pub(super) fn files(list: Files) -> wit::FileList {
    wit::FileList {
        files: list.files.into_iter().map(file).collect(),
        cut: list.cut,
    }
}

pub(super) fn diff_page(page: wit::DiffPage) -> DiffPage {
    DiffPage {
        after: page.after,
        skip: page.skip,
        limit: page.limit,
    }
}

pub(super) fn diff(list: FileDiffs) -> wit::DiffList {
    let files = list.files.into_iter().map(|diff| wit::FileDiff {
        file: file(diff.file),
        blob: diff.blob.to_string(),
        additions: diff.additions,
        deletions: diff.deletions,
    });
    wit::DiffList {
        files: files.collect(),
        cut: list.cut,
    }
}

pub(super) fn merged(merged: Merged) -> wit::Merged {
    match merged {
        Merged::Clean(tree) => wit::Merged::Clean(tree.to_string()),
        Merged::Conflicting(paths) => wit::Merged::Conflicting(paths),
        Merged::Contained => wit::Merged::Contained,
        Merged::Unrelated => wit::Merged::Unrelated,
    }
}

pub(super) fn step(step: wit::Step) -> Result<Step, wit::Error> {
    let person = |person: wit::Person| Person {
        name: person.name,
        email: person.email,
    };
    Ok(Step {
        onto: oid(&step.onto)?,
        head: oid(&step.head)?,
        method: match step.method {
            wit::MergeMethod::Merge => MergeMethod::Merge,
            wit::MergeMethod::Squash => MergeMethod::Squash,
            wit::MergeMethod::Rebase => MergeMethod::Rebase,
            wit::MergeMethod::FastForward => MergeMethod::FastForward,
        },
        title: step.title,
        body: step.body,
        author: person(step.author),
        committer: person(step.committer),
        time_ms: step.time,
        branch: step.branch,
    })
}

pub(super) fn built(built: Built) -> wit::Built {
    match built {
        Built::Candidate(id) => wit::Built::Candidate(id.to_string()),
        Built::Conflicting(paths) => wit::Built::Conflicting(paths),
        Built::Contained => wit::Built::Contained,
        Built::NotRebasable(paths) => wit::Built::NotRebasable(paths),
        Built::NotFastForward => wit::Built::NotFastForward,
        Built::Unrelated => wit::Built::Unrelated,
        Built::TooManyCommits => wit::Built::TooManyCommits,
    }
}

pub(super) fn landed(landed: Landed) -> wit::Landed {
    match landed {
        Landed::Landed => wit::Landed::Landed,
        Landed::Already => wit::Landed::Already,
        Landed::Moved(id) => wit::Landed::Moved(id.to_string()),
    }
}
