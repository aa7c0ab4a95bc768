use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::{Matched, Pattern};
use crate::limits;

/// What a component may do with a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    Read,
    Write,
}

/// What a component may use. Nothing, unless said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grants {
    pub database: Option<Access>,
    pub git: Option<Access>,
    pub judge: bool,
    pub variables: Vec<String>,
}

/// Limits of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub memory_bytes: usize,
    pub deadline: Duration,
    /// Requests one instance works on at the same time. 1 for whoever has the database: a connection belongs to the
    /// request that opened it, and with two in one instance the host could not tell whose it is.
    pub concurrent: usize,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawLimits {
    memory_mib: Option<Spanned<usize>>,
    deadline_ms: Option<u64>,
    concurrent: Option<Spanned<usize>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawComponent {
    source: String,
    #[serde(default)]
    routes: Vec<Spanned<String>>,
    #[serde(default)]
    events: Vec<String>,
    #[serde(default)]
    grants: Grants,
    #[serde(default)]
    limits: RawLimits,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawManifest {
    judge: RawJudge,
    #[serde(default)]
    component: BTreeMap<String, Spanned<RawComponent>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawJudge {
    source: String,
}

/// One component of the manifest.
#[derive(Clone, Debug)]
pub struct ComponentSpec {
    pub name: String,
    pub source: PathBuf,
    pub routes: Vec<Pattern>,
    pub events: Vec<String>,
    pub grants: Grants,
    pub limits: Limits,
    /// Line of the manifest where it begins, from 1: for messages.
    pub line: usize,
}

/// The whole manifest.
#[derive(Clone, Debug)]
pub struct Manifest {
    pub path: PathBuf,
    pub judge: PathBuf,
    pub components: Vec<ComponentSpec>,
}

/// A manifest that cannot be used: where, and what to change.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("{path}: cannot be read; give the folder of the components by --components")]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{path}:{line}: {message}")]
    Wrong {
        path: PathBuf,
        line: usize,
        message: String,
    },
}

impl Manifest {
    /// Reads `app.toml` of a folder; sources are relative to the folder.
    pub fn read(folder: &Path) -> Result<Self, ManifestError> {
        let path = folder.join("app.toml");
        let text = std::fs::read_to_string(&path).map_err(|source| ManifestError::Unreadable {
            path: path.clone(),
            source,
        })?;
        Self::parse(&path, folder, &text)
    }

    /// # Errors
    /// The first thing that is wrong, with the line it stands on.
    pub fn parse(path: &Path, folder: &Path, text: &str) -> Result<Self, ManifestError> {
        let wrong = |offset: usize, message: String| ManifestError::Wrong {
            path: path.to_owned(),
            line: line_of(text, offset),
            message,
        };
        let raw: RawManifest = toml::from_str(text).map_err(|error| {
            wrong(
                error.span().map_or(0, |span| span.start),
                error.message().trim().to_owned(),
            )
        })?;
        let mut components = Vec::new();
        for (name, spanned) in raw.component {
            let start = spanned.span().start;
            let component = spanned.into_inner();
            let mut routes = Vec::new();
            for route in &component.routes {
                let pattern = Pattern::parse(route.get_ref())
                    .map_err(|message| wrong(route.span().start, message))?;
                routes.push(pattern);
            }
            if routes.is_empty() && component.events.is_empty() {
                return Err(wrong(
                    start,
                    format!("'{name}' has neither routes nor events: nothing would call it"),
                ));
            }
            components.push(ComponentSpec {
                limits: check_limits(&component)
                    .map_err(|(offset, message)| wrong(offset, message))?,
                source: folder.join(&component.source),
                routes,
                events: component.events,
                grants: component.grants,
                line: line_of(text, start),
                name,
            });
        }
        Ok(Self {
            path: path.to_owned(),
            judge: folder.join(raw.judge.source),
            components,
        })
    }

    /// Who answers a path: the component and what its pattern found. `Err` has the methods that the path does have.
    pub fn route(&self, method: &str, path: &str) -> Result<(&ComponentSpec, Matched), Vec<&str>> {
        let mut others = Vec::new();
        let mut best: Option<(Vec<u8>, &ComponentSpec, Matched)> = None;
        for component in &self.components {
            for pattern in &component.routes {
                let Some(matched) = pattern.matches_path(path) else {
                    continue;
                };
                if pattern.method() != method {
                    others.push(pattern.method());
                    continue;
                }
                let specificity = pattern.specificity();
                if best
                    .as_ref()
                    .is_none_or(|(so_far, ..)| specificity < *so_far)
                {
                    best = Some((specificity, component, matched));
                }
            }
        }
        best.map(|(_, component, matched)| (component, matched))
            .ok_or(others)
    }
}

fn check_limits(component: &RawComponent) -> Result<Limits, (usize, String)> {
    let most = limits::APP_MEMORY_BYTES_MOST >> 20;
    let memory_bytes = match &component.limits.memory_mib {
        None => limits::APP_MEMORY_BYTES,
        Some(mib) if (1..=most).contains(mib.get_ref()) => mib.get_ref() << 20,
        Some(mib) => {
            return Err((
                mib.span().start,
                format!("memory_mib must be from 1 to {most}"),
            ));
        }
    };
    let has_database = component.grants.database.is_some() || component.grants.git.is_some();
    let concurrent = match &component.limits.concurrent {
        None if has_database => 1,
        None => 16,
        Some(wanted) if has_database && *wanted.get_ref() != 1 => {
            return Err((
                wanted.span().start,
                "concurrent must be 1 with a grant for the database or git: leave it out"
                    .to_owned(),
            ));
        }
        Some(wanted) => (*wanted.get_ref()).max(1),
    };
    let deadline = component
        .limits
        .deadline_ms
        .map_or(limits::APP_DEADLINE, Duration::from_millis);
    Ok(Limits {
        memory_bytes,
        deadline,
        concurrent,
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}
