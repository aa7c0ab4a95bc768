use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};

use crate::limits;

/// A guest's standard output or error: each line becomes a log record that names the component.
#[derive(Clone)]
pub(super) struct GuestLog {
    component: Arc<str>,
    written: Arc<AtomicUsize>,
}

impl GuestLog {
    pub(super) fn new(component: &str) -> Self {
        Self {
            component: component.into(),
            written: Arc::default(),
        }
    }
}

impl IsTerminal for GuestLog {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for GuestLog {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for GuestLog {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let before = self.written.fetch_add(bytes.len(), Ordering::Relaxed);
        if before < limits::GUEST_LOG_BYTES {
            for line in String::from_utf8_lossy(bytes).lines() {
                // Control characters of a guest must not reach a terminal.
                let line: String = line.chars().filter(|c| !c.is_control()).collect();
                tracing::warn!(component = %self.component, line, "a component says");
            }
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
