//! `grpc.health.v1.Health/Watch`: the server's health, and its changes.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior, interval};

use super::body::MessageSource;
use super::caller::{Left, shutting_down};
use super::control::health;
use super::outgoing::{Outgoing, Packing};
use super::status::Status;
use crate::server::Server;

/// How often the server's health is looked at.
const PAUSE: Duration = Duration::from_millis(250);

/// The server's health: a message now, and one for each change.
pub(super) struct Watch {
    server: Arc<Server>,
    packing: Packing,
    /// Whether the server was ready when the last message was sent.
    last: Option<bool>,
    looks: Interval,
    left: Left,
}

impl Watch {
    pub(super) fn new(server: Arc<Server>, packing: Packing, left: Left) -> Watch {
        let mut looks = interval(PAUSE);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Watch { server, packing, last: None, looks, left }
    }
}

impl MessageSource for Watch {
    fn poll_message(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Outgoing>, Status>> {
        loop {
            let is_ready = self.server.is_ready();
            if self.last != Some(is_ready) {
                self.last = Some(is_ready);
                let message = Outgoing::message(&health(is_ready), self.packing);
                return Poll::Ready(message.map(Some));
            }
            if self.left.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(shutting_down()));
            }
            if self.looks.poll_tick(context).is_pending() {
                return Poll::Pending;
            }
        }
    }
}
