//! The answers of a model to one request, as they come.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use tokio::sync::mpsc;
use trident_serving::{ErrorCode, Fault};

use crate::infer::{CancelOnDrop, InferRequest, Reading, Reply};
use crate::memory::Regions;
use crate::model::HostedModel;

/// The most answers that wait to be sent, of models that do not wait for their client.
const MOST_ARRIVED: usize = 4096;

/// The answers to a request. When this is dropped before the last one, the request is cancelled.
pub(super) struct Answers {
    arrived: mpsc::Receiver<Reply>,
    /// Whether an answer had no place.
    is_over: Arc<AtomicBool>,
    waiting: CancelOnDrop,
    reading: Reading,
}

impl Answers {
    /// Submits a request.
    pub(super) fn of(
        model: &Arc<HostedModel>,
        mut request: InferRequest,
        regions: &Regions,
    ) -> Answers {
        let (send, arrived) = mpsc::channel(MOST_ARRIVED);
        let (reading, is_over) = (Reading::default(), Arc::new(AtomicBool::new(false)));
        request.pace = Some(reading.pace());
        let (mut send, over) = (Some(send), Arc::clone(&is_over));
        let replies = Box::new(move |reply| {
            // A client that has left has dropped the receiver.
            let is_full = send.as_ref().is_some_and(|send| {
                matches!(send.try_send(reply), Err(mpsc::error::TrySendError::Full(_)))
            });
            if is_full {
                over.store(true, Relaxed);
                send = None;
            }
        });
        let waiting = CancelOnDrop(model.infer(request, regions, replies));
        Answers { arrived, is_over, waiting, reading }
    }

    /// The next answer, after one that is not the last.
    ///
    /// # Errors
    /// The client has left too many answers unread.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Reply, Fault>> {
        let reply = ready!(self.arrived.poll_recv(cx));
        self.reading.read();
        Poll::Ready(match reply {
            Some(reply) => {
                if reply.is_last {
                    self.waiting.keep();
                }
                Ok(reply)
            }
            None if self.is_over.load(Relaxed) => {
                let text = format!("the client leaves more than {MOST_ARRIVED} answers unread");
                Err(Fault { code: ErrorCode::Unavailable, text })
            }
            None => {
                Err(Fault::internal("the model has dropped the request; this is a bug in Trident"))
            }
        })
    }

    /// The same, as a future.
    pub(super) async fn next(&mut self) -> Result<Reply, Fault> {
        poll_fn(|cx| self.poll_next(cx)).await
    }
}
