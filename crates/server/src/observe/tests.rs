//! Requests that are observed, without front ends and models.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::HeaderMap;
use tempfile::TempDir;
use trident_serving::Timing;

use super::{Carrier, LONGEST_TEXT};
use crate::grpc::testing::{framed, outcome, quiet, request, run};
use crate::grpc::{Grpc, GrpcOptions};
use crate::infer::{InferAnswer, InferRequest};
use crate::repository::RepositoryOptions;
use crate::server::{Server, ServerOptions};
use crate::settings::{LogFormat, LogSettings, ServerLog, TraceLevel, TraceOptions, TraceSettings};

/// A server whose log is a file.
fn logging(folder: &TempDir, options: ServerOptions) -> Arc<Server> {
    let file = folder.path().join("log").to_str().unwrap().to_owned();
    let settings = LogSettings { file, format: LogFormat::Json, ..LogSettings::default() };
    let log = ServerLog::open(settings).unwrap();
    Arc::new(quiet(RepositoryOptions::default(), log, options))
}

/// The lines of its log.
fn lines(server: &Server, folder: &TempDir) -> Vec<serde_json::Value> {
    server.flush();
    let text = std::fs::read_to_string(folder.path().join("log")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn long_texts_of_clients_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let options = ServerOptions { log_requests: true, ..ServerOptions::default() };
    let server = logging(&folder, options);
    let long = "\u{e9}".repeat(3 * LONGEST_TEXT);
    let mut observed = server.observe(Carrier::Grpc, None);
    observed.names(&long, &HeaderMap::new());
    observed.submits(&mut InferRequest { id: long.clone(), ..InferRequest::default() });
    observed.end("NOT_FOUND", Some(&long));
    let line = &lines(&server, &folder)[0];
    for name in ["model", "id", "error"] {
        assert_eq!(line[name], long[..2 * LONGEST_TEXT], "{name}");
    }
}

#[test]
fn the_times_of_a_request_in_parts_are_those_of_all_parts() {
    let folder = tempfile::tempdir().unwrap();
    let options = ServerOptions { log_requests: true, ..ServerOptions::default() };
    let server = logging(&folder, options);
    let mut observed = server.observe(Carrier::Http, None);
    for millis in [30, 20, 10] {
        observed.submits(&mut InferRequest::default());
        let (run, start) = (Duration::from_millis(millis), Instant::now() + Duration::from_secs(1));
        let (input, output) = (Duration::ZERO, Duration::ZERO);
        // A model with several answers tells its time so far.
        for run in [run / 2, run] {
            let timing = Timing { start, input, run, output, rows: 1, leads: true };
            let timing = Some(Box::new(timing));
            observed.answered(&Ok(InferAnswer { timing, ..InferAnswer::default() }));
        }
    }
    observed.end("200", None);
    let line = &lines(&server, &folder)[0];
    assert_eq!(line["compute_us"], 60_000);
    let queue = line["queue_us"].as_u64().unwrap();
    assert!((3_000_000..4_000_000).contains(&queue), "{queue}");
}

#[test]
fn the_first_failure_is_that_of_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let options = ServerOptions { log_requests: true, ..ServerOptions::default() };
    let server = logging(&folder, options);
    let mut observed = server.observe(Carrier::Grpc, None);
    observed.fails("INTERNAL", "first");
    observed.fails("UNAVAILABLE", "second");
    observed.end("OK", None);
    let line = &lines(&server, &folder)[0];
    assert_eq!((&line["status"], &line["error"]), (&"INTERNAL".into(), &"first".into()));
}

#[test]
fn the_end_of_a_stream_is_that_of_its_requests() {
    let folder = tempfile::tempdir().unwrap();
    let options = ServerOptions { log_requests: true, ..ServerOptions::default() };
    let server = logging(&folder, options);
    let service = Grpc::new(Arc::clone(&server), GrpcOptions::default());
    let path = "/inference.GRPCInferenceService/ModelStreamInfer";
    // A request for the model `m`, and a damaged one.
    let sent = vec![framed(&[0x0a, 1, b'm']), framed(&[0x0a, 9, b'm'])];
    let outcome = run(outcome(&service, request(path, &[], sent)));
    assert_eq!(outcome.code, "13", "{outcome:?}");
    let line = &lines(&server, &folder)[0];
    assert_eq!((&line["model"], &line["status"]), (&"m".into(), &"INTERNAL".into()));
    assert!(line["error"].as_str().unwrap().contains("cannot be read"), "{line}");
}

#[test]
fn traces_are_counted_when_a_model_gets_requests() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace").to_str().unwrap().to_owned();
    let levels = vec![TraceLevel::Timestamps];
    let settings = TraceSettings { levels, rate: 1, count: 1, ..TraceSettings::default() };
    let traces = TraceOptions { settings, file: file.clone(), ..TraceOptions::default() };
    let server = logging(&folder, ServerOptions { traces, ..ServerOptions::default() });
    let mut refused = server.observe(Carrier::Http, None);
    refused.names("misspelt", &HeaderMap::new());
    refused.end("404", Some("no such model"));
    assert_eq!(server.traces.get("").count, 1);
    let mut observed = server.observe(Carrier::Http, None);
    observed.names("m", &HeaderMap::new());
    // In two parts, which are one request.
    observed.submits(&mut InferRequest::default());
    observed.submits(&mut InferRequest::default());
    observed.end("200", None);
    assert_eq!(server.traces.get("").count, 0);
    server.flush();
    let trace = std::fs::read_to_string(&file).unwrap();
    assert!(trace.contains(r#""model_name":"m""#), "{trace}");
}
