use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits;

/// Places in the pool of instances. Whoever wants one waits: the pool itself would refuse at once, while instances that
/// only idle are given up within [`limits::IDLE`].
#[derive(Clone)]
pub(super) struct Slots {
    free: Arc<Semaphore>,
    wait: Duration,
}

/// A place in the pool, kept from before the instance is made until after it is gone.
pub(super) struct Slot {
    _permit: OwnedSemaphorePermit,
}

/// Every place stayed taken by instances that work.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no instance became free within {} s", .0.as_secs())]
pub(super) struct NoSlot(Duration);

impl Slots {
    /// As many places as the pool has.
    pub(super) fn new(count: u32) -> Self {
        Self {
            free: Arc::new(Semaphore::new(usize::try_from(count).unwrap_or(usize::MAX))),
            wait: limits::REQUEST_WAIT,
        }
    }

    /// Waits for a place.
    pub(super) async fn take(&self) -> Result<Slot, NoSlot> {
        match tokio::time::timeout(self.wait, Arc::clone(&self.free).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Slot { _permit: permit }),
            Ok(Err(_)) | Err(_) => Err(NoSlot(self.wait)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_finds_every_place_taken_waits_for_one_and_not_for_ever() {
        let mut slots = Slots::new(1);
        slots.wait = Duration::from_millis(20);
        let first = slots.take().await.unwrap();
        assert!(slots.take().await.is_err());
        let (second, ()) = tokio::join!(slots.take(), async move { drop(first) });
        assert!(second.is_ok());
    }
}
