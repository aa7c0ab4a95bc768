//! The interface `read`.

use std::path::Path;

use crate::error::Doing;
use crate::limits::{BRANCHES, COMMITS, DIFF_FILES, FILES, LOG_COMMITS, READ_TIME};
use crate::merge::merge_commits;
use crate::names::{QUEUE_PREFIX, branch_ref, check_path, is_ref_name};
use crate::store::Work;
use crate::{
    Branch, Commits, DiffPage, Distance, Error, FileDiffs, Files, Merged, Oid, Repos, Result, diff,
    history,
};

impl Repos {
    /// The commit that a branch name, a full ref name or an object id (whole, hex) means. An id wins over a branch of
    /// that name. None when there is no such thing, also for a name that no ref can have.
    pub async fn resolve(&self, repository: u64, name: &str) -> Result<Option<Oid>> {
        let id = name.parse::<Oid>().ok();
        let full = if name.starts_with("refs/") {
            Some(name.to_owned())
        } else {
            branch_ref(name).ok()
        };
        let full = full.filter(|full| is_ref_name(full));
        self.work(repository, READ_TIME, move |work| {
            let target = match (id, full) {
                (Some(id), _) => Some(id.0),
                (None, Some(full)) => work.ref_target(&full)?,
                (None, None) => None,
            };
            Ok(target.and_then(|id| work.peeled(id)).map(Oid))
        })
        .await
    }

    /// Where refs point, by their full names and in the order given: the objects themselves, so that a tag object is not
    /// followed. Zeros for a ref that does not exist.
    pub async fn ref_heads(&self, repository: u64, names: Vec<String>) -> Result<Vec<Oid>> {
        self.work(repository, READ_TIME, move |work| {
            let head = |full: &String| {
                work.check_time()?;
                let target = if is_ref_name(full) {
                    work.ref_target(full)?
                } else {
                    None
                };
                Ok(target.map_or_else(Oid::zero, Oid))
            };
            names.iter().map(head).collect()
        })
        .await
    }

    /// Branches in order of their names, from the one after `after`; at most `limit`. Queue branches are left out.
    pub async fn branches(
        &self,
        repository: u64,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Branch>> {
        let limit = within(limit, BRANCHES, "branches")?;
        let after = after.map(str::to_owned);
        self.work(repository, READ_TIME, move |work| {
            let mut branches = Vec::new();
            let references = work
                .repo
                .references_glob("refs/heads/*")
                .doing("list refs")?;
            for reference in references {
                work.check_time()?;
                let reference = reference.doing("list refs")?;
                let (Ok(full), Some(head)) = (reference.name(), reference.target()) else {
                    continue;
                };
                let Some(name) = full.strip_prefix("refs/heads/") else {
                    continue;
                };
                if !name.starts_with(QUEUE_PREFIX)
                    && after.as_deref().is_none_or(|after| name > after)
                {
                    branches.push(Branch {
                        name: name.to_owned(),
                        head: Oid(head),
                    });
                }
            }
            branches.sort_by(|a, b| a.name.cmp(&b.name));
            branches.truncate(limit);
            Ok(branches)
        })
        .await
    }

    /// True when `ancestor` is `descendant` or is contained in it.
    pub async fn is_ancestor(
        &self,
        repository: u64,
        ancestor: Oid,
        descendant: Oid,
    ) -> Result<bool> {
        self.work(repository, READ_TIME, move |work| {
            let (ancestor, descendant) =
                (work.commit(ancestor)?.id(), work.commit(descendant)?.id());
            work.contains(descendant, ancestor)
        })
        .await
    }

    /// How far `from` and `to` are apart. Histories without a common commit count whole.
    pub async fn distance(&self, repository: u64, from: Oid, to: Oid) -> Result<Distance> {
        self.work(repository, READ_TIME, move |work| {
            let (from, to) = (work.commit(from)?.id(), work.commit(to)?.id());
            let (ahead, behind) = work
                .repo
                .graph_ahead_behind(to, from)
                .doing("walk the history")?;
            let count = |commits: usize| u32::try_from(commits).unwrap_or(u32::MAX);
            Ok(Distance {
                ahead: count(ahead),
                behind: count(behind),
            })
        })
        .await
    }

    /// Best common ancestor; none for histories without one.
    pub async fn merge_base(&self, repository: u64, a: Oid, b: Oid) -> Result<Option<Oid>> {
        self.work(repository, READ_TIME, move |work| {
            let (a, b) = (work.commit(a)?.id(), work.commit(b)?.id());
            Ok(history::merge_bases(work, a, b)?.first().copied().map(Oid))
        })
        .await
    }

    /// Commits of `to` that `from` does not contain, oldest first; at most `limit`.
    pub async fn commits(
        &self,
        repository: u64,
        from: Oid,
        to: Oid,
        limit: u32,
    ) -> Result<Commits> {
        let limit = within(limit, COMMITS, "commits")?;
        self.work(repository, READ_TIME, move |work| {
            let (from, to) = (work.commit(from)?.id(), work.commit(to)?.id());
            history::commits(work, to, &[from], limit)
        })
        .await
    }

    /// History of `head`, newest first, from the `skip`th commit on; at most `limit`. As `git log` orders it.
    pub async fn log(&self, repository: u64, head: Oid, skip: u32, limit: u32) -> Result<Commits> {
        let limit = within(limit, LOG_COMMITS, "commits")?;
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        self.work(repository, READ_TIME, move |work| {
            history::log(work, work.commit(head)?.id(), skip, limit)
        })
        .await
    }

    /// Files that `head` changes since its merge base with `base`; at most `limit`. Histories without a common commit
    /// give every file of `head`.
    pub async fn changes(
        &self,
        repository: u64,
        base: Oid,
        head: Oid,
        limit: u32,
    ) -> Result<Files> {
        let limit = within(limit, FILES, "files")?;
        self.work(repository, READ_TIME, move |work| {
            let (before, after) = changed_trees(work, base, head)?;
            diff::files(work, before.as_ref(), &after, limit)
        })
        .await
    }

    /// As [`Repos::changes`], a page at a time, with the lines that each file gains and loses.
    pub async fn diff(
        &self,
        repository: u64,
        base: Oid,
        head: Oid,
        page: DiffPage,
    ) -> Result<FileDiffs> {
        within(page.limit, DIFF_FILES, "files")?;
        self.work(repository, READ_TIME, move |work| {
            let (before, after) = changed_trees(work, base, head)?;
            diff::lines(work, before.as_ref(), &after, &page)
        })
        .await
    }

    /// What merging `head` into `base` would give, without making a commit.
    pub async fn merge_check(&self, repository: u64, base: Oid, head: Oid) -> Result<Merged> {
        self.work(repository, READ_TIME, move |work| {
            let (base, head) = (work.commit(base)?.id(), work.commit(head)?.id());
            merge_commits(work, base, head)
        })
        .await
    }

    /// Bytes of a file at a commit; none when there is no such file.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when it is larger than `max_bytes`.
    pub async fn read_file(
        &self,
        repository: u64,
        commit: Oid,
        path: &str,
        max_bytes: u64,
    ) -> Result<Option<Vec<u8>>> {
        check_path(path)?;
        let path = path.to_owned();
        self.work(repository, READ_TIME, move |work| {
            let tree = work.commit(commit)?.tree().doing("read a tree")?;
            let entry = match tree.get_path(Path::new(&path)) {
                Ok(entry) => entry,
                Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(None),
                Err(error) => return Err(error).doing("look up a path"),
            };
            if entry.kind() != Some(git2::ObjectType::Blob) {
                return Ok(None);
            }
            let odb = work.repo.odb().doing("open the objects")?;
            let (size, _) = odb.read_header(entry.id()).doing("read a file")?;
            if size as u64 > max_bytes {
                return Err(Error::Invalid(format!(
                    "{path} has {size} bytes; {max_bytes} were asked for at most"
                )));
            }
            let object = odb.read(entry.id()).doing("read a file")?;
            Ok(Some(object.data().to_vec()))
        })
        .await
    }
}

/// The trees of the merge base of two commits and of the second; none for histories without a common commit.
fn changed_trees<'w>(
    work: &'w Work,
    base: Oid,
    head: Oid,
) -> Result<(Option<git2::Tree<'w>>, git2::Tree<'w>)> {
    let (base, head) = (work.commit(base)?, work.commit(head)?);
    let before = match history::merge_bases(work, base.id(), head.id())?.first() {
        Some(id) => Some(
            work.repo
                .find_commit(*id)
                .and_then(|commit| commit.tree())
                .doing("read a tree")?,
        ),
        None => None,
    };
    let after = head.tree().doing("read a tree")?;
    Ok((before, after))
}

/// Checks a number of results that somebody asks for.
fn within(limit: u32, most: u32, what: &str) -> Result<usize> {
    if limit == 0 || limit > most {
        return Err(Error::Invalid(format!(
            "{limit} {what} cannot be asked for: between 1 and {most}"
        )));
    }
    usize::try_from(limit).map_err(|_| Error::Invalid(format!("{limit} {what} are too many")))
}
