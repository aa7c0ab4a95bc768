//! `git merge-tree`.

use std::collections::BTreeSet;

use super::MergedTree;
use crate::Result;
use crate::commit_object::CommitObject;
use crate::error::Doing;
use crate::git_process;
use crate::limits::MERGE_TREE_TIME;
use crate::store::Work;

const COMMAND: &str = "merge-tree";

/// Merges two commits; git finds the merge base unless it is told.
///
/// Told by commits made for the purpose, whose only common parent is the base: `--merge-base` came with git 2.40, and
/// Debian 12 has an older one. They have fixed dates, so the same question writes the same three small objects.
pub(super) fn merge_tree(
    work: &Work,
    base: Option<git2::Oid>,
    ours: git2::Oid,
    theirs: git2::Oid,
) -> Result<MergedTree> {
    let mut command = git_process::git(&work.path);
    command.args([COMMAND, "--write-tree", "--name-only", "-z", "--messages"]);
    let (ours, theirs) = match base {
        Some(base) => {
            let base = commit_of_tree(work, tree_of(work, base)?, Vec::new())?;
            let side = |side| commit_of_tree(work, tree_of(work, side)?, vec![base]);
            (side(ours)?, side(theirs)?)
        }
        None => (ours, theirs),
    };
    command.arg(ours.to_string()).arg(theirs.to_string());
    let output = work
        .runtime
        .block_on(git_process::run(command, COMMAND, MERGE_TREE_TIME))?;
    match output.status.code() {
        Some(0) => match parse(&output.stdout) {
            Some(answer) => Ok(MergedTree::Clean(answer.tree)),
            None => Err(output.failed(COMMAND)),
        },
        Some(1) => match parse(&output.stdout) {
            Some(answer) => Ok(MergedTree::Conflicting(answer.paths.into_iter().collect())),
            None => Err(output.failed(COMMAND)),
        },
        _ => Err(output.failed(COMMAND)),
    }
}

struct Answer {
    tree: git2::Oid,
    paths: BTreeSet<String>,
}

/// Reads `<tree> NUL (<path> NUL)* NUL (<count> NUL <path>{count} NUL <kind> NUL <text> NUL)*`.
///
/// Some conflicts (a folder renamed to two places) leave no conflicting file; their paths are in the messages only.
fn parse(stdout: &[u8]) -> Option<Answer> {
    let mut fields = stdout
        .split(|byte| *byte == 0)
        .map(|field| String::from_utf8_lossy(field).into_owned());
    let tree = git2::Oid::from_str(&fields.next()?).ok()?;
    let mut paths: BTreeSet<String> = fields
        .by_ref()
        .take_while(|path| !path.is_empty())
        .collect();
    let files_are_enough = !paths.is_empty();
    while let Some(count) = fields
        .next()
        .filter(|count| !count.is_empty() && !files_are_enough)
    {
        let about: Vec<String> = fields.by_ref().take(count.parse().ok()?).collect();
        let kind = fields.next()?;
        let _text = fields.next()?;
        if kind.starts_with("CONFLICT") {
            paths.extend(about);
        }
    }
    Some(Answer { tree, paths })
}

/// A commit of the empty tree, for picking a commit that has no parent. Nothing points at it.
pub(super) fn commit_of_nothing(work: &Work) -> Result<git2::Oid> {
    let tree = work
        .repo
        .treebuilder(None)
        .and_then(|empty| empty.write())
        .doing("write a tree")?;
    commit_of_tree(work, tree, Vec::new())
}

fn tree_of(work: &Work, commit: git2::Oid) -> Result<git2::Oid> {
    work.repo
        .find_commit(commit)
        .map(|commit| commit.tree_id())
        .doing("read a commit")
}

fn commit_of_tree(work: &Work, tree: git2::Oid, parents: Vec<git2::Oid>) -> Result<git2::Oid> {
    let nobody = b"g1t <g1t> 0 +0000".to_vec();
    CommitObject {
        tree,
        parents,
        author: nobody.clone(),
        committer: nobody,
        encoding: None,
        message: Vec::new(),
    }
    .write(work)
}

#[cfg(test)]
mod tests {
    use super::parse;

    const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    #[test]
    fn files_are_taken_and_messages_are_not() {
        let answer =
            parse(format!("{TREE}\0b\0a\0\x001\0c\0CONFLICT (contents)\0text\0").as_bytes())
                .unwrap();
        assert_eq!(answer.tree.to_string(), TREE);
        assert_eq!(answer.paths.into_iter().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn a_conflict_without_files_is_read_from_the_messages() {
        let text = format!(
            "{TREE}\0\x001\0x\0Auto-merging\0text\x002\0old\0new\0CONFLICT (directory rename split)\0text\0"
        );
        let answer = parse(text.as_bytes()).unwrap();
        assert_eq!(answer.paths.into_iter().collect::<Vec<_>>(), ["new", "old"]);
    }

    #[test]
    fn a_clean_answer_is_a_tree_alone() {
        assert!(
            parse(format!("{TREE}\0").as_bytes())
                .unwrap()
                .paths
                .is_empty()
        );
        assert!(parse(b"fatal: no").is_none());
    }
}
