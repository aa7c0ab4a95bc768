//! Files that differ between two trees.

use crate::error::Doing;
use crate::limits::{DIFF_BYTES, FILES, RENAME_PAIRS};
use crate::store::Work;
use crate::{DiffPage, File, FileDiff, FileDiffs, FileStatus, Files, Oid, Result};

/// Files that differ, by path, at most `limit`. `before` none stands for nothing.
pub(crate) fn files(
    work: &Work,
    before: Option<&git2::Tree<'_>>,
    after: &git2::Tree<'_>,
    limit: usize,
) -> Result<Files> {
    let diff = compare(work, before, after, limit)?;
    let mut deltas = by_path(&diff);
    let cut = deltas.len() > limit;
    deltas.truncate(limit);
    let odb = work.repo.odb().doing("open the objects")?;
    let mut files = Vec::with_capacity(deltas.len());
    for (_, path, delta) in deltas {
        work.check_time()?;
        files.push(file(&odb, &delta, path)?);
    }
    Ok(Files { files, cut })
}

/// A page of the files that differ, with the lines that they gain and lose.
pub(crate) fn lines(
    work: &Work,
    before: Option<&git2::Tree<'_>>,
    after: &git2::Tree<'_>,
    page: &DiffPage,
) -> Result<FileDiffs> {
    let DiffPage {
        after: seen,
        skip,
        limit,
    } = page;
    // Renames are looked for as for the whole list, so that all pages are of one list.
    let diff = compare(work, before, after, index(FILES))?;
    let mut rest = by_path(&diff)
        .into_iter()
        .filter(|(_, path, _)| seen.as_ref().is_none_or(|seen| path > seen))
        .skip(index(*skip));
    let odb = work.repo.odb().doing("open the objects")?;
    let mut files = Vec::new();
    for (place, path, delta) in rest.by_ref().take(index(*limit)) {
        work.check_time()?;
        // None for what has no lines: binary files.
        let patch = git2::Patch::from_diff(&diff, place).doing("compare two files")?;
        let counted = patch.map(|patch| patch.line_stats()).transpose();
        let (_, additions, deletions) = counted.doing("count lines")?.unwrap_or_default();
        let side = match delta.status() {
            git2::Delta::Deleted => delta.old_file(),
            _ => delta.new_file(),
        };
        files.push(FileDiff {
            blob: Oid(side.id()),
            file: file(&odb, &delta, path)?,
            additions: u32::try_from(additions).unwrap_or(u32::MAX),
            deletions: u32::try_from(deletions).unwrap_or(u32::MAX),
        });
    }
    let cut = rest.next().is_some();
    Ok(FileDiffs { files, cut })
}

/// The difference of two trees, for an answer of at most `limit` files.
///
/// Renames are found as git finds them by default: identical files, and files that share half of their content.
fn compare<'w>(
    work: &'w Work,
    before: Option<&git2::Tree<'_>>,
    after: &git2::Tree<'_>,
    limit: usize,
) -> Result<git2::Diff<'w>> {
    let mut options = git2::DiffOptions::new();
    options
        .include_typechange(true)
        .context_lines(0)
        .max_size(DIFF_BYTES);
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
    Ok(diff)
}

/// The files of a difference sorted by path, each with its place in it and its path.
fn by_path<'d>(diff: &'d git2::Diff<'_>) -> Vec<(usize, String, git2::DiffDelta<'d>)> {
    let mut deltas: Vec<_> = diff
        .deltas()
        .enumerate()
        .map(|(place, delta)| {
            let path = String::from_utf8_lossy(path_of(&delta)).into_owned();
            (place, path, delta)
        })
        .collect();
    deltas.sort_by(|a, b| a.1.cmp(&b.1));
    deltas
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn path_of<'d>(delta: &'d git2::DiffDelta<'_>) -> &'d [u8] {
    delta
        .new_file()
        .path_bytes()
        .or_else(|| delta.old_file().path_bytes())
        .unwrap_or_default()
}

fn file(odb: &git2::Odb<'_>, delta: &git2::DiffDelta<'_>, path: String) -> Result<File> {
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
        path,
        previous_path,
        status,
        size_bytes,
    })
}
