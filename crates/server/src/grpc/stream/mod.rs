//! `ModelStreamInfer`: any number of requests and answers in one call.
//!
//! Everything happens while the connection asks for the body of the answer: requests are read, submitted, and answered. A client that
//! does not read its answers therefore stops the reading of its requests, so that at most [`MOST_WAITING`] of them wait. A decoupled
//! model may give any number of answers to one of them, and waits while its client does not read them. Of models that do not wait, at
//! most [`MOST_ARRIVED`] answers are kept; one more ends the call. So does the client's deadline, whatever has arrived by then.

mod inbox;
mod waiting;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::body::Body;

use super::body::MessageSource;
use super::call::{Call, Messages, decode};
use super::caller::{Left, shutting_down};
use super::infer::{self, Asked};
use super::late::Late;
use super::message::ModelInferRequest;
use super::outgoing::Outgoing;
use super::service::Grpc;
use super::status::{Code, Status};
use crate::infer::{CancelOnDrop, Reading, RunTicket};
use crate::observe::Carrier;
use inbox::Inbox;
use waiting::{Arrived, Waiting};

/// The most requests of a stream that wait for answers.
const MOST_WAITING: usize = 128;

/// The most answers of a stream that wait to be sent.
const MOST_ARRIVED: usize = 4096;

/// The metadata of a stream.
pub(super) struct Asks {
    pub(super) headers: HeaderMap,
    /// The client's address, if it has one.
    pub(super) peer: Option<SocketAddr>,
    /// Whether the failure of a run is the outcome of the call.
    pub(super) fails_by_status: bool,
}

/// The answers of a stream.
pub(super) struct Answers<B> {
    service: Arc<Grpc>,
    /// `None` after the last request.
    messages: Option<Messages<B>>,
    call: Call,
    asks: Asks,
    /// The server's end.
    left: Left,
    /// The client's.
    late: Late,
    /// Requests whose answers have not all been sent, in the client's order.
    waiting: VecDeque<Waiting>,
    /// The number of the next request.
    next: u64,
    inbox: Arc<Inbox>,
}

impl<B: Body<Data = Bytes> + Unpin> Answers<B> {
    pub(super) fn new(
        service: Arc<Grpc>,
        messages: Messages<B>,
        call: Call,
        asks: Asks,
        left: Left,
    ) -> Answers<B> {
        Answers {
            service,
            messages: Some(messages),
            call,
            asks,
            left,
            late: Late::of(call.deadline),
            waiting: VecDeque::new(),
            next: 0,
            inbox: Arc::new(Inbox::new(MOST_ARRIVED)),
        }
    }

    /// Submits the requests that have come.
    fn read(&mut self, context: &mut Context<'_>) -> Result<(), Status> {
        while self.waiting.len() < MOST_WAITING {
            let Some(messages) = &mut self.messages else { break };
            match messages.poll_next(context)? {
                Poll::Pending => break,
                Poll::Ready(Some(message)) => self.submit(decode(message)?),
                Poll::Ready(None) => self.messages = None,
            }
        }
        Ok(())
    }

    fn submit(&mut self, message: ModelInferRequest) {
        let number = self.next;
        self.next += 1;
        let mut observed = self.service.server.observe(Carrier::Grpc, self.asks.peer);
        observed.names(&message.model_name, &self.asks.headers);
        let found = self.service.model(&message.model_name, &message.model_version);
        let mut waiting = Waiting {
            number,
            id: message.id.clone(),
            model: message.model_name.clone(),
            version: message.model_version.clone(),
            is_decoupled: found.as_ref().is_ok_and(|model| model.is_decoupled()),
            empty_final: false,
            arrived: VecDeque::new(),
            ticket: CancelOnDrop(RunTicket::Answered),
            reading: Reading::default(),
            observed,
        };
        let read = || -> Result<Asked, Status> {
            let mut asked = infer::read(message, self.call.deadline)?;
            let forwarded = &self.service.options.forwarded;
            forwarded.forward(&self.asks.headers, &mut asked.request.parameters)?;
            Ok(asked)
        };
        match found.and_then(|model| Ok((model, read()?))) {
            Ok((model, Asked { mut request, empty_final })) => {
                request.pace = Some(waiting.reading.pace());
                let inbox = Arc::clone(&self.inbox);
                let replies = Box::new(move |reply| inbox.push(number, reply));
                waiting.observed.submits(&mut request);
                let ticket = model.infer(request, &self.service.server.regions, replies);
                waiting.empty_final = empty_final;
                waiting.ticket = CancelOnDrop(ticket);
            }
            Err(status) => waiting.arrived.push_back(Arrived::Refused(status)),
        }
        self.waiting.push_back(waiting);
    }

    /// Gives the answers that have arrived to their requests.
    fn collect(&mut self, context: &Context<'_>) -> Result<(), Status> {
        let waiting = &mut self.waiting;
        let is_whole = self.inbox.take(context, |number, reply| {
            if let Ok(at) = waiting.binary_search_by_key(&number, |known| known.number) {
                waiting[at].arrived.push_back(Arrived::Reply(reply));
            }
        });
        let unread: usize = waiting.iter().map(|request| request.arrived.len()).sum();
        if is_whole && unread <= MOST_ARRIVED {
            return Ok(());
        }
        let text = format!("the client leaves more than {MOST_ARRIVED} answers unread");
        Err(Status::new(Code::ResourceExhausted, text))
    }

    /// The next answer to send, with its request's position. Ordinary models answer in the order of requests, decoupled ones when
    /// their answers come.
    fn next_arrived(&mut self) -> Option<(usize, Arrived)> {
        let mut is_turn = true;
        self.waiting.iter_mut().enumerate().find_map(|(at, request)| {
            let may_answer = request.is_decoupled || std::mem::take(&mut is_turn);
            let arrived = if may_answer { request.arrived.pop_front() } else { None };
            arrived.map(|arrived| (at, arrived))
        })
    }

    /// The next message; `None` after the last one.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Outgoing>, Status>> {
        if self.late.poll(context).is_ready() {
            return Poll::Ready(Err(Status::deadline_exceeded()));
        }
        self.read(context)?;
        self.collect(context)?;
        while let Some((at, arrived)) = self.next_arrived() {
            let is_last = arrived.is_last();
            self.waiting[at].reading.read();
            self.waiting[at].observe(&arrived, &self.call);
            let message =
                self.waiting[at].message(arrived, &self.call, self.asks.fails_by_status)?;
            if is_last && let Some(mut answered) = self.waiting.remove(at) {
                answered.ticket.keep();
            }
            if message.is_some() {
                return Poll::Ready(Ok(message));
            }
        }
        match self.messages {
            None if self.waiting.is_empty() => Poll::Ready(Ok(None)),
            // A stream on which nothing happens would keep the server from ending.
            Some(_) if self.waiting.is_empty() && self.left.as_mut().poll(context).is_ready() => {
                Poll::Ready(Err(shutting_down()))
            }
            _ => Poll::Pending,
        }
    }
}

impl<B: Body<Data = Bytes> + Send + Unpin> MessageSource for Answers<B> {
    fn poll_message(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Outgoing>, Status>> {
        let polled = self.poll_next(context);
        if let Poll::Ready(Err(status)) = &polled {
            // The call has ended for all requests, not only for the one that ends it.
            self.waiting.iter_mut().for_each(|waiting| waiting.fail(status));
        }
        polled
    }
}
