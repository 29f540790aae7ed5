//! The executor of calls: most calls end where they begin, and become no task of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use hyper::rt::Executor;

/// Messages of more bytes are read by a task of their own, beside other calls of their connection.
pub(super) const LONG: usize = 64 << 10;

/// Polls each call once, within the task of its connection. A call that has to wait then becomes a task of its own.
///
/// A task takes a change of threads at worst: the runtime wakes an idle thread to share the work.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtOnce;

impl<F> Executor<F> for AtOnce
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, call: F) {
        let mut call: Pin<Box<F>> = Box::pin(call);
        let context = &mut Context::from_waker(Waker::noop());
        // A panic is a bug. It must not take the connection away from its other calls.
        let begun = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context)));
        if matches!(begun, Ok(Poll::Pending)) {
            // The new task polls it again, so that no wake is lost.
            tokio::spawn(call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grpc::testing::run;
    use tokio::sync::oneshot;

    #[test]
    fn a_call_that_need_not_wait_ends_at_once() {
        let (send, mut receive) = oneshot::channel();
        // There is no runtime that a task could be given to.
        AtOnce.execute(async move { send.send(1).unwrap() });
        assert_eq!(receive.try_recv(), Ok(1));
    }

    #[test]
    fn a_call_that_waits_goes_on_as_a_task() {
        let (ask, asked) = oneshot::channel::<u32>();
        let (send, receive) = oneshot::channel();
        let answer = run(async move {
            AtOnce.execute(async move { send.send(asked.await.unwrap() + 1).unwrap() });
            ask.send(1).unwrap();
            receive.await.unwrap()
        });
        assert_eq!(answer, 2);
    }

    #[test]
    fn a_panic_ends_the_call_alone() {
        let (send, receive) = oneshot::channel::<()>();
        AtOnce.execute(async move {
            let _send = send;
            panic!("a bug");
        });
        assert!(receive.blocking_recv().is_err());
    }
}
