//! Which requests a batch takes, when it closes, and the order of priorities.

use super::*;
use crate::failure::{ErrorCode, RequestError};

#[test]
fn a_batch_takes_the_requests_that_fit_when_a_core_is_free() {
    let bench = Bench::new(1);
    let (model, ran) = recorded(&bench, batching(&[4], 0), Levels::default());
    assert!(!bench.shared.run_next());
    for ask in [rows(1), rows(2), rows(2), rows(4)] {
        bench.submit(model, ask);
    }
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [vec![0, 1], vec![2], vec![3]]);
    assert!((0..4).all(|name| bench.answer(name).is_ok()));
}

#[test]
fn requests_that_do_not_fit_are_passed_over_unless_order_matters() {
    for ordered in [false, true] {
        let bench = Bench::new(1);
        let batching = Batching { ordered, ..batching(&[4], 0) };
        let (model, ran) = recorded(&bench, batching, Levels::default());
        for ask in [shape(1), shape(2), shape(1)] {
            bench.submit(model, ask);
        }
        run_all(&bench);
        let expected =
            if ordered { vec![vec![0], vec![1], vec![2]] } else { vec![vec![0, 2], vec![1]] };
        assert_eq!(*ran.lock().unwrap(), expected);
    }
}

#[test]
fn models_without_dynamic_batching_run_requests_one_by_one() {
    let bench = Bench::new(1);
    let (model, ran) = recorded(&bench, Batching::default(), Levels::default());
    bench.submit(model, rows(1));
    bench.submit(model, rows(1));
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[0], [1]]);
}

#[test]
fn a_batch_waits_for_a_preferred_size_until_the_delay_is_over() {
    let bench = Bench::new(1);
    let (model, ran) = recorded(&bench, batching(&[2, 4], 10), Levels::default());
    bench.submit(model, rows(1));
    bench.advance(9);
    assert!(!bench.shared.run_next());
    // The second one makes a preferred size; the third starts to wait.
    bench.submit(model, rows(1));
    bench.submit(model, rows(1));
    assert!(bench.shared.run_next());
    assert!(!bench.shared.run_next());
    bench.advance(10);
    assert!(bench.shared.run_next());
    assert_eq!(*ran.lock().unwrap(), [vec![0, 1], vec![2]]);
    // One that does not fit closes the batch before it.
    bench.submit(model, rows(1));
    bench.submit(model, shape(7));
    assert!(bench.shared.run_next());
    assert!(!bench.shared.run_next());
}

#[test]
fn batches_close_by_priority_and_only_this_type_orders_levels() {
    let bench = Bench::new(1);
    let levels = levels("priority_levels: 3 default_priority_level: 2");
    let batching = Batching { most: 2, preferred: vec![2], ..Batching::default() };
    let (model, ran) = recorded(&bench, batching, levels);
    // 0 and 9 are no levels: the default applies.
    for priority in [3, 2, 0, 1, 9, 1] {
        bench.submit(model, Ask { priority, ..ask() });
    }
    run_all(&bench);
    assert_eq!(*ran.lock().unwrap(), [[3, 5], [1, 2], [4, 0]]);
}

#[test]
fn a_level_holds_as_many_requests_as_its_policy_allows() {
    let bench = Bench::new(1);
    let levels = levels(
        "priority_levels: 2 default_priority_level: 2 default_queue_policy { max_queue_size: 2 }
         priority_queue_policy { key: 1 value { max_queue_size: 1 } }",
    );
    let (model, _) = recorded(&bench, batching(&[4], 0), levels);
    for priority in [1, 1, 2, 2, 2] {
        bench.submit(model, Ask { priority, ..ask() });
    }
    for name in [1, 4] {
        let error = bench.answer(name).unwrap_err();
        assert_eq!(error, RequestError::QueueFull);
        assert_eq!(error.to_string(), "Exceeds maximum queue size");
        assert_eq!(error.code(), ErrorCode::Unavailable);
    }
    run_all(&bench);
    assert!([0, 2, 3].iter().all(|name| bench.answer(*name).is_ok()));
    bench.submit(model, Ask { priority: 1, ..ask() });
    run_all(&bench);
    assert!(bench.answer(5).is_ok());
}
