//! A Rust compiler for `wasm32-wasip2` (routes, event handlers) and `wasm32-unknown-unknown` (the judge).
//!
//! | way | when |
//! |---|---|
//! | installed | the toolchain has both targets' libraries |
//! | unpacked before | the third way was taken earlier |
//! | `rustup target add` | rustup is there and reaches its servers in time |
//! | the distribution's compiler | apt has `rustc-web`: unpacked into the target folder, std built from its source |
//!
//! All of them link with the `wasm-component-ld` that rustup's toolchains carry, so what cargo makes is a component on
//! both targets. On `wasm32-unknown-unknown` it has no imports but those of its WIT world.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::apt::Apt;
use crate::places::Places;
use crate::process;
use crate::steps::note;

/// How long rustup may take to fetch two libraries of about 20 MB; without a network it would try for minutes.
const RUSTUP_LIMIT: Duration = Duration::from_secs(90);

/// Set to `distribution` to take the distribution's compiler though another way would work.
const CHOICE: &str = "G1T_WASM_TOOLCHAIN";

/// What a component is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Components that use std: routes and event handlers.
    Wasip2,
    /// Components that import nothing they do not name: the judge.
    Bare,
}

impl Target {
    const ALL: [Self; 2] = [Self::Wasip2, Self::Bare];

    /// The name rustc knows it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wasip2 => "wasm32-wasip2",
            Self::Bare => "wasm32-unknown-unknown",
        }
    }
}

/// A compiler that was found or made.
#[derive(Debug)]
pub struct WasmToolchain {
    linkers: PathBuf,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Installed,
    Distribution(PathBuf),
}

impl WasmToolchain {
    /// The first way that works.
    ///
    /// # Errors
    /// When none does, with what to install.
    pub fn provide(places: &Places) -> Result<Self> {
        let linkers = linkers()?;
        let unpacked = places.toolchain().join("rust");
        let source = if env::var(CHOICE).is_ok_and(|choice| choice == "distribution") {
            Source::distribution(&unpacked)?
        } else if installed() {
            note("wasm: the toolchain has the targets");
            Source::Installed
        } else if complete(&unpacked).is_file() {
            Source::distribution(&unpacked)?
        } else if added_by_rustup() {
            note("wasm: rustup added the targets");
            Source::Installed
        } else {
            Source::distribution(&unpacked).context(format!(
                "no way to compile for {}: run `rustup target add {} {}` where there is a network",
                Target::Wasip2.name(),
                Target::Wasip2.name(),
                Target::Bare.name()
            ))?
        };
        Ok(Self { linkers, source })
    }

    /// Makes `cargo` compile for `target` with this toolchain.
    pub fn configure(&self, cargo: &mut Command, target: Target) {
        cargo.args(["--target", target.name()]);
        // Flags meant for native code, a faster linker for instance, do not fit here.
        cargo.env_remove("RUSTFLAGS");
        let linker = format!(
            "-Clinker={}",
            self.linkers.join("wasm-component-ld").display()
        );
        // The standard library of rustup's targets brings 2 MB of debug information into each component; names of
        // functions, which traps are told by, stay.
        let mut flags = vec![linker, "-Cstrip=debuginfo".to_owned()];
        if let Source::Distribution(folder) = &self.source {
            cargo.arg("-Zbuild-std=std,panic_abort");
            cargo
                .env("RUSTC", folder.join("rustc"))
                .env("RUSTC_BOOTSTRAP", "1");
            flags.push(format!(
                "-Clink-arg=--wasm-ld-path={}",
                self.linkers.join("gcc-ld/wasm-ld").display()
            ));
            if target == Target::Wasip2 {
                flags.push("-Clink-self-contained=no".to_owned());
                flags.push(format!(
                    "-L{}",
                    folder.join("usr/lib/wasm32-wasi").display()
                ));
            }
        }
        // Unlike RUSTFLAGS this separator allows blanks in paths.
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    }
}

impl Source {
    fn distribution(folder: &Path) -> Result<Self> {
        if !complete(folder).is_file() {
            note(
                "wasm: no targets installed and rustup cannot add them; unpacking the distribution's compiler",
            );
            unpack(folder)?;
        }
        write_compiler(folder)?;
        let version = process::captured(Command::new(folder.join("rustc")).arg("--version"))
            .with_context(|| {
                format!(
                    "the unpacked compiler does not run: remove {}",
                    folder.display()
                )
            })?;
        fs::write(complete(folder), &version)?;
        note(&format!(
            "wasm: {} of the distribution, std from its source",
            version.trim()
        ));
        Ok(Self::Distribution(folder.to_path_buf()))
    }
}

/// The file that says an earlier run got to the end.
fn complete(folder: &Path) -> PathBuf {
    folder.join("complete")
}

fn unpack(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let parent = folder
        .parent()
        .context("the toolchain folder has no parent")?;
    let apt = Apt::knowing("rustc-web", parent)?;
    // Which library and which LLVM the compiler needs moves with the distribution's updates: ask.
    let mut packages = apt.with_needed("rustc-web", |name| {
        name.starts_with("libstd-rust-web") || name.starts_with("libllvm")
    })?;
    let llvm: Vec<&str> = packages
        .iter()
        .map(String::as_str)
        .filter(|name| name.starts_with("libllvm"))
        .collect();
    for name in apt.missing_for(&llvm)? {
        if !packages.contains(&name) {
            packages.push(name);
        }
    }
    packages.extend(["rust-web-src", "wasi-libc"].map(str::to_owned));
    apt.unpack(&packages, folder)
}

/// Writes the script that runs the unpacked compiler with its own libraries. It finds itself, so the folder may move.
fn write_compiler(folder: &Path) -> Result<()> {
    let script = "#!/bin/sh\n\
        here=$(CDPATH='' cd -- \"$(dirname -- \"$0\")\" && pwd)\n\
        for libraries in \"$here\"/usr/lib/*-linux-gnu*; do :; done\n\
        LD_LIBRARY_PATH=\"$libraries\" exec \"$here/usr/bin/rustc\" \"$@\"\n";
    let file = folder.join("rustc");
    // Cargo looks at the compiler's time of change: an unchanged script stays untouched.
    if fs::read_to_string(&file).is_ok_and(|old| old == script) {
        return Ok(());
    }
    fs::write(&file, script).with_context(|| format!("cannot write {}", file.display()))?;
    process::run(Command::new("chmod").arg("+x").arg(&file))
}

/// The folder of rustup's toolchain that has `wasm-component-ld` and `gcc-ld/wasm-ld`.
fn linkers() -> Result<PathBuf> {
    let version = process::captured(rustc().arg("-vV"))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("`rustc -vV` names no host")?;
    let sysroot = process::captured(rustc().args(["--print", "sysroot"]))?;
    let folder = Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(host)
        .join("bin");
    if !folder.join("wasm-component-ld").is_file() {
        bail!(
            "{} has no wasm-component-ld: use a Rust toolchain installed by rustup",
            folder.display()
        );
    }
    Ok(folder)
}

fn installed() -> bool {
    Target::ALL.iter().all(|target| {
        process::captured(rustc().args(["--print", "target-libdir", "--target", target.name()]))
            .is_ok_and(|folder| Path::new(folder.trim()).is_dir())
    })
}

fn added_by_rustup() -> bool {
    if process::on_path("rustup").is_none() {
        return false;
    }
    note(&format!(
        "wasm: asking rustup for the targets, at most {} s",
        RUSTUP_LIMIT.as_secs()
    ));
    let mut rustup = Command::new("rustup");
    rustup
        .args(["target", "add"])
        .args(Target::ALL.map(Target::name));
    process::succeeds_within(&mut rustup, RUSTUP_LIMIT) && installed()
}

fn rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}
