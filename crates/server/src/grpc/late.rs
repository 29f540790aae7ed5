//! The deadline of a call that is watched while the call is open.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use tokio::time::{Sleep, sleep_until};

/// A deadline; none for a client that waits for ever.
pub(super) struct Late(Option<(Instant, Pin<Box<Sleep>>)>);

impl Late {
    pub(super) fn of(deadline: Option<Instant>) -> Late {
        Late(deadline.map(|deadline| (deadline, Box::pin(sleep_until(deadline.into())))))
    }

    /// Whether the deadline is over. Timers have steps of a millisecond, and answers that arrive in this step are late, too.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match &mut self.0 {
            None => Poll::Pending,
            Some((deadline, _)) if *deadline <= Instant::now() => Poll::Ready(()),
            Some((_, sleep)) => sleep.as_mut().poll(context),
        }
    }
}
