//! Inputs that are written into the batch's tensor.

use crate::models::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use trident_ir::DType;
use trident_serving::{
    DataType, ErrorCode, Fault, Fill, InferenceRequest, Part, RequestError, ServedModel,
};

/// Numbers as text, as a request in JSON has them.
struct Text<'a> {
    text: &'a str,
    count: usize,
    calls: &'a AtomicUsize,
}

impl Fill for Text<'_> {
    fn size(&self) -> usize {
        4 * self.count
    }

    fn fill(&self, to: &mut [u8]) -> Result<usize, Fault> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut places = to.chunks_exact_mut(4);
        let mut written = 0;
        for (word, place) in self.text.split_whitespace().zip(&mut places) {
            let number: f32 = word.parse().map_err(|_| Fault {
                code: ErrorCode::NotFound,
                text: format!("'{word}' is not a number"),
            })?;
            place.copy_from_slice(&number.to_le_bytes());
            written += 4;
        }
        Ok(written)
    }
}

fn filled<'a>(text: &'a str, count: usize, calls: &'a AtomicUsize) -> InferenceRequest<'a> {
    let mut x = input("x", DataType::Fp32, &[1, 3], &[]);
    x.data = vec![Part::Fill(Arc::new(Text { text, count, calls }))];
    request(vec![x])
}

fn model() -> ServedModel {
    let every = "parameters { key: 'time_operations' value { string_value: 'all' } }";
    load(&format!("name: 'm' max_batch_size: 8 {every}"), add()).unwrap()
}

#[test]
fn fills_write_between_the_bytes_of_other_requests() {
    let (model, calls) = (model(), AtomicUsize::new(0));
    let data = bytes(&[0.0f32, 0.0, 0.0]);
    let plain = || request(vec![input("x", DataType::Fp32, &[1, 3], &[&data])]);
    let responses = model.execute([plain(), filled("1 2.5 -3", 3, &calls), plain()]).responses;
    let values = responses.into_iter().map(|r| floats(&r.unwrap().outputs[0].data));
    let none = vec![10.0, 20.0, 30.0];
    assert_eq!(values.collect::<Vec<_>>(), [none.clone(), vec![11.0, 22.5, 27.0], none]);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert!(model.operations().iter().all(|op| op.count == 1), "one run");
}

#[test]
fn a_fill_that_fails_fails_alone_and_the_others_stay_one_batch() {
    let (model, calls) = (model(), AtomicUsize::new(0));
    let right = || filled("1 2 3", 3, &calls);
    let texts = ["1 two 3", "1 2"];
    let requests = [right(), filled(texts[0], 3, &calls), filled(texts[1], 3, &calls), right()];
    let responses = model.execute(requests).responses;
    for at in [0, 3] {
        let response = responses[at].as_ref().unwrap();
        assert_eq!(floats(&response.outputs[0].data), [11.0, 22.0, 33.0]);
    }
    let error = responses[1].as_ref().unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
    assert_eq!(error.to_string(), "failed to read input 'x' for model 'm': 'two' is not a number");
    let (model_name, input) = ("m".to_owned(), "x".to_owned());
    let short = RequestError::ByteSize { model: model_name, input, expected: 12, given: 8 };
    assert_eq!(responses[2], Err(short));
    assert!(model.operations().iter().all(|op| op.count == 1), "one run");
    // A size that does not fit the shape is found before anything is written.
    let before = calls.load(Ordering::Relaxed);
    let error = answer(&model, filled("1 2 3 4", 4, &calls)).unwrap_err();
    assert!(error.ends_with("Expected 12, got 16"), "{error}");
    assert_eq!(calls.load(Ordering::Relaxed), before);
}

#[test]
fn strings_may_be_written_too() {
    struct Words(Vec<u8>);
    impl Fill for Words {
        fn size(&self) -> usize {
            self.0.len()
        }
        fn fill(&self, to: &mut [u8]) -> Result<usize, Fault> {
            to.copy_from_slice(&self.0);
            Ok(to.len())
        }
    }
    let graph = graph(&[("s", tensor(DType::Str, "N"))], vec![node("y = Identity(s)")], &["y"]);
    let model = load("name: 'm'", graph).unwrap();
    let mut s = input("s", DataType::String, &[2], &[]);
    let words = strings(&[b"ab", b"cde"]);
    s.data = vec![Part::Fill(Arc::new(Words(words.clone())))];
    let response = answer(&model, request(vec![s])).unwrap();
    assert_eq!(*response.outputs[0].data, words);
}
