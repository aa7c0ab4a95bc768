//! Making a repository so that it is either whole or not there.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::Doing;
use crate::limits::{ABANDONED_AGE, PUSH_BYTES, WRITE_TIME};
use crate::names::branch_ref;
use crate::{Error, Repos, Result};

/// How the name of a repository begins that is still being made.
const UNFINISHED_PREFIX: &str = ".new-";

/// What is written into the configuration of every repository.
const CONFIGURATION: &[(&str, &str)] = &[
    // Whether a ref may be deleted or rewound is what the judge decides, for each ref.
    ("receive.denyDeletes", "false"),
    ("receive.denyNonFastForwards", "false"),
    // The current branch of a bare repository is nothing special, and deleting it is the judge's to refuse.
    ("receive.denyDeleteCurrent", "ignore"),
    // Broken or hostile objects (a `.git` folder in a tree) are refused at the door.
    ("receive.fsckObjects", "true"),
    // Up to so many objects are stored singly; a larger push stays the pack that it came as.
    ("receive.unpackLimit", "100"),
    // Nothing tidies up on its own: it would take objects of candidates that no ref shows yet.
    ("gc.auto", "0"),
    ("receive.autogc", "false"),
    ("core.logAllRefUpdates", "false"),
    // Partial clones, and the fetching of a candidate by its id.
    ("uploadpack.allowFilter", "true"),
    ("uploadpack.allowReachableSHA1InWant", "true"),
];

impl Repos {
    /// Makes the bare repository. Nothing happens when it is there already.
    ///
    /// It is made under another name and renamed when it is whole; a crash leaves nothing that [`Repos::exists`] sees.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a default branch that git does not take.
    pub async fn create(&self, repository: u64, default_branch: &str) -> Result<()> {
        branch_ref(default_branch)?;
        if self.exists(repository) {
            return Ok(());
        }
        let repos = self.clone();
        let default_branch = default_branch.to_owned();
        self.blocking(WRITE_TIME, move |_| {
            let unfinished = unfinished_path(repos.root(), repository);
            let made = initialise(&unfinished, &default_branch, repos.hooks_dir())
                .and_then(|()| put_in_place(&unfinished, &repos.path(repository)));
            if made.is_err() {
                // Best effort: what is left is swept away at a later start.
                let _ = std::fs::remove_dir_all(&unfinished);
            }
            made
        })
        .await
    }
}

fn unfinished_path(root: &Path, repository: u64) -> PathBuf {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    let thread =
        format!("{:?}", std::thread::current().id()).replace(|c: char| !c.is_ascii_digit(), "");
    root.join(format!(
        "{UNFINISHED_PREFIX}{repository}-{}-{thread}-{now}",
        std::process::id()
    ))
}

fn initialise(path: &Path, default_branch: &str, hooks_dir: Option<&Path>) -> Result<()> {
    let mut options = git2::RepositoryInitOptions::new();
    options
        .bare(true)
        .no_reinit(true)
        .external_template(false)
        .initial_head(default_branch);
    let repo = git2::Repository::init_opts(path, &options).doing("make the repository")?;
    let mut config = repo.config().doing("open the configuration")?;
    for (name, value) in CONFIGURATION {
        config
            .set_str(name, value)
            .doing("write the configuration")?;
    }
    let most = i64::try_from(PUSH_BYTES).unwrap_or(i64::MAX);
    config
        .set_i64("receive.maxInputSize", most)
        .doing("write the configuration")?;
    if let Some(hooks) = hooks_dir {
        let hooks = hooks
            .to_str()
            .ok_or_else(|| Error::Invalid(format!("{hooks:?} must be UTF-8")))?;
        config
            .set_str("core.hooksPath", hooks)
            .doing("write the configuration")?;
    }
    Ok(())
}

/// Renames; a repository that somebody else put there first is as good as ours.
fn put_in_place(unfinished: &Path, path: &Path) -> Result<()> {
    match std::fs::rename(unfinished, path) {
        Ok(()) => Ok(()),
        Err(_) if path.join("HEAD").is_file() => {
            let _ = std::fs::remove_dir_all(unfinished);
            Ok(())
        }
        Err(source) => Err(Error::Io {
            doing: "put the repository in place",
            path: path.to_owned(),
            source,
        }),
    }
}

/// Removes what crashed creations left behind. Only what is old: another process may be making one now.
pub(crate) fn sweep_abandoned(root: &Path) {
    let Ok(entries) = std::fs::read_dir(root) else {
        return;
    };
    for entry in entries.flatten() {
        let is_unfinished = entry
            .file_name()
            .to_string_lossy()
            .starts_with(UNFINISHED_PREFIX);
        let age = entry
            .metadata()
            .and_then(|data| data.modified())
            .ok()
            .and_then(|at| at.elapsed().ok());
        if is_unfinished && age.is_some_and(|age| age > ABANDONED_AGE) {
            tracing::info!(path = %entry.path().display(), "removing a repository that was never finished");
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
