//! Futures that wake themselves: they are polled again at once, and their task is not scheduled again.
//!
//! A connection of HTTP hands the body of a request to its handler, both within one task, and wakes the task for it. The runtime takes
//! that for new work, and wakes another thread to share it: with an idle core, this took more time than the request.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use tokio::task::coop::has_budget_remaining;

/// The most times that a future is polled before other tasks have a turn.
const MOST: usize = 32;

/// The future waits to be woken.
const WAITS: u8 = 0;
/// It is being polled.
const RUNS: u8 = 1;
/// It has been woken since it was last polled.
const WOKEN: u8 = 2;

/// The waker of a future that is polled in rounds.
struct Rounds {
    state: AtomicU8,
    /// Wakes the task.
    task: Mutex<Waker>,
}

impl Wake for Rounds {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // While the future is being polled, its next round sees the change.
        let woken = self.state.fetch_update(SeqCst, SeqCst, |state| match state {
            RUNS => Some(WOKEN),
            _ => None,
        });
        if woken == Err(WAITS) {
            self.task.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
        }
    }
}

/// Polls a future, as long as it wakes itself and the runtime lets its task go on.
pub(crate) async fn in_rounds<F: Future>(mut future: Pin<&mut F>) -> F::Output {
    let rounds = Arc::new(Rounds {
        state: AtomicU8::new(WAITS),
        task: Mutex::new(poll_fn(|cx| Poll::Ready(cx.waker().clone())).await),
    });
    let waker = Waker::from(Arc::clone(&rounds));
    poll_fn(|cx| {
        rounds.task.lock().unwrap_or_else(PoisonError::into_inner).clone_from(cx.waker());
        for _ in 0..MOST {
            rounds.state.store(RUNS, SeqCst);
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Poll::Ready(output);
            }
            if rounds.state.compare_exchange(RUNS, WAITS, SeqCst, SeqCst).is_ok() {
                return Poll::Pending;
            }
            if !has_budget_remaining() {
                break;
            }
        }
        rounds.state.store(WAITS, SeqCst);
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::sync::atomic::AtomicUsize;
    use std::thread;
    use std::time::Duration;

    /// Counts how often a task is woken.
    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    /// Polls a future until it is ready, whenever its task is woken. Returns how often that was.
    fn run(future: impl Future<Output = ()>) -> usize {
        let (woken, mut polls) = (Arc::new(Woken::default()), 0);
        let waker = Waker::from(Arc::clone(&woken));
        let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
        while future.as_mut().poll(&mut context).is_pending() {
            while woken.0.load(SeqCst) == polls {
                thread::yield_now();
            }
            polls = woken.0.load(SeqCst);
        }
        woken.0.load(SeqCst)
    }

    /// Wakes itself so many times.
    async fn restless(times: usize) {
        let mut left = times;
        poll_fn(|cx| match left {
            0 => Poll::Ready(()),
            _ => {
                left -= 1;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        })
        .await;
    }

    #[test]
    fn a_future_that_wakes_itself_does_not_wake_its_task() {
        assert_eq!(run(restless(5)), 5);
        assert_eq!(run(in_rounds(pin!(restless(5)))), 0);
        // Others have their turns.
        assert_eq!(run(in_rounds(pin!(restless(3 * MOST)))), 3);
    }

    #[test]
    fn no_wake_is_lost() {
        for round in 0..200 {
            let (send, receive) = tokio::sync::oneshot::channel();
            let other = thread::spawn(move || {
                thread::sleep(Duration::from_micros(round % 50));
                send.send(()).unwrap();
            });
            let woken = run(in_rounds(pin!(async {
                restless(3).await;
                receive.await.unwrap();
            })));
            assert!(woken <= 1, "{woken}");
            other.join().unwrap();
        }
    }
}
