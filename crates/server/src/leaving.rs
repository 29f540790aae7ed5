//! The end of a server's work, which its front ends wait for.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::sync::watch;

/// Ends when the server leaves: the value is true, or there is no sender any more.
pub(crate) async fn left(mut leaving: watch::Receiver<bool>) {
    // An error says that the sender is gone.
    let _ = leaving.wait_for(|leaving| *leaving).await;
}

/// The outcome of a future, or `None` when another one ends first.
pub(crate) async fn unless<F: Future>(
    end: &mut (impl Future<Output = ()> + Unpin),
    future: F,
) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Pin::new(&mut *end).poll(context).map(|()| None),
    })
    .await
}
