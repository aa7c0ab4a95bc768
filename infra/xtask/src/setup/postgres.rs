//! A Postgres server's programs: what the machine has, else the distribution's package.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::apt::{self, Apt};
use crate::places::Places;
use crate::process;
use crate::steps::note;

/// Debian's tools make and start a server of their own when the package comes in, unless this file says no.
const CLUSTER_SETTINGS: &str = "/etc/postgresql-common/createcluster.conf";

/// A folder with `postgres` and `initdb`.
#[derive(Debug, Clone)]
pub struct Postgres {
    pub programs: PathBuf,
}

impl Postgres {
    /// Finds the programs or makes them available.
    ///
    /// # Errors
    /// When there are none and the distribution's package cannot be had.
    pub fn provide(places: &Places) -> Result<Self> {
        let unpacked = places.toolchain().join("postgres");
        if let Some(programs) = found(&unpacked) {
            note(&format!("postgres: {}", programs.display()));
            return Ok(Self { programs });
        }
        if process::is_root() {
            note("postgres: none on this machine, installing the distribution's package");
            install()?;
        } else {
            note("postgres: none on this machine, unpacking the distribution's package");
            unpack(&unpacked)?;
        }
        let programs = found(&unpacked).context(
            "no Postgres server: install one (Debian and Ubuntu: `apt-get install postgresql`) or put the folder with \
             its `postgres` and `initdb` on PATH",
        )?;
        note(&format!("postgres: {}", programs.display()));
        Ok(Self { programs })
    }
}

/// The first folder with a server: `PATH`, Debian's places (newest first), a usual one, ours.
fn found(unpacked: &Path) -> Option<PathBuf> {
    let on_path = process::on_path("initdb").and_then(|file| file.parent().map(Path::to_path_buf));
    let ours = unpacked.join("bin");
    on_path
        .into_iter()
        .chain(versions(Path::new("/usr/lib/postgresql")))
        .chain([PathBuf::from("/usr/local/bin"), ours])
        .find(|folder| folder.join("postgres").is_file() && folder.join("initdb").is_file())
}

/// `bin` folders below Debian's folder of versions, the newest version first.
fn versions(folder: &Path) -> Vec<PathBuf> {
    let mut numbers: Vec<u32> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers
        .iter()
        .map(|number| folder.join(number.to_string()).join("bin"))
        .collect()
}

/// As root the server runs as another user, who may not be able to read the target folder: the package is installed.
fn install() -> Result<()> {
    let settings = Path::new(CLUSTER_SETTINGS);
    if !settings.exists() {
        if let Some(folder) = settings.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(settings, "create_main_cluster = false\n")
            .with_context(|| format!("cannot write {CLUSTER_SETTINGS}"))?;
    }
    apt::install(&["postgresql"])
}

fn unpack(folder: &Path) -> Result<()> {
    let parent = folder
        .parent()
        .context("the toolchain folder has no parent")?;
    let apt = Apt::knowing("postgresql", parent)?;
    let packages = apt.missing_for(&["postgresql"])?;
    apt.unpack(&packages, folder)?;
    let programs = versions(&folder.join("usr/lib/postgresql"));
    let programs = programs
        .first()
        .context("the package postgresql brought no server")?;
    apt::wrap(folder, programs, &["postgres", "initdb", "pg_ctl"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_version_comes_first_by_number() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["9", "15", "100", "common"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let names: Vec<_> = versions(folder.path())
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().to_owned())
            .collect();
        assert_eq!(names, ["100/bin", "15/bin", "9/bin"].map(PathBuf::from));
    }
}
