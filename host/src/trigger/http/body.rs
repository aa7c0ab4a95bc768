use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::answer::Problem;
use crate::limits;

/// Reads the bodies of requests, all of them together within [`limits::BODIES_BYTES`].
pub(super) struct Bodies {
    /// A permit is a byte.
    room: Arc<Semaphore>,
}

/// A whole body. Its bytes count as long as it is there.
pub(super) struct WholeBody {
    pub(super) bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

impl Bodies {
    pub(super) fn new() -> Self {
        Self {
            room: Arc::new(Semaphore::new(limits::BODIES_BYTES)),
        }
    }

    /// Reads a body to its end. Room is taken as bytes come: who promises many and sends few holds few.
    pub(super) async fn read<B>(&self, body: B) -> Result<WholeBody, Problem>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        timeout(limits::BODY_TIME, self.read_all(body))
            .await
            .unwrap_or(Err(Problem::BadRequest(
                "The body took too long to arrive.",
            )))
    }

    async fn read_all<B>(&self, mut body: B) -> Result<WholeBody, Problem>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let most = usize::try_from(limits::BODY_BYTES).unwrap_or(usize::MAX);
        let mut bytes = BytesMut::new();
        let mut room: Option<OwnedSemaphorePermit> = None;
        loop {
            let frame = timeout(limits::CLIENT_SILENCE, body.frame())
                .await
                .map_err(|_| Problem::BadRequest("The body took too long to arrive."))?;
            let Some(frame) = frame else { break };
            let frame = frame.map_err(|_| Problem::BadRequest("The body broke off."))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if bytes.len().saturating_add(data.len()) > most {
                return Err(Problem::BodyTooLarge);
            }
            let more = self.take(data.len()).await?;
            match &mut room {
                Some(room) => room.merge(more),
                None => room = Some(more),
            }
            bytes.extend_from_slice(&data);
        }
        Ok(WholeBody {
            bytes: bytes.freeze(),
            _room: room,
        })
    }

    async fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let bytes = u32::try_from(bytes).map_err(|_| Problem::BodyTooLarge)?;
        let taken = Arc::clone(&self.room).acquire_many_owned(bytes);
        match timeout(limits::REQUEST_WAIT, taken).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(Problem::Busy),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::Full;

    #[tokio::test]
    async fn bodies_share_their_room_and_give_it_back() {
        let bodies = Bodies::new();
        let of = |bytes: usize| Full::new(Bytes::from(vec![b'x'; bytes]));
        let body = bodies.read(of(1_000)).await.ok().unwrap();
        assert_eq!(body.bytes.len(), 1_000);
        assert_eq!(
            bodies.room.available_permits(),
            limits::BODIES_BYTES - 1_000
        );
        drop(body);
        assert_eq!(bodies.room.available_permits(), limits::BODIES_BYTES);
        let too_large = usize::try_from(limits::BODY_BYTES).unwrap() + 1;
        assert!(matches!(
            bodies.read(of(too_large)).await,
            Err(Problem::BodyTooLarge)
        ));
        assert_eq!(bodies.room.available_permits(), limits::BODIES_BYTES);
    }
}
