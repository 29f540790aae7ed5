//! Calls without sockets, for tests.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame};
use hyper::{HeaderMap, Request, Response};
use trident_cpu::CpuDevice;
use trident_serving::{Hardware, Scheduler, SystemClock};

use super::frame::{Frames, put_prefix};
use super::{Caller, Grpc, GrpcBody, GrpcOptions};
use crate::repository::{Repository, RepositoryOptions};
use crate::server::{Server, ServerOptions};
use crate::settings::ServerLog;

/// A body of DATA frames.
pub(crate) struct Sent(pub(super) VecDeque<Bytes>);

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|data| Ok(Frame::data(data))))
    }
}

/// The outcome of a call.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) http: u16,
    pub(crate) code: String,
    pub(crate) text: String,
    pub(crate) messages: Vec<Bytes>,
}

/// A server without models.
pub(super) fn server(options: GrpcOptions) -> Arc<Grpc> {
    serving(options, RepositoryOptions::default())
}

/// A server of a repository, on which nothing is loaded yet.
pub(super) fn serving(options: GrpcOptions, repository: RepositoryOptions) -> Arc<Grpc> {
    let server = quiet(repository, ServerLog::default(), ServerOptions::default());
    Grpc::new(Arc::new(server), options)
}

/// The same without a front end.
pub(crate) fn quiet(
    repository: RepositoryOptions,
    log: ServerLog,
    options: ServerOptions,
) -> Server {
    let cpu: Arc<dyn trident_runtime::Device> = Arc::new(CpuDevice::new(1));
    let (devices, folder) = (vec![Arc::clone(&cpu)], cpu);
    let hardware = Hardware { devices, folder, accelerators: vec![], is_gpu: |_| false };
    let scheduler = Scheduler::new(1, Arc::new(SystemClock));
    let open = Box::new(move |_: Option<&str>| Ok(hardware.clone()));
    let repository = Repository::new(repository, open, scheduler);
    Server::new(repository, log.into(), options)
}

/// A message with its prefix.
pub(crate) fn framed(message: &[u8]) -> Bytes {
    let mut bytes = BytesMut::new();
    put_prefix(&mut bytes, false, message.len()).unwrap();
    bytes.extend_from_slice(message);
    bytes.freeze()
}

/// A request of HTTP/2 with these headers and DATA frames.
pub(crate) fn request(path: &str, headers: &[(&str, &str)], data: Vec<Bytes>) -> Request<Sent> {
    let mut request = Request::post(path).header("content-type", "application/grpc");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Sent(data.into())).unwrap()
}

/// Makes a call and reads its answer.
pub(crate) async fn outcome(service: &Arc<Grpc>, request: Request<Sent>) -> Outcome {
    let response = Arc::clone(service).call(request, Caller::default()).await;
    read(response).await
}

async fn read(response: Response<GrpcBody>) -> Outcome {
    let (parts, mut body) = response.into_parts();
    let mut outcome = Outcome { http: parts.status.as_u16(), ..Outcome::default() };
    outcome.status(&parts.headers);
    let mut frames = Frames::new(usize::MAX);
    while let Some(Ok(frame)) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        match frame.into_data() {
            Ok(data) => frames.push(data),
            Err(frame) => outcome.status(frame.trailers_ref().unwrap()),
        }
        while let Some(frame) = frames.next().unwrap() {
            assert!(!frame.is_compressed);
            outcome.messages.push(frame.message);
        }
    }
    frames.finish().unwrap();
    outcome
}

impl Outcome {
    fn status(&mut self, headers: &HeaderMap) {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        self.code = text("grpc-status").unwrap_or(std::mem::take(&mut self.code));
        self.text = text("grpc-message").unwrap_or(std::mem::take(&mut self.text));
    }
}

/// Runs a future to its end.
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}
