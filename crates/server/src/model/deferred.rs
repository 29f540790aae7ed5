//! Requests whose way to the scheduler begins on another thread, because it takes too long for one that reads sockets.
//!
//! The key of a cached answer is a digest of all bytes of a request: 64 MiB take tens of milliseconds, and numbers of JSON become bytes
//! before. Small requests are looked up where they were read.

use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use trident_serving::LateTicket;

use crate::infer::RunTicket;

/// The most bytes of inputs whose digest takes no longer than about a change of threads.
pub(super) const SMALL: usize = 64 << 10;

type Work = Box<dyn FnOnce() + Send>;

/// A thread that looks for the answers of large requests. It starts with the first one.
#[derive(Default)]
pub(crate) struct LookupThread(Mutex<Option<Sender<Work>>>);

impl LookupThread {
    /// Has the thread begin a request, or begins it here if there can be no thread. `begin` is told whether the client has left.
    pub(super) fn begin(
        &self,
        begin: impl FnOnce(bool) -> RunTicket + Send + 'static,
    ) -> RunTicket {
        let ticket = LateTicket::default();
        let own = ticket.clone();
        let work: Work = Box::new(move || own.give(begin(own.has_left())));
        if let Err(work) = self.send(work) {
            work();
        }
        RunTicket::Deferred(ticket)
    }

    fn send(&self, work: Work) -> Result<(), Work> {
        let mut thread = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (sender, receiver) = mpsc::channel::<Work>();
            let work = move || receiver.iter().for_each(|work| work());
            let builder = thread::Builder::new().name("response cache".to_owned());
            *thread = builder.spawn(work).is_ok().then_some(sender);
        }
        match &*thread {
            Some(thread) => thread.send(work).map_err(|unsent| unsent.0),
            None => Err(work),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_serving::Cancel;

    #[test]
    fn requests_begin_elsewhere_in_their_order_and_learn_that_their_client_has_left() {
        let (thread, (sender, begun)) = (LookupThread::default(), mpsc::channel());
        let (go_on, gate) = mpsc::channel::<()>();
        let here = thread::current().id();
        let told = sender.clone();
        thread.begin(move |has_left| {
            gate.recv().unwrap();
            told.send((0, has_left, thread::current().id() != here)).unwrap();
            RunTicket::Answered
        });
        let tickets: Vec<RunTicket> = (1..3)
            .map(|name| {
                let told = sender.clone();
                thread.begin(move |has_left| {
                    told.send((name, has_left, thread::current().id() != here)).unwrap();
                    RunTicket::Answered
                })
            })
            .collect();
        tickets[0].cancel();
        go_on.send(()).unwrap();
        let seen: Vec<_> = (0..3).map(|_| begun.recv().unwrap()).collect();
        assert_eq!(seen, [(0, false, true), (1, true, true), (2, false, true)]);
    }
}
