//! Files that differ between two trees.

use crate::error::Doing;
use crate::limits::RENAME_PAIRS;
use crate::store::Work;
use crate::{File, FileStatus, Files, Result};

/// Files that differ, by path, at most `limit`. `before` none stands for nothing.
///
/// Renames are found as git finds them by default: identical files, and files that share half of their content.
pub(crate) fn files(
    work: &Work,
    before: Option<&git2::Tree<'_>>,
    after: &git2::Tree<'_>,
    limit: usize,
) -> Result<Files> {
    let mut options = git2::DiffOptions::new();
    options.include_typechange(true);
    let mut diff = work
        .repo
        .diff_tree_to_tree(before, Some(after), Some(&mut options))
        .doing("compare two trees")?;
    work.check_time()?;
    let count = |kind| diff.deltas().filter(|delta| delta.status() == kind).count();
    let pairs = count(git2::Delta::Added).saturating_mul(count(git2::Delta::Deleted));
    // Far more than fits into the answer: not worth pairing.
    if pairs > 0 && diff.deltas().len() <= limit.saturating_mul(2) {
        let mut find = git2::DiffFindOptions::new();
        find.renames(true)
            .rename_threshold(50)
            .rename_limit(1_000)
            .exact_match_only(pairs > RENAME_PAIRS);
        diff.find_similar(Some(&mut find))
            .doing("look for renames")?;
    }
    work.check_time()?;
    let mut deltas: Vec<git2::DiffDelta<'_>> = diff.deltas().collect();
    deltas.sort_by_key(|delta| path_of(delta).to_vec());
    let cut = deltas.len() > limit;
    deltas.truncate(limit);
    let odb = work.repo.odb().doing("open the objects")?;
    let mut files = Vec::with_capacity(deltas.len());
    for delta in &deltas {
        work.check_time()?;
        files.push(file(&odb, delta)?);
    }
    Ok(Files { files, cut })
}

fn path_of<'d>(delta: &'d git2::DiffDelta<'_>) -> &'d [u8] {
    delta
        .new_file()
        .path_bytes()
        .or_else(|| delta.old_file().path_bytes())
        .unwrap_or_default()
}

fn file(odb: &git2::Odb<'_>, delta: &git2::DiffDelta<'_>) -> Result<File> {
    let (old, new) = (delta.old_file(), delta.new_file());
    let status = match delta.status() {
        git2::Delta::Added | git2::Delta::Copied => FileStatus::Added,
        git2::Delta::Deleted => FileStatus::Removed,
        git2::Delta::Renamed => FileStatus::Renamed,
        _ if old.id() == new.id() => FileStatus::ModeChanged,
        _ => FileStatus::Modified,
    };
    let previous_path = match status {
        FileStatus::Renamed => old
            .path_bytes()
            .map(|path| String::from_utf8_lossy(path).into_owned()),
        FileStatus::Added
        | FileStatus::Modified
        | FileStatus::Removed
        | FileStatus::ModeChanged => None,
    };
    let has_content = status != FileStatus::Removed && new.mode() != git2::FileMode::Commit;
    let size_bytes = if has_content {
        odb.read_header(new.id()).doing("read a file")?.0 as u64
    } else {
        0
    };
    Ok(File {
        path: String::from_utf8_lossy(path_of(delta)).into_owned(),
        previous_path,
        status,
        size_bytes,
    })
}
