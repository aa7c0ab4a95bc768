use std::collections::BTreeMap;
use std::sync::Arc;

use g1t_repos::Repos;
use sqlx::PgPool;
use wasmtime::component::{HasData, ResourceTable};
use wasmtime::{Engine, Store, UpdateDeadline};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{
    RequestOptions, WasiBody, WasiHttpCtx, WasiHttpCtxView, WasiHttpHooks, WasiHttpView,
};

use super::limiter::{Limiter, MemoryBudget};
use super::log::GuestLog;
use crate::capability::judge::Judge;
use crate::capability::postgres::GuestPool;
use crate::limits;
use crate::manifest::{ComponentSpec, Grants};

/// What capabilities work with, shared by all calls.
pub struct Services {
    /// Connections for guests.
    pub guests: GuestPool,
    /// Connections of the host itself.
    pub pool: PgPool,
    pub repos: Repos,
    pub judge: Judge,
    /// Settings for components, by name.
    pub variables: BTreeMap<String, String>,
    pub memory: Arc<MemoryBudget>,
}

/// Whose call it is: what every capability goes by.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Names the request or event in logs and answers.
    pub id: String,
    /// Number of the workspace the path or the event names.
    pub workspace: Option<i64>,
    /// Number of the user; none for the system.
    pub actor: Option<i64>,
}

/// The state of one store of the app engine.
pub struct GuestState {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    outbound: NoOutbound,
    pub table: ResourceTable,
    pub(super) limiter: Limiter,
    pub call: Call,
    pub component: Arc<ComponentSpec>,
    pub services: Arc<Services>,
}

/// Names [`GuestState`] to the generated linker functions.
pub struct Guest;

impl HasData for Guest {
    type Data<'a> = &'a mut GuestState;
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl WasiHttpView for GuestState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView {
            hooks: &mut self.outbound,
            table: &mut self.table,
            ctx: &mut self.http,
        }
    }
}

/// No component has a reason to call out: what `wasi:http` offers for it is refused.
struct NoOutbound;

type Sent = wasmtime_wasi_http::Result<(
    http::Response<WasiBody>,
    Box<dyn Future<Output = wasmtime_wasi_http::Result<()>> + Send>,
)>;

impl WasiHttpHooks for NoOutbound {
    fn send_request(
        &mut self,
        _: http::Request<WasiBody>,
        _: Option<RequestOptions>,
        _: Box<dyn Future<Output = wasmtime_wasi_http::Result<()>> + Send>,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        Box::new(async { Err(wasmtime_wasi_http::Error::HttpRequestDenied) })
    }
}

impl GuestState {
    /// A store for one instance, with its limits armed: nothing of a guest runs without them.
    pub(super) fn store(
        engine: &Engine,
        component: Arc<ComponentSpec>,
        services: Arc<Services>,
    ) -> Store<Self> {
        let log = GuestLog::new(&component.name);
        // A new context has no files, no environment, no arguments and no network.
        let wasi = WasiCtx::builder().stdout(log.clone()).stderr(log).build();
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits::RESOURCES);
        let limiter = Limiter::new(
            Arc::clone(&services.memory),
            component.limits.memory_bytes,
            limits::TABLE_ELEMENTS,
        );
        let state = Self {
            wasi,
            http: WasiHttpCtx::new(),
            outbound: NoOutbound,
            table,
            limiter,
            call: Call::default(),
            component,
            services,
        };
        let hostcall_bytes = hostcall_bytes(&state.component.grants);
        let mut store = Store::new(engine, state);
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(hostcall_bytes);
        // A guest that computes gives way at each tick, so that timers around it can fire and others can run.
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|_| {
            Ok(UpdateDeadline::YieldCustom(
                1,
                Box::pin(tokio::task::yield_now()),
            ))
        });
        store
    }
}

/// Bytes that one call of a guest may bring.
fn hostcall_bytes(grants: &Grants) -> usize {
    if grants.judge {
        limits::JUDGED_HOSTCALL_BYTES
    } else {
        limits::APP_HOSTCALL_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::{Grants, hostcall_bytes};

    #[test]
    fn whoever_has_changes_judged_may_bring_large_facts() {
        let facts = 20 << 20;
        let judged = Grants {
            judge: true,
            ..Grants::default()
        };
        assert!(hostcall_bytes(&judged) > 2 * facts);
        assert!(hostcall_bytes(&Grants::default()) < facts);
    }
}
