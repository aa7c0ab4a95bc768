//! HTTP components: which instance takes a request, how long it may work, when it is thrown away.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tracing::{debug, warn};
use wasmtime::component::GuestTaskId;
use wasmtime::{Engine, PoolConcurrencyLimitError, Store, StoreContextMut};
use wasmtime_wasi_http::WasiHttpView;
use wasmtime_wasi_http::handler::{
    ExpirationError, HandlerState, Instance, InstantiationError, ProxyHandler, ProxyPre, Request,
    Response, ShouldAccept, TrapOrPanicError, WorkerExpiration, WorkerState, WorkerStatus,
};

use super::slots::{NoSlot, Slot, Slots};
use super::state::{Call, GuestState, Services};
use crate::limits;
use crate::manifest::ComponentSpec;

/// What came of handing a request to a component.
pub enum Reply {
    Answered(Response),
    /// Ran longer than it may: 504.
    TimedOut,
    /// No instance to be had now: 503.
    Busy,
    /// Trapped, or answered nothing: 500. The cause is for the log.
    Failed(wasmtime::Error),
}

/// How an instance ended that had not answered yet: the library tells those who wait only that it did.
#[derive(Clone)]
enum End {
    TimedOut,
    Broken(String),
}

/// What goes with a request to the instance that takes it.
struct Taken {
    call: Call,
    permit: OwnedSemaphorePermit,
    end: oneshot::Sender<End>,
}

/// An HTTP component that can take requests.
pub(super) struct HttpComponent(ProxyHandler<Template>);

impl HttpComponent {
    pub(super) fn new(
        engine: Engine,
        pre: ProxyPre<GuestState>,
        component: Arc<ComponentSpec>,
        services: Arc<Services>,
        slots: Slots,
    ) -> Self {
        Self(ProxyHandler::new(Template {
            engine,
            pre,
            component,
            services,
            slots,
        }))
    }

    /// Runs one request. The permit is kept until the guest has answered or run out of time, even when nobody waits for
    /// the answer any more: an aborted client must not make room for a request that the guest has no room for.
    pub(super) async fn handle(
        &self,
        call: Call,
        permit: OwnedSemaphorePermit,
        request: Request,
    ) -> Reply {
        let (end, ended) = oneshot::channel();
        let taken = Taken { call, permit, end };
        match self.0.handle(taken, request).await {
            Ok(response) => Reply::Answered(response),
            Err(error) if error.is::<ExpirationError>() => Reply::TimedOut,
            // The instance is gone: it says why while it is dropped, or the sender goes with it.
            Err(error) if error.is::<TrapOrPanicError>() => match ended.await {
                Ok(End::TimedOut) => Reply::TimedOut,
                Ok(End::Broken(cause)) => Reply::Failed(wasmtime::format_err!("{cause}")),
                Err(_) => Reply::Failed(error),
            },
            Err(error) => match error.downcast::<InstantiationError<Taken>>() {
                Ok(refused)
                    if refused.error.is::<NoSlot>()
                        || refused.error.is::<PoolConcurrencyLimitError>() =>
                {
                    Reply::Busy
                }
                Ok(refused) => Reply::Failed(wasmtime::format_err!("{:#}", refused.error)),
                Err(error) => Reply::Failed(error),
            },
        }
    }
}

struct Template {
    engine: Engine,
    pre: ProxyPre<GuestState>,
    component: Arc<ComponentSpec>,
    services: Arc<Services>,
    slots: Slots,
}

impl HandlerState for Template {
    type StoreData = GuestState;
    type WorkerExpiration = Expiration;
    type WorkerState = Worker;

    async fn instantiate(&self) -> wasmtime::Result<Instance<GuestState, Expiration, Worker>> {
        let slot = self.slots.take().await?;
        let mut store = GuestState::store(
            &self.engine,
            Arc::clone(&self.component),
            Arc::clone(&self.services),
        );
        let proxy = tokio::time::timeout(
            limits::INSTANTIATE_DEADLINE,
            self.pre.instantiate_async(&mut store),
        )
        .await
        .map_err(|_| {
            wasmtime::format_err!(
                "took longer than {:?} to start",
                limits::INSTANTIATE_DEADLINE
            )
        })??;
        let timed_out = Arc::<AtomicBool>::default();
        let gave_up = Arc::<AtomicBool>::default();
        let busy = Arc::<AtomicBool>::default();
        Ok(Instance {
            store,
            proxy,
            view: GuestState::http,
            expiration: Expiration {
                deadline: self.component.limits.deadline,
                timer: None,
                timed_out: Arc::clone(&timed_out),
                gave_up: Arc::clone(&gave_up),
                busy: Arc::clone(&busy),
            },
            state: Worker {
                component: Arc::clone(&self.component),
                timed_out,
                gave_up,
                busy,
                taken: Mutex::default(),
                _slot: slot,
            },
        })
    }
}

/// When a worker is over: decided from outside its store, so also when a host call holds that.
struct Expiration {
    deadline: Duration,
    timer: Option<(WorkerStatus, Instant, Pin<Box<tokio::time::Sleep>>)>,
    /// Tells the worker that it is over because a request took too long.
    timed_out: Arc<AtomicBool>,
    /// Told by the worker: a request was given up, and the guest still works on an answer that nobody reads.
    gave_up: Arc<AtomicBool>,
    /// Tells the worker that nothing of the last request runs any more.
    busy: Arc<AtomicBool>,
}

/// Longer than a request's own timer, which ends first wherever the guest gives way.
const GRACE: Duration = Duration::from_millis(250);

fn allowance(status: WorkerStatus, deadline: Duration) -> Duration {
    match status {
        WorkerStatus::Idle => limits::IDLE,
        WorkerStatus::Requests => deadline.saturating_add(GRACE),
        WorkerStatus::PostReturn => limits::POST_RETURN,
    }
}

impl WorkerExpiration for Expiration {
    fn poll(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        status: WorkerStatus,
        start: Instant,
    ) -> Poll<()> {
        // Idle is the first the library tells of a guest that has ended its answer's body too, and whatever it did beside.
        // The worker has just said that it takes no request, so it is asked again.
        if status == WorkerStatus::Idle && self.busy.swap(false, Ordering::Relaxed) {
            cx.waker().wake_by_ref();
        }
        let allowance =
            if status == WorkerStatus::PostReturn && self.gave_up.load(Ordering::Relaxed) {
                Duration::ZERO
            } else {
                allowance(status, self.deadline)
            };
        let (_, _, timer) = match &mut self.timer {
            Some(timer) if timer.0 == status && timer.1 == start => timer,
            other => {
                let end = start + allowance;
                other.insert((
                    status,
                    start,
                    Box::pin(tokio::time::sleep_until(end.into())),
                ))
            }
        };
        let over = timer.as_mut().poll(cx);
        if over.is_ready() && status == WorkerStatus::Requests {
            self.timed_out.store(true, Ordering::Relaxed);
        }
        over
    }
}

struct Worker {
    component: Arc<ComponentSpec>,
    timed_out: Arc<AtomicBool>,
    gave_up: Arc<AtomicBool>,
    /// Something of the last request still runs, if only the answer's body.
    busy: Arc<AtomicBool>,
    /// Who wants to know when this instance ends: the requests in it, and some that were answered.
    taken: Mutex<Vec<oneshot::Sender<End>>>,
    /// The instance's place in the pool; the store is dropped before it.
    _slot: Slot,
}

/// Whether an instance takes another request. One that takes one at a time waits until nothing of the last runs any more,
/// for the store says whose request it is.
fn accepts(concurrent: usize, total: usize, at_once: usize, busy: bool) -> ShouldAccept {
    if total >= limits::REUSES {
        ShouldAccept::Never
    } else if concurrent >= at_once || (busy && at_once == 1) {
        ShouldAccept::No
    } else {
        ShouldAccept::Yes
    }
}

impl WorkerState for Worker {
    type StoreData = GuestState;
    type RequestData = Taken;

    fn should_accept_request(&self, concurrent: usize, total: usize) -> ShouldAccept {
        let busy = self.busy.load(Ordering::Relaxed);
        accepts(concurrent, total, self.component.limits.concurrent, busy)
    }

    fn on_request_start(
        &self,
        mut store: StoreContextMut<'_, GuestState>,
        Taken { call, permit, end }: Self::RequestData,
        _task: GuestTaskId,
    ) -> Pin<Box<dyn Future<Output = ()> + 'static + Send + Sync>> {
        // One request at a time in whoever has capabilities, so the store's call is this request's.
        store.data_mut().call = call;
        self.busy.store(true, Ordering::Relaxed);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.retain(|end| !end.is_closed());
        taken.push(end);
        let deadline = self.component.limits.deadline;
        let gave_up = Arc::clone(&self.gave_up);
        Box::pin(async move {
            tokio::time::sleep(deadline).await;
            gave_up.store(true, Ordering::Relaxed);
            drop(permit);
        })
    }

    fn drop(&self, store: Store<GuestState>, result: Result<(), wasmtime::Error>) {
        if let Err(error) = &result {
            let end = if self.timed_out.load(Ordering::Relaxed) {
                End::TimedOut
            } else {
                End::Broken(format!("{error:#}"))
            };
            let taken =
                std::mem::take(&mut *self.taken.lock().unwrap_or_else(PoisonError::into_inner));
            for waiting in taken {
                waiting.send(end.clone()).ok();
            }
        }
        match result {
            Ok(()) => {
                debug!(component = %self.component.name, memory_bytes = store.data().limiter.used(), "instance done")
            }
            // The library calls it a panic when the runtime ends around an instance that waits for work: a shut-down.
            Err(_) if !self.busy.load(Ordering::Relaxed) => {
                debug!(component = %self.component.name, "idle instance thrown away")
            }
            Err(error) => {
                warn!(component = %self.component.name, error = format!("{error:#}"), "instance thrown away")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ShouldAccept, accepts};
    use crate::limits;

    #[test]
    fn an_instance_is_not_reused_for_ever_and_not_shared_by_more_than_it_may() {
        assert!(matches!(accepts(0, 0, 1, false), ShouldAccept::Yes));
        assert!(matches!(accepts(1, 1, 1, true), ShouldAccept::No));
        assert!(matches!(accepts(0, 1, 1, true), ShouldAccept::No));
        assert!(matches!(accepts(0, 1, 1, false), ShouldAccept::Yes));
        assert!(matches!(accepts(1, 1, 16, true), ShouldAccept::Yes));
        assert!(matches!(
            accepts(0, limits::REUSES, 16, false),
            ShouldAccept::Never
        ));
    }
}
