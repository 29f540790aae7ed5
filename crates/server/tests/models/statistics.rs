//! Counters of models.

use std::time::{Duration, Instant};

use trident_server::infer::InferRequest;
use trident_server::statistics::ModelStatistics;

use crate::bench::*;

fn statistics(bench: &Bench) -> ModelStatistics {
    bench.repository.statistics(Some("m"), None).unwrap().remove(0)
}

#[test]
fn requests_rows_and_runs_are_counted() {
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    bench.load("m").unwrap();
    let start = Instant::now();
    for rows in [1, 1, 3] {
        let input = floats("x", &[rows, 2], &vec![1.0; 2 * rows as usize]);
        bench.infer("m", InferRequest { inputs: vec![input], ..Default::default() }).unwrap();
    }
    let elapsed = start.elapsed().as_nanos() as u64;
    let counted = statistics(&bench);
    assert_eq!((counted.inference_count, counted.execution_count), (5, 3));
    assert!(counted.last_inference > 1_700_000_000_000);
    let tallies = counted.requests;
    let parts =
        [tallies.queue, tallies.compute_input, tallies.compute_infer, tallies.compute_output];
    assert!(parts.iter().all(|tally| tally.count == 3), "{tallies:?}");
    assert!(tallies.compute_infer.ns > 0);
    let sum: u64 = parts.iter().map(|tally| tally.ns).sum();
    assert!(sum <= tallies.success.ns && tallies.success.ns <= elapsed, "{tallies:?}");
    assert_eq!((tallies.success.count, tallies.fail.count), (3, 0));
    let sizes: Vec<(u64, u64)> =
        counted.batches.iter().map(|(rows, batch)| (*rows, batch.compute_infer.count)).collect();
    assert_eq!(sizes, [(1, 2), (3, 1)]);
    // Requests that do not fit count nowhere, and loading starts anew.
    bench.ask("m", &[1.0]).unwrap_err();
    assert_eq!(statistics(&bench), counted);
    bench.repository.unload("m", false).unwrap();
    let fault = bench.repository.statistics(Some("m"), None).unwrap_err();
    assert_eq!(fault.text, "requested model 'm' is not available");
    bench.load("m").unwrap();
    assert_eq!(statistics(&bench).inference_count, 0);
    let fault = bench.repository.statistics(Some("m"), Some(7)).unwrap_err();
    assert_eq!(fault.text, "requested model version is not available for model 'm'");
    assert_eq!(bench.repository.statistics(None, None).unwrap().len(), 1);
}

#[test]
fn requests_that_fail_are_counted_by_reason() {
    // Nobody joins the request before its time in the queue is over.
    let config = "max_batch_size: 4 dynamic_batching { max_queue_delay_microseconds: 60000000 default_queue_policy { \
                  default_timeout_microseconds: 2000 } preferred_batch_size: [ 4 ] }";
    let bench = Bench::new(|folder| {
        put(folder, "m", 1, "Neg");
        write(&folder.join("m"), &[("config.pbtxt", config.as_bytes())]);
    });
    bench.load("m").unwrap();
    let fault = bench.ask("m", &[1.0, 2.0]).unwrap_err();
    assert_eq!(fault.text, "Request timeout expired");
    let counted = statistics(&bench);
    assert_eq!((counted.failures.rejected, counted.requests.fail.count), (1, 1));
    assert!(counted.requests.fail.ns >= Duration::from_millis(2).as_nanos() as u64);
    assert_eq!(counted.requests.success.count, 0);
}
