//! Tests of the cache.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::*;
use crate::batch::{Fill, Input, Output, Part};
use crate::config::DataType;
use crate::failure::Fault;
use crate::sequence::Correlation;
use bytes::Bytes;
use std::borrow::Cow;

fn model(cache: &Arc<ResponseCache>, text: &str) -> Option<ModelCache> {
    cache.of(&ModelConfig::from_text(&format!("name: 'm' {text}")).unwrap())
}

fn cached(cache: &Arc<ResponseCache>) -> ModelCache {
    model(cache, "response_cache { enable: true } output { name: 'Y' } output { name: 'X' }")
        .unwrap()
}

fn input(name: &'static str, data: Vec<Part<'static>>) -> Input<'static> {
    Input { name: Cow::Borrowed(name), data_type: DataType::Uint8, shape: vec![1, 2], data }
}

fn shared(bytes: &'static [u8]) -> Vec<Part<'static>> {
    vec![Part::Shared(Bytes::from_static(bytes))]
}

fn request(inputs: Vec<Input<'static>>) -> InferenceRequest<'static> {
    InferenceRequest { inputs, ..InferenceRequest::default() }
}

fn simple() -> InferenceRequest<'static> {
    request(vec![input("A", shared(b"xy")), input("B", shared(b"zw"))])
}

/// An answer of so many bytes.
fn answer(bytes: usize) -> Result<Response, RequestError> {
    let data = Bytes::from(vec![7; bytes]);
    let output =
        Output { at: 0, name: "Y".into(), data_type: DataType::Uint8, shape: vec![1], data };
    Ok(Response { outputs: vec![output], timing: None })
}

fn miss(model: &ModelCache, mut request: InferenceRequest<'static>) -> Box<CacheMiss> {
    match model.find(&mut request).unwrap() {
        CacheLookup::Miss(miss) => miss,
        CacheLookup::Hit(..) => panic!("a hit"),
    }
}

fn hit(model: &ModelCache, mut request: InferenceRequest<'static>) -> Option<Response> {
    match model.find(&mut request).unwrap() {
        CacheLookup::Miss(_) => None,
        CacheLookup::Hit(response, _) => Some(response),
    }
}

/// Bytes that do not exist yet.
struct Written(Result<&'static [u8], Fault>);

impl Fill for Written {
    fn size(&self) -> usize {
        2
    }

    fn fill(&self, to: &mut [u8]) -> Result<usize, Fault> {
        let bytes = self.0.clone()?;
        to.copy_from_slice(bytes);
        Ok(bytes.len())
    }
}

fn written(bytes: Result<&'static [u8], Fault>) -> Vec<Part<'static>> {
    vec![Part::Fill(Arc::new(Written(bytes)))]
}

#[test]
fn equal_requests_have_one_answer_whatever_form_and_order_their_inputs_have() {
    let cache = ResponseCache::new(1 << 20);
    let model = cached(&cache);
    miss(&model, simple()).keep(&answer(4));
    assert_eq!(hit(&model, simple()), Some(answer(4).unwrap()));
    let parts = vec![Part::Borrowed(b"x"), Part::Borrowed(b"y")];
    let mut other = request(vec![input("B", written(Ok(b"zw"))), input("A", parts)]);
    other.priority = crate::Priority::level(3);
    let found = model.find(&mut other).unwrap();
    assert!(matches!(found, CacheLookup::Hit(response, _) if response == answer(4).unwrap()));
    assert!(other.inputs.iter().all(|input| matches!(input.data[..], [Part::Shared(_)])));
}

#[test]
fn requests_that_differ_in_anything_that_counts_have_answers_of_their_own() {
    let cache = ResponseCache::new(1 << 20);
    let (model, other) = (cached(&cache), cached(&cache));
    miss(&model, simple()).keep(&answer(4));
    let change = |change: fn(&mut InferenceRequest<'static>)| {
        let mut changed = simple();
        change(&mut changed);
        changed
    };
    for changed in [
        change(|own| own.inputs[0].data = shared(b"xz")),
        change(|own| own.inputs[0].name = "C".into()),
        change(|own| own.inputs[0].shape = vec![2, 1]),
        change(|own| own.inputs[0].data_type = DataType::Int8),
        // The same bytes one after the other.
        change(|own| {
            own.inputs[0].data = shared(b"xyz");
            own.inputs[1].data = shared(b"w");
        }),
        change(|own| drop(own.inputs.pop())),
        change(|own| own.outputs = Some(vec!["Y".into()])),
        change(|own| own.outputs = Some(vec![])),
    ] {
        assert_eq!(hit(&model, changed.clone()), None, "{changed:?}");
    }
    assert_eq!(hit(&other, simple()), None);
    let named = |names: &[&'static str]| {
        let outputs = names.iter().map(|name| Cow::Borrowed(*name)).collect();
        InferenceRequest { outputs: Some(outputs), ..simple() }
    };
    // All outputs by their names are the same as all.
    assert_eq!(hit(&model, named(&["X", "Y", "X"])), Some(answer(4).unwrap()));
    assert_eq!(hit(&model, named(&["X"])), None);
}

#[test]
fn only_successes_are_kept_that_fit_and_own_their_bytes() {
    let cache = ResponseCache::new(2000);
    let model = cached(&cache);
    miss(&model, simple()).keep(&Err(RequestError::Timeout));
    miss(&model, simple()).keep(&answer(2000));
    assert_eq!((hit(&model, simple()), cache.bytes()), (None, 0));
    let mut whole = Bytes::from(vec![7; 1000]);
    let part = whole.split_to(4);
    let mut kept = answer(4);
    kept.as_mut().unwrap().outputs[0].data = part.clone();
    miss(&model, simple()).keep(&kept);
    let found = hit(&model, simple()).unwrap();
    assert_eq!(found.outputs[0].data, part);
    assert_ne!(found.outputs[0].data.as_ptr(), part.as_ptr(), "a view of the whole batch");
}

#[test]
fn answers_used_longest_ago_make_room() {
    let cache = ResponseCache::new(3 * 1400);
    let model = cached(&cache);
    let names = ["A", "B", "C", "D"];
    let ask = |at: usize| request(vec![input(names[at], shared(b"xy"))]);
    for at in 0..3 {
        miss(&model, ask(at)).keep(&answer(1000));
    }
    let used = cache.bytes();
    assert!((3000..=3 * 1400).contains(&used), "{used}");
    assert!(hit(&model, ask(0)).is_some());
    // Twice: the second one is there already.
    let again = [miss(&model, ask(3)), miss(&model, ask(3))];
    for miss in again {
        miss.keep(&answer(1000));
    }
    assert_eq!(cache.bytes(), used);
    let left: Vec<bool> = (0..4).map(|at| hit(&model, ask(at)).is_some()).collect();
    assert_eq!(left, [true, false, true, true]);
    let other = cached(&cache);
    miss(&other, ask(0)).keep(&answer(3000));
    assert!((0..4).all(|at| hit(&model, ask(at)).is_none()));
    assert!(hit(&other, ask(0)).is_some());
}

#[test]
fn the_cache_gives_way_as_far_as_it_is_asked() {
    let cache = ResponseCache::new(1 << 20);
    let model = cached(&cache);
    let names = [b"a1", b"a2", b"a3"];
    for name in names {
        miss(&model, request(vec![input("A", shared(name))])).keep(&answer(1000));
    }
    let one = cache.bytes() / 3;
    assert_eq!(cache.give_way(0), 0);
    assert_eq!(cache.give_way(one + 1), 2 * one);
    let kept = names.map(|name| hit(&model, request(vec![input("A", shared(name))])).is_some());
    assert_eq!(kept, [false, false, true]);
    assert_eq!((cache.give_way(usize::MAX), cache.bytes()), (one, 0));
}

#[test]
fn a_model_takes_its_answers_with_it_and_late_ones_are_not_kept() {
    let cache = ResponseCache::new(1 << 20);
    let (model, other) = (cached(&cache), cached(&cache));
    miss(&model, simple()).keep(&answer(4));
    miss(&other, simple()).keep(&answer(4));
    let (late, bytes) = (miss(&model, request(vec![])), cache.bytes());
    drop(model);
    late.keep(&answer(4));
    assert_eq!(cache.bytes(), bytes / 2);
    assert!(hit(&other, simple()).is_some());
    assert_eq!(hit(&cached(&cache), simple()), None, "a new version has new answers");
}

#[test]
fn a_model_that_is_cleared_keeps_new_answers() {
    let cache = ResponseCache::new(1 << 20);
    let (model, other) = (cached(&cache), cached(&cache));
    for model in [&model, &other] {
        miss(model, simple()).keep(&answer(4));
    }
    model.clear();
    assert_eq!((hit(&model, simple()), hit(&other, simple()).is_some()), (None, true));
    miss(&model, simple()).keep(&answer(5));
    assert_eq!(hit(&model, simple()), Some(answer(5).unwrap()));
}

#[test]
fn requests_pass_by_that_belong_to_sequences_or_cannot_be_read() {
    let cache = ResponseCache::new(1 << 20);
    let model = cached(&cache);
    let mut in_sequence = simple();
    in_sequence.sequence.id = Correlation::Number(1);
    assert!(model.find(&mut in_sequence).is_none());
    let fault = Fault::invalid(format_args!("not a number"));
    let mut unreadable = request(vec![input("A", written(Err(fault)))]);
    assert!(model.find(&mut unreadable).is_none());
    assert!(matches!(unreadable.inputs[0].data[..], [Part::Fill(_)]), "the run finds the fault");
}

#[test]
fn a_model_that_keeps_the_order_of_requests_has_no_hits_before_earlier_answers() {
    let cache = ResponseCache::new(1 << 20);
    let text = "response_cache { enable: true } dynamic_batching { preserve_ordering: true }";
    let model = model(&cache, text).unwrap();
    let first = miss(&model, simple());
    first.keep(&answer(4));
    assert_eq!(hit(&model, simple()), None);
    drop(first);
    assert!(hit(&model, simple()).is_some());
}

#[test]
fn large_requests_may_be_looked_up_later_unless_their_order_counts() {
    let cache = ResponseCache::new(1 << 20);
    let ordered = "response_cache { enable: true } dynamic_batching { preserve_ordering: true }";
    let (free, ordered) = (cached(&cache), model(&cache, ordered).unwrap());
    assert!(free.takes_long(&simple(), 3) && !free.takes_long(&simple(), 4));
    assert!(!ordered.takes_long(&simple(), 3));
    let mut step = simple();
    step.sequence.id = Correlation::Number(1);
    assert!(!free.takes_long(&step, 3));
}

#[test]
fn a_configuration_decides() {
    let cache = ResponseCache::new(1 << 20);
    assert!(model(&cache, "").is_none());
    assert!(model(&cache, "response_cache { enable: false }").is_none());
}
