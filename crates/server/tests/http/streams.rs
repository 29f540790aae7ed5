//! Streams of events, of a model that gives an answer for each element of its input.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use trident_server::http::HttpOptions;

use crate::Bench;

/// The answers to a request: more than sockets and queues hold.
const COUNT: usize = 200_000;

const CONFIG: &str = "backend: \"repeat\" model_transaction_policy { decoupled: true } \
    input { name: \"IN\" data_type: TYPE_INT32 dims: [ -1 ] } input { name: \"DELAY\" data_type: TYPE_UINT32 dims: [ -1 ] } \
    input { name: \"WAIT\" data_type: TYPE_UINT32 dims: [ 1 ] } \
    output { name: \"OUT\" data_type: TYPE_INT32 dims: [ 1 ] } output { name: \"IDX\" data_type: TYPE_UINT32 dims: [ 1 ] }";

fn bench() -> (Bench, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("m/1")).unwrap();
    std::fs::write(folder.path().join("m/config.pbtxt"), CONFIG).unwrap();
    (Bench::of(folder.path().to_owned(), HttpOptions::default()), folder)
}

/// Asks for [`COUNT`] answers.
fn ask(bench: &Bench) -> TcpStream {
    let zeros = vec!["0"; COUNT].join(",");
    let body = format!(r#"{{"IN":[{zeros}],"DELAY":[{zeros}],"WAIT":0}}"#);
    let mut stream = bench.connect();
    let head = format!(
        "POST /v2/models/m/generate_stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream
}

/// How many answers the model has given.
fn given(bench: &Bench) -> usize {
    let statistics = bench.server.repository.statistics(Some("m"), None).unwrap().remove(0);
    let counts =
        statistics.responses.values().map(|own| own.success.count + own.empty_response.count);
    counts.sum::<u64>() as usize
}

/// Waits until the model gives no more answers; how many it has given.
fn settled(bench: &Bench) -> usize {
    let (start, mut last, mut since) = (Instant::now(), 0, Instant::now());
    while start.elapsed() < Duration::from_secs(60) {
        let now = given(bench);
        if now != last {
            (last, since) = (now, Instant::now());
        } else if now > 0 && since.elapsed() > Duration::from_millis(500) {
            return now;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the model goes on after {last} answers");
}

#[test]
fn a_model_waits_for_a_client_that_reads_slowly() {
    let (bench, _folder) = bench();
    let stream = ask(&bench);
    let count = settled(&bench);
    assert!(count < COUNT, "all answers are made for a client that reads none");
    let events = BufReader::new(stream).lines().map(Result::unwrap);
    let events: Vec<String> = events.filter(|line| line.starts_with("data: ")).collect();
    assert_eq!(events.len(), COUNT);
    assert!(events[COUNT - 1].contains(&format!("\"IDX\":{}", COUNT - 1)), "{}", events[COUNT - 1]);
    // One of them is the end.
    assert_eq!(given(&bench), COUNT + 1);
}

#[test]
fn a_client_that_leaves_its_events_ends_the_run() {
    let (bench, _folder) = bench();
    let stream = ask(&bench);
    let count = settled(&bench);
    drop(stream);
    let start = Instant::now();
    let failed = || {
        let counted = bench.server.repository.statistics(Some("m"), None).unwrap().remove(0);
        counted.failures.cancelled == 1
    };
    while !failed() {
        assert!(start.elapsed() < Duration::from_secs(20), "the run goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(given(&bench) < count + 1000 && count < COUNT);
}
