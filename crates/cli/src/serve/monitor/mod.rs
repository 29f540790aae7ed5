//! `trident monitor`: what a server does now.

mod address;
mod client;
mod page;
mod sample;
mod view;

use crate::failure::Failure;
use address::PageAddress;
use client::fetch;
use sample::Sample;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const AFTER: &str = "\
The address is that of a server's metrics, by default localhost:8002. Servers of Triton
other than `trident serve` work, too; what they do not tell is missing (–).

Examples:
  trident monitor
  trident monitor localhost:8002 --memory
  trident monitor unix:/run/trident/metrics
  trident monitor https://host:8002 --root-cert root.pem
  trident monitor localhost:8002 --json | jq '.models[].requests_per_second'";

/// The part of a terminal's text that moves to its start and clears it.
const CLEAR: &str = "\x1b[H\x1b[2J";

#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Args {
    /// Address of a server's metrics
    #[arg(value_name = "URL", default_value = "localhost:8002")]
    url: String,
    /// Show memory by model and device
    #[arg(long)]
    memory: bool,
    /// Print one sample as JSON and end
    #[arg(long)]
    json: bool,
    /// Print one sample and end
    #[arg(long)]
    once: bool,
    /// Seconds between two readings
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    interval: f64,
    /// Certificates of which one has signed that of a server with TLS (PEM)
    #[arg(long, value_name = "FILE")]
    root_cert: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.05..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "give 0.05 to 3600 seconds".into())
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let address = PageAddress::of(&args.url)?;
    let is_tls = matches!(&address, PageAddress::Web(uri) if uri.scheme_str() == Some("https"));
    if is_tls != args.root_cert.is_some() {
        let text = "`--root-cert FILE` belongs to addresses with TLS (https://)";
        return Err(Failure::usage(text).hint(
            "the file has the certificate that has signed the server's, or the server's own",
        ));
    }
    let roots = args.root_cert.as_deref();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let pause = Duration::from_secs_f64(args.interval);
    let (mut before, mut start) = (read(&runtime, &address, roots)?, Instant::now());
    loop {
        sleep(pause);
        let now = read(&runtime, &address, roots)?;
        let passed = start.elapsed();
        start = Instant::now();
        let text = match args {
            Args { json: true, .. } => format!("{:#}\n", view::value(&now, &before, passed)),
            Args { memory: true, .. } => view::memory(&now),
            _ => view::text(&now, &before, passed),
        };
        if args.json || args.once {
            anstream::stdout().write_all(text.as_bytes())?;
            return Ok(());
        }
        let clear = if std::io::stdout().is_terminal() { CLEAR } else { "" };
        let mut out = anstream::stdout();
        out.write_all(format!("{clear}{address}\n\n{text}").as_bytes())?;
        out.flush()?;
        before = now;
    }
}

fn read(runtime: &Runtime, address: &PageAddress, roots: Option<&Path>) -> Result<Sample, Failure> {
    let page = fetch(runtime, address, roots).map_err(|error| {
        Failure::run(error)
            .hint("start a server with `trident serve REPOSITORY`; its metrics are on port 8002")
    })?;
    page::parse(&page).and_then(Sample::of).ok_or_else(|| {
        Failure::run(format!("{address} is no page of metrics of an inference server"))
            .hint("the port of a server's metrics is 8002, unless --metrics-port says otherwise")
    })
}
