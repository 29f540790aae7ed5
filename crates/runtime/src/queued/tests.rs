#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::testing::{Bench, elements, output};
use super::*;
use crate::Immediate;
use std::time::Instant;

const DELAY: Duration = Duration::from_millis(2);

#[test]
fn launches_follow_one_another_without_waiting() {
    let bench = Bench::new(DELAY);
    let stream = bench.device.stream();
    let mut value = bench.numbers(&[1.0, 3.0]);
    let mut fences = vec![];
    for _ in 0..20 {
        let submitted = bench.submit(&*stream, &*bench.told, value);
        value = output(&submitted);
        assert_eq!(value.as_tensor().unwrap().dims(), [2]);
        fences.push(submitted.fence);
    }
    let factor = (1 << 20) as f32;
    assert_eq!(elements(&value).unwrap(), [factor, 3.0 * factor]);
    assert!(fences.iter().all(Fence::is_passed), "what runs before has ended before");
}

#[test]
fn fences_may_be_waited_for_in_any_order_and_on_several_streams() {
    let bench = Bench::new(DELAY);
    let streams = [bench.device.stream(), bench.device.stream(), bench.device.stream()];
    let mut submitted = vec![];
    for i in 0..30 {
        let stream = &streams[i % 3];
        submitted.push((i, bench.submit(&**stream, &*bench.told, bench.numbers(&[i as f32]))));
    }
    // A fixed order that differs from that of submission and of completion.
    submitted.sort_by_key(|(i, _)| i * 17 % 30);
    for (i, submitted) in submitted {
        submitted.fence.wait().unwrap();
        assert_eq!(elements(&output(&submitted)).unwrap(), [2.0 * i as f32]);
    }
}

#[test]
fn values_cross_streams_behind_a_fence() {
    let bench = Bench::new(DELAY);
    let (first, second) = (bench.device.stream(), bench.device.stream());
    let mut value = bench.numbers(&[1.0]);
    let mut fence = Fence::PASSED;
    for i in 0..16 {
        let stream = if i % 2 == 0 { &first } else { &second };
        let submitted = bench.submit_after(&**stream, &*bench.told, value, &[fence]);
        value = output(&submitted);
        fence = submitted.fence;
    }
    assert_eq!(elements(&value).unwrap(), [65536.0]);
}

#[test]
fn dropped_results_are_computed_and_their_memory_comes_back() {
    let bench = Bench::new(DELAY);
    let stream = bench.device.stream();
    for i in 0..10 {
        drop(bench.submit(&*stream, &*bench.told, bench.numbers(&[i as f32; 5000])));
    }
    let live = bench.pool.stats().live;
    assert!(live >= 2 * 20_000, "a launch holds its memory: {live}");
    stream.fence().wait().unwrap();
    assert_eq!(bench.pool.stats().live, 0);
    // A dropped stream still runs what was submitted.
    let last = bench.submit(&*stream, &*bench.told, bench.numbers(&[4.0]));
    drop(stream);
    assert_eq!(elements(&output(&last)).unwrap(), [8.0]);
}

#[test]
fn memory_is_poisoned_until_the_fence() {
    let bench = Bench::new(Duration::ZERO);
    let stream = bench.device.stream();
    let gate = crate::Timeline::new();
    let held =
        bench.submit_after(&*stream, &*bench.told, bench.numbers(&[1.0; 6000]), &[gate.submit()]);
    let value = output(&held);
    let tensor = value.as_tensor().unwrap();
    assert!(!tensor.fence().unwrap().is_passed());
    gate.end(Ok(()));
    assert_eq!(tensor.slice::<f32>().unwrap(), [2.0; 6000]);
    drop((held, value));
    stream.fence().wait().unwrap();
    let recycled = bench.pool.alloc(6000 * 4).unwrap();
    assert!(recycled.bytes().iter().all(|&b| b == POISON));
}

#[test]
fn shapes_that_only_the_launch_tells_are_waited_for() {
    let bench = Bench::new(DELAY);
    let stream = bench.device.stream();
    let x = output(&bench.submit(&*stream, &*bench.told, bench.numbers(&[0.0, 1.0, 2.0])));
    let submitted = bench.submit(&*stream, &*bench.later, x);
    assert!(matches!(submitted.outputs, Outputs::Later(_)));
    let outputs = submitted.wait().unwrap();
    assert_eq!(elements(outputs[0].as_ref().unwrap()).unwrap(), [4.0, 8.0]);
}

#[test]
fn errors_and_panics_show_at_the_fence_and_spoil_what_depends_on_them() {
    let bench = Bench::new(DELAY);
    let stream = bench.device.stream();
    let failed = bench.submit(&*stream, &*bench.told, bench.numbers(&[-1.0]));
    let after = bench.submit(&*stream, &*bench.told, output(&failed));
    let last = bench.submit(&*stream, &*bench.told, output(&after));
    let panicked = bench.submit(&*stream, &*bench.told, bench.numbers(&[f32::NAN]));
    let fine = bench.submit(&*stream, &*bench.told, bench.numbers(&[1.0]));
    let negative = KernelError::domain("negative");
    let spoiled = KernelError::Dependency(Box::new(negative.clone()));
    assert_eq!(elements(&output(&last)), Err(spoiled.clone()));
    assert_eq!(failed.fence.wait(), Err(negative));
    assert_eq!(after.fence.wait(), Err(spoiled.clone()));
    assert_eq!(last.fence.outcome(), Some(Err(spoiled)));
    assert_eq!(panicked.fence.wait(), Err(KernelError::Panic("not a number".into())));
    assert_eq!(elements(&output(&fine)).unwrap(), [2.0]);
}

#[test]
fn a_cancelled_stream_leaves_out_what_has_not_begun() {
    let bench = Bench::new(Duration::ZERO);
    let stream = bench.device.stream();
    let gate = crate::Timeline::new();
    let begun = bench.submit_after(&*stream, &*bench.told, bench.numbers(&[1.0]), &[gate.submit()]);
    let waiting = bench.submit(&*stream, &*bench.told, bench.numbers(&[1.0]));
    let soon = Instant::now() + Duration::from_millis(20);
    assert_eq!(begun.fence.wait_until(soon), None);
    stream.cancel();
    gate.end(Ok(()));
    assert_eq!(begun.fence.wait(), Ok(()));
    assert_eq!(waiting.fence.wait(), Err(KernelError::Cancelled));
    assert!(elements(&output(&waiting)).is_err());
}

#[test]
fn a_long_queue_holds_back_who_submits() {
    let bench = Bench::new(Duration::from_micros(20));
    let stream = bench.device.stream();
    let submitted: Vec<_> = (0..500)
        .map(|i| bench.submit(&*stream, &*bench.told, bench.numbers(&[i as f32])))
        .collect();
    let passed = submitted.iter().filter(|s| s.fence.is_passed()).count();
    assert!(passed >= 400, "{passed}");
    for (i, submitted) in submitted.iter().enumerate() {
        assert_eq!(elements(&output(submitted)).unwrap(), [2.0 * i as f32]);
    }
}

#[test]
fn streams_of_other_devices_are_refused() {
    let bench = Bench::new(Duration::ZERO);
    let pool = &bench.pool;
    let mut launch = Launch {
        inputs: &mut [Some(bench.numbers(&[1.0]))],
        alloc: &mut |_, dtype, dims| Tensor::alloc(pool, dtype, dims),
        pool,
        limits: LaunchLimits::default(),
    };
    assert!(bench.told.submit(&Immediate, &mut launch, &[]).is_err());
}
