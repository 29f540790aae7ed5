//! A server that does nothing but HTTP, or gRPC's form of it: it reads each request whole and answers with the same bytes.
//! `bench server` measures how far a server is from it.

use std::convert::Infallible;
use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::pin;

use anyhow::{Context, Result};
use clap::Args;
use hyper::body::{Body, Incoming};
use hyper::header::HeaderValue;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use crate::whole::Whole;

#[derive(Args)]
pub(crate) struct Options {
    /// File with the body of the answer, or its message
    #[arg(long)]
    body: PathBuf,
    /// Answer calls of gRPC
    #[arg(long)]
    grpc: bool,
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// Serves on a port of the loopback, which it prints, until the process is ended.
pub(crate) fn run(options: &Options) -> Result<()> {
    let answer = std::fs::read(&options.body)
        .with_context(|| format!("cannot read {}", options.body.display()))?;
    let answer = match options.grpc {
        true => Whole::message(&answer)?.success(),
        false => Whole::new(answer.into()),
    };
    let runtime =
        Builder::new_multi_thread().worker_threads(options.threads).enable_io().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("{}", listener.local_addr()?.port());
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let (answer, is_grpc) = (answer.clone(), options.grpc);
            let service = service_fn(move |request| reply(request, answer.clone(), is_grpc));
            let stream = TokioIo::new(stream);
            // A connection that fails is the client's concern: it reports it.
            match is_grpc {
                true => drop(tokio::spawn(
                    http2::Builder::new(TokioExecutor::new()).serve_connection(stream, service),
                )),
                false => {
                    drop(tokio::spawn(http1::Builder::new().serve_connection(stream, service)));
                }
            }
        }
    })
}

async fn reply(
    request: Request<Incoming>,
    answer: Whole,
    is_grpc: bool,
) -> Result<Response<Whole>, Infallible> {
    let mut body = pin!(request.into_body());
    while let Some(Ok(_)) = poll_fn(|context| body.as_mut().poll_frame(context)).await {}
    let mut answer = Response::new(answer);
    if is_grpc {
        let kind = HeaderValue::from_static("application/grpc");
        answer.headers_mut().insert("content-type", kind);
    }
    Ok(answer)
}
