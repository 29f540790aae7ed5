//! `trident monitor`: what a server does now.

mod client;
mod page;
mod sample;
mod view;

use crate::failure::Failure;
use client::fetch;
use hyper::Uri;
use sample::Sample;
use std::io::{IsTerminal, Write};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const AFTER: &str = "\
The address is that of a server's metrics, by default localhost:8002. Servers of Triton
other than `trident serve` work, too; what they do not tell is missing (–).

Examples:
  trident monitor
  trident monitor localhost:8002 --memory
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
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.05..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "give 0.05 to 3600 seconds".into())
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let uri = address(&args.url)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let pause = Duration::from_secs_f64(args.interval);
    let (mut before, mut start) = (read(&runtime, &uri)?, Instant::now());
    loop {
        sleep(pause);
        let now = read(&runtime, &uri)?;
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
        out.write_all(format!("{clear}{uri}\n\n{text}").as_bytes())?;
        out.flush()?;
        before = now;
    }
}

/// The address of a page of metrics. The scheme and the path may be left out.
fn address(url: &str) -> Result<Uri, Failure> {
    let whole = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let wrong = || {
        Failure::usage(format!("`{url}` is no address of a server"))
            .hint("give a host and a port: localhost:8002")
    };
    let uri: Uri = whole.parse().map_err(|_| wrong())?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http"), Some(_)) => {}
        (Some("https"), _) => {
            return Err(
                Failure::usage("servers give their metrics without TLS").hint("give http://")
            );
        }
        _ => return Err(wrong()),
    }
    let bare = matches!(uri.path(), "" | "/");
    let whole = whole.trim_end_matches('/');
    if bare { format!("{whole}/metrics").parse().map_err(|_| wrong()) } else { Ok(uri) }
}

fn read(runtime: &Runtime, uri: &Uri) -> Result<Sample, Failure> {
    let page = fetch(runtime, uri).map_err(|error| {
        Failure::run(error)
            .hint("start a server with `trident serve REPOSITORY`; its metrics are on port 8002")
    })?;
    page::parse(&page).and_then(Sample::of).ok_or_else(|| {
        Failure::run(format!("{uri} is no page of metrics of an inference server"))
            .hint("the port of a server's metrics is 8002, unless --metrics-port says otherwise")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;

    #[test]
    fn addresses_may_be_short() {
        for (given, whole) in [
            ("localhost:8002", "http://localhost:8002/metrics"),
            ("http://[::1]:9/", "http://[::1]:9/metrics"),
            ("host/other", "http://host/other"),
        ] {
            assert_eq!(address(given).unwrap().to_string(), whole);
        }
        for wrong in ["https://host", "ftp://host", "http://", "a b"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
