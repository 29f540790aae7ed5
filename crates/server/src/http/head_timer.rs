//! The time that clients have for the heads of their requests.
//!
//! hyper makes a timer for each head, and nearly all heads come in time. A timer of the runtime for each of them took as long as reading
//! the head. So a connection has one, which is set again only when it is over.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};

/// The timer of a connection's heads.
#[derive(Clone, Default)]
pub(super) struct HeadTimer(Arc<Mutex<Option<Pin<Box<tokio::time::Sleep>>>>>);

/// The time of one head.
struct HeadTime {
    end: Instant,
    timer: HeadTimer,
}

impl Timer for HeadTimer {
    fn sleep(&self, time: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + time)
    }

    fn sleep_until(&self, end: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(HeadTime { end, timer: self.clone() })
    }
}

impl Sleep for HeadTime {}

impl Future for HeadTime {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let end = self.end.into();
        let mut timer = self.timer.0.lock().unwrap_or_else(PoisonError::into_inner);
        let timer = timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
        if timer.deadline() > end {
            timer.as_mut().reset(end);
        }
        loop {
            ready!(timer.as_mut().poll(cx));
            // It may have been set for an earlier head.
            if timer.deadline() >= end {
                return Poll::Ready(());
            }
            timer.as_mut().reset(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Builder;

    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn each_head_has_its_time() {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (timer, start) = (HeadTimer::default(), Instant::now());
            let mut first = timer.sleep_until(start + SHORT);
            let context = &mut Context::from_waker(std::task::Waker::noop());
            assert!(first.as_mut().poll(context).is_pending());
            drop(first);
            // The timer is over for the first head before it is for the second one.
            timer.sleep_until(start + 3 * SHORT).await;
            assert!(start.elapsed() >= 3 * SHORT);
            // A later head may have less time than the timer was set for.
            let mut long = timer.sleep(Duration::from_secs(60));
            assert!(long.as_mut().poll(context).is_pending());
            timer.sleep(SHORT).await;
            assert!(start.elapsed() < Duration::from_secs(30));
        });
    }
}
