//! A load generator: clients that send one request repeatedly, without a pause or at a fixed rate.
//!
//! `bench backend` and `bench server` run it as a separate process, so that the clients' processor time does not count as the server's.

mod grpc;
mod http;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use bytes::Bytes;
use clap::Args;

/// Longest time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Args)]
pub(crate) struct Options {
    /// Port of the loopback
    #[arg(long)]
    port: u16,
    #[arg(long)]
    path: String,
    /// File with the body of the request, or the message of the call
    #[arg(long)]
    body: PathBuf,
    /// More headers, each as `Name: value`
    #[arg(long)]
    header: Vec<String>,
    /// Call by gRPC; the path is that of the method
    #[arg(long)]
    grpc: bool,
    /// Clients, each with a separate connection
    #[arg(long, default_value_t = 32)]
    connections: usize,
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Requests a second of all clients together, instead of one after the other; a latency counts from when its request was due
    #[arg(long)]
    rate: Option<f64>,
}

/// A client that sends one request again and again.
trait Client {
    /// Sends the request, and waits for its answer, which must be a success.
    fn ask(&mut self) -> Result<()>;
}

/// When a client sends its requests.
struct Times {
    start: Instant,
    end: Instant,
    /// The time between two requests; `None` for no pause.
    period: Option<Duration>,
}

/// Sends requests and prints a line of JSON: how many, in how many seconds, and quantiles of the latency.
pub(crate) fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let end = start + Duration::from_secs_f64(options.seconds);
    let period = options.rate.map(|rate| {
        ensure!(rate > 0.0, "`--rate` is above 0");
        Ok(Duration::from_secs_f64(options.connections as f64 / rate))
    });
    let period = period.transpose()?;
    // The clients of a rate take turns.
    let own = |at: usize| {
        let shift = period.map_or(Duration::ZERO, |period| {
            period.mul_f64(at as f64 / options.connections as f64)
        });
        Times { start: start + shift, end, period }
    };
    let request = match options.grpc {
        true => vec![],
        false => http::message(options)?,
    };
    let call = options.grpc.then(|| grpc::Call::new(options)).transpose()?;
    let mut latencies = thread::scope(|scope| -> Result<Vec<Duration>> {
        let client = |at: usize| {
            let (request, call) = (&request, call.clone());
            scope.spawn(move || match call {
                Some(call) => ask(grpc::Grpc::connect(options.port, call)?, &own(at)),
                None => ask(http::Http::connect(options.port, request)?, &own(at)),
            })
        };
        let clients: Vec<_> = (0..options.connections).map(client).collect();
        let mut all = vec![];
        for client in clients {
            all.extend(client.join().map_err(|_| anyhow!("a client panicked"))??);
        }
        Ok(all)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    latencies.sort_unstable();
    ensure!(!latencies.is_empty(), "no request was answered in {seconds:.1} s");
    let quantile =
        |share: usize| latencies[(latencies.len() - 1) * share / 100].as_secs_f64() * 1e6;
    println!(
        r#"{{"requests": {}, "seconds": {seconds}, "p50_us": {}, "p99_us": {}}}"#,
        latencies.len(),
        quantile(50),
        quantile(99)
    );
    Ok(())
}

/// Sends the request until the time is over; the latency of each.
fn ask(mut client: impl Client, times: &Times) -> Result<Vec<Duration>> {
    let mut latencies = vec![];
    let mut due = times.start;
    loop {
        let start = match times.period {
            Some(period) => {
                let start = due;
                due += period;
                thread::sleep(start.saturating_duration_since(Instant::now()));
                start
            }
            None => Instant::now(),
        };
        if start >= times.end {
            return Ok(latencies);
        }
        client.ask()?;
        latencies.push(start.elapsed());
    }
}

fn read(file: &Path) -> Result<Bytes> {
    let body = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(body.into())
}
