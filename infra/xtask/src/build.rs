//! Building: the server for this machine, the components for WebAssembly, all of them side by side in one folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::manifest::Manifest;
use crate::openapi;
use crate::places::{self, Places};
use crate::process;
use crate::setup::{Target, WasmToolchain};
use crate::steps::{Steps, note};

/// The profile of components, in the root `Cargo.toml`.
const GUEST_PROFILE: &str = "guest";

/// Options of `build`.
#[derive(clap::Args)]
pub struct Options {
    /// Optimise the server
    #[arg(long)]
    release: bool,
}

impl Options {
    /// The server's profile.
    pub fn profile(&self) -> Profile {
        if self.release {
            Profile::Release
        } else {
            Profile::Dev
        }
    }
}

/// How the server is built.
#[derive(Debug, Clone, Copy)]
pub enum Profile {
    Dev,
    Release,
}

impl Profile {
    /// The folder below the target folder.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }
}

/// A package of the workspace that becomes a component.
#[derive(Debug, PartialEq, Eq)]
struct Component {
    package: String,
    file: String,
    target: Target,
}

/// Builds components and server.
///
/// # Errors
/// When cargo fails or the manifest names a component nobody built.
pub fn everything(places: &Places, wasm: &WasmToolchain, profile: Profile) -> Result<()> {
    components(places, wasm)?;
    server(places, profile)
}

/// Builds all components and puts them, the manifest and the API's description into the folder the server loads from.
///
/// # Errors
/// As [`everything`].
pub fn components(places: &Places, wasm: &WasmToolchain) -> Result<()> {
    let all = of_workspace(&places::cargo_metadata(&places.root)?);
    let mut steps = Steps::default();
    for target in [Target::Wasip2, Target::Bare] {
        let some: Vec<&Component> = all
            .iter()
            .filter(|component| component.target == target)
            .collect();
        let why = match target {
            Target::Wasip2 => "routes and event handlers",
            Target::Bare => "the judge, which imports nothing but its extension",
        };
        steps.run(&format!("build {}", target.name()), why, || {
            compile(places, wasm, target, &some)
        })?;
    }
    gather(places, &all)
}

fn compile(
    places: &Places,
    wasm: &WasmToolchain,
    target: Target,
    components: &[&Component],
) -> Result<()> {
    let mut cargo = process::cargo(&places.root);
    cargo
        .args(["build", "--profile", GUEST_PROFILE, "--target-dir"])
        .arg(places.guests());
    wasm.configure(&mut cargo, target);
    for component in components {
        cargo.args(["-p", &component.package]);
    }
    process::run(&mut cargo)
}

/// Builds components and, for release, server and benchmark: in one call of cargo, so that what both use is built once.
///
/// # Errors
/// As [`everything`].
pub fn for_bench(places: &Places, wasm: &WasmToolchain) -> Result<()> {
    components(places, wasm)?;
    Steps::default().run(
        "build bench",
        "the server and what measures it, optimised",
        || {
            let mut cargo = process::cargo(&places.root);
            cargo.args(["build", "--release", "-p", "g1t-work", "-p", "g1t-tests"]);
            cargo.args(["--bins", "--features", "g1t-tests/bench"]);
            process::run(&mut cargo)
        },
    )
}

fn server(places: &Places, profile: Profile) -> Result<()> {
    // For work on it the server is built out of all default members and with the tests' features, so that what
    // `cargo xtask test` compiled is not compiled a second time. For use it gets what it needs itself.
    let of: &[&str] = match profile {
        Profile::Dev => &["--bin", "g1t-work", "--features", "g1t-tests/beside-tests"],
        Profile::Release => &["--package", "g1t-work"],
    };
    Steps::default().run(
        "build g1t-work",
        "the server and its commands, for this machine",
        || {
            let mut cargo = process::cargo(&places.root);
            cargo.args(["build", "--profile", profile.name()]).args(of);
            process::run(&mut cargo)
        },
    )
}

/// Packages with a `cdylib` target; those beside the rules are for the bare target, all others for WASI.
fn of_workspace(metadata: &Value) -> Vec<Component> {
    let packages = metadata["packages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let mut found: Vec<Component> = packages.iter().filter_map(component_of).collect();
    found.sort_by(|a, b| a.package.cmp(&b.package));
    found
}

fn component_of(package: &Value) -> Option<Component> {
    let is_component = |target: &&Value| {
        target["crate_types"]
            .as_array()
            .is_some_and(|types| types.iter().any(|kind| kind == "cdylib"))
    };
    let target = package["targets"].as_array()?.iter().find(is_component)?;
    let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
    let beside_rules = folder.ends_with("rules-wasm/component");
    Some(Component {
        package: package["name"].as_str()?.to_owned(),
        file: format!("{}.wasm", target["name"].as_str()?.replace('-', "_")),
        target: if beside_rules {
            Target::Bare
        } else {
            Target::Wasip2
        },
    })
}

fn gather(places: &Places, components: &[Component]) -> Result<()> {
    let folder = places.components();
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for component in components {
        let built = places
            .guests()
            .join(component.target.name())
            .join(GUEST_PROFILE)
            .join(&component.file);
        copy_if_changed(&built, &folder.join(&component.file))?;
    }
    copy_if_changed(&places.root.join(Manifest::FILE), &folder.join("app.toml"))?;
    let description = openapi::put_together(places)?;
    write_if_changed(description.as_bytes(), &folder.join(openapi::FILE))?;
    remove_others(&folder, components)?;
    let lacking: Vec<String> = Manifest::read(places)?
        .sources
        .into_iter()
        .filter(|source| !folder.join(source).is_file())
        .collect();
    if !lacking.is_empty() {
        bail!(
            "{} names {}, which no package of the workspace makes",
            Manifest::FILE,
            lacking.join(", ")
        );
    }
    note(&format!(
        "{} components, the manifest and the API's description in {}",
        components.len(),
        folder.display()
    ));
    Ok(())
}

/// Leaves an unchanged file as it is: the server's cache of compiled code and cargo go by time of change.
fn copy_if_changed(from: &Path, to: &Path) -> Result<()> {
    let new = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    write_if_changed(&new, to)
}

/// As [`copy_if_changed`], with what the file is to hold.
fn write_if_changed(new: &[u8], to: &Path) -> Result<()> {
    if fs::read(to).is_ok_and(|old| old == new) {
        return Ok(());
    }
    // A server that is starting must never read half a file.
    let half = to.with_extension("half");
    fs::write(&half, new).with_context(|| format!("cannot write {}", half.display()))?;
    fs::rename(&half, to).with_context(|| format!("cannot write {}", to.display()))
}

fn remove_others(folder: &Path, components: &[Component]) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        let is_component = path
            .extension()
            .is_some_and(|extension| extension == "wasm");
        let is_ours = components
            .iter()
            .any(|component| path.ends_with(&component.file));
        if is_component && !is_ours {
            note(&format!("removing {}: its package is gone", path.display()));
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, folder: &str, kind: &str) -> Value {
        json!({
            "name": name, "manifest_path": format!("/r/{folder}/Cargo.toml"),
            "targets": [{ "name": name, "crate_types": [kind] }],
        })
    }

    #[test]
    fn components_are_the_cdylibs_and_the_judge_is_bare() {
        let metadata = json!({ "packages": [
            package("route-pulls", "plugins/routes/pulls", "cdylib"),
            package("g1t-kit", "plugins/kit", "lib"),
            package("judge", "rules-wasm/component", "cdylib"),
        ]});
        let component = |package: &str, file: &str, target| Component {
            package: package.into(),
            file: file.into(),
            target,
        };
        let expected = [
            component("judge", "judge.wasm", Target::Bare),
            component("route-pulls", "route_pulls.wasm", Target::Wasip2),
        ];
        assert_eq!(of_workspace(&metadata), expected);
    }

    #[test]
    fn an_unchanged_file_keeps_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::write(&from, "one").unwrap();
        copy_if_changed(&from, &to).unwrap();
        let before = fs::metadata(&to).unwrap().modified().unwrap();
        copy_if_changed(&from, &to).unwrap();
        assert_eq!(fs::metadata(&to).unwrap().modified().unwrap(), before);
        fs::write(&from, "two").unwrap();
        copy_if_changed(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "two");
    }
}
