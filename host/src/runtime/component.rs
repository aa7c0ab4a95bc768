use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};
use wasmtime_wasi_http::handler::{ProxyPre, Request};

use super::cache::{CacheError, CodeCache};
use super::events::{EventComponent, Handled};
use super::reuse::{HttpComponent, Reply};
use super::slots::Slots;
use super::state::{Call, GuestState, Services};
use crate::bindings::handler::EventHandlerPre;
use crate::bindings::handler::exports::g1t::events::handler::Event;
use crate::capability;
use crate::limits;
use crate::manifest::{Access, ComponentSpec, Manifest};

/// Why the components cannot be run. Each names the manifest's line and what to change.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Code(#[from] CacheError),
    #[error(
        "{manifest}:{line}: component '{component}' imports {interface}, which it is not granted: {remedy}"
    )]
    NotGranted {
        manifest: PathBuf,
        line: usize,
        component: String,
        interface: String,
        remedy: String,
    },
    #[error("{manifest}:{line}: component '{component}' {why}")]
    Wrong {
        manifest: PathBuf,
        line: usize,
        component: String,
        why: String,
    },
    #[error("{manifest}:{line}: component '{component}' does not fit this host")]
    Unlinkable {
        manifest: PathBuf,
        line: usize,
        component: String,
        #[source]
        source: wasmtime::Error,
    },
}

/// Every component of the manifest, ready to be called.
pub struct Components {
    http: BTreeMap<String, HttpComponent>,
    events: BTreeMap<String, Vec<Arc<EventComponent>>>,
    slots: Slots,
}

const P3: &str = "wasi:http/handler@0.3";
const P2: &str = "wasi:http/incoming-handler@0.2";
const HANDLER: &str = "g1t:events/handler@0.1.0";

impl Components {
    /// Loads every component, checks what it imports against what it is granted, and links it.
    pub fn load(
        engine: &Engine,
        cache: &CodeCache,
        manifest: &Manifest,
        services: &Arc<Services>,
    ) -> Result<Self, LoadError> {
        let mut all = Self {
            http: BTreeMap::new(),
            events: BTreeMap::new(),
            slots: Slots::new(limits::APP_INSTANCES),
        };
        for spec in &manifest.components {
            let (component, _) = cache.load(engine, &spec.source)?;
            let one = One {
                engine,
                manifest,
                spec,
                component,
            };
            one.check_imports()?;
            all.add(&one, services)?;
        }
        Ok(all)
    }

    fn add(&mut self, one: &One<'_>, services: &Arc<Services>) -> Result<(), LoadError> {
        let spec = Arc::new(one.spec.clone());
        let pre = one.link()?;
        let unlinkable = |source| one.unlinkable(source);
        match one.kind()? {
            Kind::P3 | Kind::P2 if !spec.events.is_empty() => {
                Err(one.wrong(format!("takes events but does not export {HANDLER}")))
            }
            Kind::Handler if !spec.routes.is_empty() => {
                Err(one.wrong(format!("has routes but does not export {P3}.x")))
            }
            Kind::P3 => {
                let pre =
                    wasmtime_wasi_http::p3::bindings::ServicePre::new(pre).map_err(unlinkable)?;
                let http = HttpComponent::new(
                    one.engine.clone(),
                    ProxyPre::P3(pre),
                    spec,
                    Arc::clone(services),
                    self.slots.clone(),
                );
                self.http.insert(one.spec.name.clone(), http);
                Ok(())
            }
            Kind::P2 => {
                let pre =
                    wasmtime_wasi_http::p2::bindings::ProxyPre::new(pre).map_err(unlinkable)?;
                let http = HttpComponent::new(
                    one.engine.clone(),
                    ProxyPre::P2(pre),
                    spec,
                    Arc::clone(services),
                    self.slots.clone(),
                );
                self.http.insert(one.spec.name.clone(), http);
                Ok(())
            }
            Kind::Handler => {
                let pre = EventHandlerPre::new(pre).map_err(unlinkable)?;
                let handler = Arc::new(EventComponent {
                    engine: one.engine.clone(),
                    pre,
                    component: Arc::clone(&spec),
                    services: Arc::clone(services),
                    slots: self.slots.clone(),
                });
                for kind in &spec.events {
                    self.events
                        .entry(kind.clone())
                        .or_default()
                        .push(Arc::clone(&handler));
                }
                Ok(())
            }
        }
    }

    /// Hands a request to a component of the manifest.
    pub async fn handle(
        &self,
        name: &str,
        call: Call,
        permit: OwnedSemaphorePermit,
        request: Request,
    ) -> Reply {
        match self.http.get(name) {
            Some(component) => component.handle(call, permit, request).await,
            None => Reply::Failed(wasmtime::format_err!("no HTTP component '{name}'")),
        }
    }

    /// Hands an event to every handler of its kind, one after the other; stops at the first that did not do it.
    pub async fn dispatch(&self, call: &Call, event: &Event) -> Handled {
        for handler in self.events.get(&event.kind).into_iter().flatten() {
            match handler.handle(call.clone(), event.clone()).await {
                Handled::Done => {}
                other => return other,
            }
        }
        Handled::Done
    }
}

enum Kind {
    P3,
    P2,
    Handler,
}

struct One<'a> {
    engine: &'a Engine,
    manifest: &'a Manifest,
    spec: &'a ComponentSpec,
    component: Component,
}

impl One<'_> {
    fn wrong(&self, why: String) -> LoadError {
        LoadError::Wrong {
            manifest: self.manifest.path.clone(),
            line: self.spec.line,
            component: self.spec.name.clone(),
            why,
        }
    }

    fn unlinkable(&self, source: wasmtime::Error) -> LoadError {
        LoadError::Unlinkable {
            manifest: self.manifest.path.clone(),
            line: self.spec.line,
            component: self.spec.name.clone(),
            source,
        }
    }

    fn kind(&self) -> Result<Kind, LoadError> {
        let mut found = Vec::new();
        for (name, _) in self.component.component_type().exports(self.engine) {
            if name.starts_with(P3) {
                found.push(Kind::P3);
            } else if name.starts_with(P2) {
                found.push(Kind::P2);
            } else if name == HANDLER {
                found.push(Kind::Handler);
            }
        }
        match (found.pop(), found.pop()) {
            (Some(kind), None) => Ok(kind),
            (None, _) => Err(self.wrong(format!("exports none of {P3}.x, {P2}.x, {HANDLER}"))),
            (Some(_), Some(_)) => {
                Err(self.wrong("exports more than one kind of handler: make two components".into()))
            }
        }
    }

    fn check_imports(&self) -> Result<(), LoadError> {
        for (name, _) in self.component.component_type().imports(self.engine) {
            let Some(remedy) = missing_grant(self.spec, name) else {
                continue;
            };
            return Err(LoadError::NotGranted {
                manifest: self.manifest.path.clone(),
                line: self.spec.line,
                component: self.spec.name.clone(),
                interface: name.to_owned(),
                remedy,
            });
        }
        Ok(())
    }

    fn link(&self) -> Result<wasmtime::component::InstancePre<GuestState>, LoadError> {
        let mut linker = Linker::new(self.engine);
        link_all(&mut linker).map_err(|source| self.unlinkable(source))?;
        linker
            .instantiate_pre(&self.component)
            .map_err(|source| self.unlinkable(source))
    }
}

/// What to write into the manifest for an import that is not granted; none when it is.
fn missing_grant(spec: &ComponentSpec, import: &str) -> Option<String> {
    let grants = &spec.grants;
    let add = |what: &str| Some(format!("add `{what}` to its grants"));
    let interface = import.split('@').next().unwrap_or(import);
    match interface {
        _ if interface.starts_with("wasi:") => None,
        "g1t:rules/types" | "g1t:git/types" | "g1t:events/types" => None,
        "spin:postgres/postgres" if grants.database.is_some() => None,
        "spin:postgres/postgres" => add("database = \"read\""),
        "spin:variables/variables" if !grants.variables.is_empty() => None,
        "spin:variables/variables" => add("variables = [\"NAME\"]"),
        "g1t:git/read" if grants.git.is_some() => None,
        "g1t:git/read" => add("git = \"read\""),
        "g1t:git/write" if grants.git == Some(Access::Write) => None,
        "g1t:git/write" => add("git = \"write\""),
        "g1t:rules/judge" | "g1t:rules/preview" if grants.judge => None,
        "g1t:rules/judge" | "g1t:rules/preview" => add("judge = true"),
        _ => Some("this host has no such interface; take the import out".into()),
    }
}

fn link_all(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_async(linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
    wasmtime_wasi::p3::add_to_linker(linker)?;
    wasmtime_wasi_http::p3::add_to_linker(linker)?;
    capability::postgres::add_to_linker(linker)?;
    capability::variables::add_to_linker(linker)?;
    capability::git::add_to_linker(linker)?;
    capability::judge::add_to_linker(linker)
}
