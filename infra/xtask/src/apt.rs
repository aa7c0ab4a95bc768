//! Packages of Debian and Ubuntu, fetched and unpacked into a folder of our own: no root needed, nothing installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::steps::note;

/// Access to the distribution's package lists.
pub struct Apt {
    /// Options that put apt's lists and caches into our folder; empty while the system's own lists serve.
    options: Vec<String>,
    state: PathBuf,
}

impl Apt {
    /// Apt with knowledge of `package`. Uses the system's lists when they have it, else fetches lists of our own below
    /// `folder`, which needs no root and leaves the system as it is.
    ///
    /// # Errors
    /// When there is no apt, or no list has the package.
    pub fn knowing(package: &str, folder: &Path) -> Result<Self> {
        if process::on_path("apt-get").is_none() || process::on_path("dpkg").is_none() {
            bail!(
                "this system has no apt-get and dpkg, so the package {package} cannot be fetched"
            );
        }
        let mut apt = Self {
            options: Vec::new(),
            state: folder.join("apt"),
        };
        if apt.knows(package) {
            return Ok(apt);
        }
        note(&format!(
            "package lists: the system's do not have {package}, fetching our own"
        ));
        apt.fetch_lists()?;
        if !apt.knows(package) {
            bail!("no package source in /etc/apt has {package}");
        }
        Ok(apt)
    }

    fn fetch_lists(&mut self) -> Result<()> {
        let (lists, cache) = (self.state.join("lists"), self.state.join("cache"));
        for folder in [lists.join("partial"), cache.join("archives/partial")] {
            fs::create_dir_all(&folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        self.options = vec![
            format!("-oDir::State::Lists={}", lists.display()),
            format!("-oDir::Cache={}", cache.display()),
        ];
        process::run(self.get().args(["-q", "update"]))
    }

    /// True when the lists describe a package of this name.
    fn knows(&self, package: &str) -> bool {
        process::captured(self.cache().args(["show", package]))
            .is_ok_and(|text| !text.trim().is_empty())
    }

    /// `package` and what it needs, as far as `wanted` says yes to the names on the way.
    ///
    /// # Errors
    /// When apt-cache fails.
    pub fn with_needed(&self, package: &str, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>> {
        let mut found = vec![package.to_owned()];
        let mut next = 0;
        while let Some(current) = found.get(next).cloned() {
            next += 1;
            let text = process::captured(self.cache().args(["depends", &current]))?;
            for name in needed_by(&text) {
                if wanted(name) && !found.iter().any(|known| known == name) {
                    found.push(name.to_owned());
                }
            }
        }
        Ok(found)
    }

    /// What installing `packages` would add to this system: the packages and all they need that is not there yet.
    ///
    /// # Errors
    /// When apt cannot plan the installation.
    pub fn missing_for(&self, packages: &[&str]) -> Result<Vec<String>> {
        let text = process::captured(
            self.get()
                .args(["-s", "--no-install-recommends", "install"])
                .args(packages),
        )?;
        Ok(planned(&text).map(str::to_owned).collect())
    }

    /// Fetches `packages` and unpacks them into `folder` as if it were `/`.
    ///
    /// # Errors
    /// When a package cannot be fetched or unpacked.
    pub fn unpack(&self, packages: &[String], folder: &Path) -> Result<()> {
        let downloads = self.state.join("packages");
        if downloads.exists() {
            fs::remove_dir_all(&downloads)
                .with_context(|| format!("cannot empty {}", downloads.display()))?;
        }
        fs::create_dir_all(&downloads)
            .with_context(|| format!("cannot make {}", downloads.display()))?;
        note(&format!("fetching {}", packages.join(" ")));
        process::run(
            self.get()
                .current_dir(&downloads)
                .args(["-q", "download"])
                .args(packages),
        )?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for entry in fs::read_dir(&downloads)? {
            process::run(
                Command::new("dpkg")
                    .arg("-x")
                    .arg(entry?.path())
                    .arg(folder),
            )?;
        }
        fs::remove_dir_all(&downloads)
            .with_context(|| format!("cannot empty {}", downloads.display()))
    }

    fn get(&self) -> Command {
        let mut command = Command::new("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("LC_ALL", "C")
            .arg("-oAcquire::Retries=3");
        if process::is_root() {
            // Apt's own unprivileged user cannot write into our folder; without this it warns for each package.
            command.arg("-oAPT::Sandbox::User=root");
        }
        command.args(&self.options);
        command
    }

    fn cache(&self) -> Command {
        let mut command = Command::new("apt-cache");
        command.env("LC_ALL", "C").args(&self.options);
        command
    }
}

/// Installs packages into the system; needs root.
///
/// # Errors
/// When apt fails.
pub fn install(packages: &[&str]) -> Result<()> {
    let apt = || {
        let mut command = Command::new("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(["-q", "-y", "-oAcquire::Retries=3"]);
        command
    };
    process::run(apt().arg("update"))?;
    process::run(
        apt()
            .args(["--no-install-recommends", "install"])
            .args(packages),
    )
}

/// Writes scripts into `bin` of a folder of unpacked packages that run `names` of the folder `programs` in it with the
/// unpacked libraries. They find themselves, so the folder may move.
///
/// # Errors
/// When a script cannot be written.
pub fn wrap(folder: &Path, programs: &Path, names: &[&str]) -> Result<()> {
    let scripts = folder.join("bin");
    fs::create_dir_all(&scripts)?;
    let inside = programs
        .strip_prefix(folder)
        .context("the programs lie outside of the folder")?;
    for name in names {
        let script = format!(
            "#!/bin/sh\n\
             here=$(CDPATH='' cd -- \"$(dirname -- \"$0\")/..\" && pwd)\n\
             for libraries in \"$here\"/usr/lib/*-linux-gnu*; do :; done\n\
             LD_LIBRARY_PATH=\"$libraries\" exec \"$here/{}/{name}\" \"$@\"\n",
            inside.display()
        );
        fs::write(scripts.join(name), script)?;
    }
    let files = names.iter().map(|name| scripts.join(name));
    process::run(Command::new("chmod").arg("+x").args(files))
}

/// Names after `Depends:` in the output of `apt-cache depends`, virtual ones (`<name>`) left out.
fn needed_by(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| {
            line.trim_start()
                .trim_start_matches('|')
                .strip_prefix("Depends: ")
        })
        .filter(|name| !name.starts_with('<'))
}

/// Names after `Inst` in the output of `apt-get -s install`; a version in brackets after the name is an upgrade of
/// something that is there and serves.
fn planned(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("Inst ")?.split_once(' ')?;
        (!rest.starts_with('[')).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_a_package_needs() {
        let text = "rustc-web\n  Depends: libc6\n |Depends: gcc\n  Depends: <libc-dev>\n  Recommends: cargo-web\n";
        assert_eq!(needed_by(text).collect::<Vec<_>>(), ["libc6", "gcc"]);
    }

    #[test]
    fn plans_additions_and_leaves_upgrades() {
        let text = "NOTE: This is only a simulation!\nInst libllvm22 (1:22.1.8 Debian [amd64])\n\
                    Inst postgresql-common [248] (249 Debian [all]) []\nConf libllvm22 (1:22.1.8 Debian [amd64])\n";
        assert_eq!(planned(text).collect::<Vec<_>>(), ["libllvm22"]);
    }
}
