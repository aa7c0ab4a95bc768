use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use std::hash::{DefaultHasher, Hash, Hasher};
use tracing::{info, warn};
use wasmtime::Engine;
use wasmtime::component::Component;

/// Compiled code on disk, so that a start does not compile what the last one did.
///
/// The files are native code: whoever can write them runs as the host. So the folder is the host's own, made with no
/// access for others, and nothing is loaded that this host did not write: a name is the digest of the component's bytes
/// and of the engine's configuration, and an upload never gets here.
#[derive(Clone, Debug)]
pub struct CodeCache {
    folder: PathBuf,
}

/// Why a component's code could not be had.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error("{path}: cannot be read; build the components with `cargo xtask build`")]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{path}: is not a component this host can run")]
    Invalid {
        path: PathBuf,
        #[source]
        source: wasmtime::Error,
    },
}

impl CodeCache {
    /// A cache in a folder, which is made when it is missing.
    ///
    /// # Errors
    /// When the folder cannot be made, or is one that others may write to.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        let found = std::fs::metadata(folder)?;
        // This process's own entry says who it runs as.
        let own = std::fs::metadata("/proc/self")?.uid();
        if found.uid() != own || found.mode() & 0o022 != 0 {
            return Err(std::io::Error::new(
                ErrorKind::PermissionDenied,
                format!(
                    "{}: others may write to this folder, and what is in it runs as this host: make it this user's own with \
                     mode 0700, or name another by --code",
                    folder.display()
                ),
            ));
        }
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// The component in a file, compiled for an engine, and the SHA-256 of its bytes.
    pub fn load(&self, engine: &Engine, path: &Path) -> Result<(Component, [u8; 32]), CacheError> {
        let bytes = std::fs::read(path).map_err(|source| CacheError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        let file = self.folder.join(self.name(engine, &digest));
        if let Some(component) = kept(engine, &file) {
            return Ok((component, digest));
        }
        // Several hosts that start at once compile each component once; without the lock each compiles for itself.
        let lock = self.lock(&file);
        if lock.is_ok()
            && let Some(component) = kept(engine, &file)
        {
            return Ok((component, digest));
        }
        info!(component = %path.display(), "compiling");
        let component =
            Component::from_binary(engine, &bytes).map_err(|source| CacheError::Invalid {
                path: path.to_owned(),
                source,
            })?;
        if let Err(error) = component
            .serialize()
            .map_err(std::io::Error::other)
            .and_then(|code| self.store(&file, &code))
        {
            warn!(%error, "compiled code could not be kept; the next start compiles again");
        }
        Ok((component, digest))
    }

    /// Waits for whoever compiles the same; the lock ends with the file that is given, or with the process.
    fn lock(&self, file: &Path) -> std::io::Result<std::fs::File> {
        let lock = std::fs::File::create(file.with_extension("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    fn name(&self, engine: &Engine, digest: &[u8; 32]) -> String {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hex}-{:016x}.code", hasher.finish())
    }

    /// Other processes may map the file: it appears whole, under its name, and is never written again.
    fn store(&self, file: &Path, code: &[u8]) -> std::io::Result<()> {
        let mut temporary = tempfile::NamedTempFile::new_in(&self.folder)?;
        temporary.write_all(code)?;
        temporary.as_file().sync_all()?;
        temporary.persist(file).map_err(|error| error.error)?;
        Ok(())
    }
}

/// The compiled code in a file; none when there is no such, or it is another host's.
fn kept(engine: &Engine, file: &Path) -> Option<Component> {
    if !file.exists() {
        return None;
    }
    // SAFETY: only `store` above writes into this folder, which others cannot write to.
    match unsafe { Component::deserialize_file(engine, file) } {
        Ok(component) => Some(component),
        Err(error) => {
            warn!(%error, "compiled code does not fit this host; compiling again");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_folder_that_others_may_write_to_is_refused() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("code");
        assert!(CodeCache::open(&folder).is_ok(), "made by itself");
        assert!(CodeCache::open(&folder).is_ok(), "found again");
        std::fs::set_permissions(&folder, Permissions::from_mode(0o770)).unwrap();
        let refused = CodeCache::open(&folder).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
        assert!(refused.to_string().contains("--code"), "{refused}");
    }
}
