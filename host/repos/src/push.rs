//! The facts of a push, read while git still holds its objects back.
//!
//! `git receive-pack` puts what it received into a quarantine: a folder of objects of its own, which the hook sees and the
//! repository does not. The folder is read here beside the repository's objects, in this process; nothing is stored by it,
//! and when the push is refused git throws the folder away.

use std::path::{Path, PathBuf};

use crate::error::Doing;
use crate::limits::{COMMITS, FACTS_TIME, FILES, PUSHED_COMMITS, PUSHED_FILES, REFS};
use crate::names::{branch_ref, is_ref_name};
use crate::store::Work;
use crate::{Commits, Error, Files, Oid, Repos, Result, diff, history};

/// Where git keeps the objects of a push that it has not stored yet, as it tells the hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantine {
    /// `GIT_OBJECT_DIRECTORY`: the new objects.
    pub objects: PathBuf,
    /// `GIT_ALTERNATE_OBJECT_DIRECTORIES`, taken apart: the repository's own among them.
    pub alternates: Vec<PathBuf>,
}

impl Quarantine {
    /// Reads the two variables as git writes them.
    pub fn from_variables(objects: &str, alternates: &str) -> Quarantine {
        let alternates = alternates
            .split(':')
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from)
            .collect();
        Quarantine {
            objects: PathBuf::from(objects),
            alternates,
        }
    }
}

/// A ref that a push wants to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefUpdate {
    /// Full name.
    pub name: String,
    /// Zeros: the ref is created.
    pub old: Oid,
    /// Zeros: the ref is deleted.
    pub new: Oid,
}

/// What a push does to one ref.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushFacts {
    /// True when `old` is contained in `new`, and when the ref is created; false when it is deleted, and for objects that are not commits.
    pub fast_forward: bool,
    /// Commits that `new` has and `old` does not. For a new ref: those that the default branch does not have.
    pub commits: Commits,
    /// Files that differ between `old` and `new`. For a new ref: since the merge base with the default branch.
    pub files: Files,
}

impl Repos {
    /// The facts of each ref of a push, in the order given. Tag objects are followed; a ref to something else than a commit
    /// has neither commits nor files.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a name that no ref can have, for more than [`REFS`] refs and for a quarantine outside the
    /// repository; [`Error::NoObject`] for an object that neither holds.
    pub async fn push_facts(
        &self,
        repository: u64,
        quarantine: &Quarantine,
        updates: &[RefUpdate],
        default_branch: &str,
    ) -> Result<Vec<PushFacts>> {
        if updates.len() > REFS {
            let count = updates.len();
            return Err(Error::Invalid(format!(
                "{count} refs at once: push at most {REFS}"
            )));
        }
        if let Some(update) = updates.iter().find(|update| !is_ref_name(&update.name)) {
            let shown: String = update.name.chars().take(80).collect();
            return Err(Error::Invalid(format!(
                "{shown:?} is not a name that git takes for a ref"
            )));
        }
        let default_branch = branch_ref(default_branch)?;
        let (quarantine, updates) = (quarantine.clone(), updates.to_vec());
        self.work(repository, FACTS_TIME, move |work| {
            if updates.iter().any(|update| !update.new.is_zero()) {
                add_quarantine(work, &quarantine)?;
            }
            let mut reading = Reading::new(work, &default_branch)?;
            updates.iter().map(|update| reading.facts(update)).collect()
        })
        .await
    }
}

/// What is the same for all refs of a push, and how much the answer may still hold.
struct Reading<'w> {
    work: &'w Work,
    default: Option<git2::Oid>,
    commits_left: usize,
    files_left: usize,
}

impl<'w> Reading<'w> {
    fn new(work: &'w Work, default_branch: &str) -> Result<Reading<'w>> {
        Ok(Reading {
            work,
            default: work
                .ref_target(default_branch)?
                .and_then(|id| work.peeled(id)),
            commits_left: PUSHED_COMMITS,
            files_left: PUSHED_FILES,
        })
    }

    fn facts(&mut self, update: &RefUpdate) -> Result<PushFacts> {
        let work = self.work;
        work.check_time()?;
        if update.new.is_zero() {
            return Ok(PushFacts::default());
        }
        if !work
            .repo
            .odb()
            .doing("open the objects")?
            .exists(update.new.0)
        {
            return Err(Error::NoObject(update.new));
        }
        let Some(new) = work.peeled(update.new.0) else {
            return Ok(PushFacts::default());
        };
        let old = if update.old.is_zero() {
            None
        } else {
            work.peeled(update.old.0)
        };
        let fast_forward = match old {
            Some(old) => work.contains(new, old)?,
            None => update.old.is_zero(),
        };
        let before = match old {
            Some(old) => Some(old),
            None => self.fork_point(new)?,
        };
        let tree = |id| {
            work.repo
                .find_commit(id)
                .and_then(|commit| commit.tree())
                .doing("read a tree")
        };
        let before = before.map(tree).transpose()?;
        let limit = |most| usize::try_from(most).unwrap_or(usize::MAX);
        let commits = history::commits(
            work,
            new,
            old.or(self.default).as_slice(),
            limit(COMMITS).min(self.commits_left),
        )?;
        let files = diff::files(
            work,
            before.as_ref(),
            &tree(new)?,
            limit(FILES).min(self.files_left),
        )?;
        self.commits_left = self.commits_left.saturating_sub(commits.commits.len());
        self.files_left = self.files_left.saturating_sub(files.files.len());
        Ok(PushFacts {
            fast_forward,
            commits,
            files,
        })
    }

    /// Where `new` left the default branch; none for an empty repository or another history.
    fn fork_point(&self, new: git2::Oid) -> Result<Option<git2::Oid>> {
        let Some(default) = self.default else {
            return Ok(None);
        };
        Ok(history::merge_bases(self.work, default, new)?
            .first()
            .copied())
    }
}

/// Makes the quarantined objects visible to this piece of work. Only folders inside the repository's own objects are taken:
/// the paths come from another process.
fn add_quarantine(work: &Work, quarantine: &Quarantine) -> Result<()> {
    let own = real_path(&work.path.join("objects"))?;
    let odb = work.repo.odb().doing("open the objects")?;
    for folder in std::iter::once(&quarantine.objects).chain(&quarantine.alternates) {
        let folder = real_path(folder)?;
        if !folder.starts_with(&own) {
            return Err(Error::Invalid(format!(
                "objects in {} do not belong to this repository",
                folder.display()
            )));
        }
        if folder == own {
            continue;
        }
        let text = folder
            .to_str()
            .ok_or_else(|| Error::Invalid(format!("{folder:?} must be UTF-8")))?;
        odb.add_disk_alternate(text).doing("read the quarantine")?;
    }
    Ok(())
}

fn real_path(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|source| Error::Io {
        doing: "find",
        path: path.to_owned(),
        source,
    })
}
