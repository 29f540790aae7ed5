//! The signals that a server obeys.

use std::future::poll_fn;
use std::io::{self, IsTerminal};
use std::pin::pin;
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM and SIGINT end the server. SIGHUP ends a server that was started from a terminal, because the terminal is gone. Others,
/// such as services and those that `nohup` starts, open the file of their log again.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    /// Whether standard error was a terminal at the start.
    has_terminal: bool,
}

impl Signals {
    /// Takes the signals over. The process no longer ends by them.
    pub(crate) fn open() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            has_terminal: io::stderr().is_terminal(),
        })
    }

    /// Waits for a signal that ends the server.
    pub(crate) async fn last(&mut self) {
        while !self.end().await {}
    }

    /// Waits for a signal; whether it ends the server.
    pub(crate) async fn end(&mut self) -> bool {
        let Signals { terminate, interrupt, hangup, has_terminal } = self;
        let (mut terminate, mut interrupt) = (pin!(terminate.recv()), pin!(interrupt.recv()));
        let mut hangup = pin!(hangup.recv());
        let ends_by_hangup = *has_terminal;
        poll_fn(|cx| {
            let is_told =
                terminate.as_mut().poll(cx).is_ready() || interrupt.as_mut().poll(cx).is_ready();
            match (is_told, hangup.as_mut().poll(cx)) {
                (true, _) => Poll::Ready(true),
                (false, Poll::Ready(_)) => Poll::Ready(ends_by_hangup),
                (false, Poll::Pending) => Poll::Pending,
            }
        })
        .await
    }
}
