//! The watch over a request to an ensemble.

use super::ensembles::{Bench, of, submit, values};
use super::models::floats;
use std::sync::{Arc, Mutex};
use trident_serving::{InferenceRequest, Part, RequestWatch, StepAnswer, StepModel};

/// A watch that notes what it sees, each time with the path to its model: the names of the ensembles that contain the step, and
/// its own.
#[derive(Clone, Debug, Default)]
struct Path {
    models: Vec<String>,
    seen: Arc<Mutex<Vec<(String, String)>>>,
}

impl RequestWatch for Path {
    fn step(
        &self,
        model: &dyn StepModel,
        request: &InferenceRequest<'static>,
    ) -> Arc<dyn RequestWatch> {
        let mut path = self.clone();
        path.models.push(model.config().name.clone());
        let names: Vec<_> = request.inputs.iter().map(|input| &*input.name).collect();
        path.note(names.join(" "));
        Arc::new(path)
    }

    fn answered(&self, answer: &StepAnswer) {
        let StepAnswer { answer, is_last } = answer;
        assert!(is_last);
        self.note(match answer.as_ref().unwrap() {
            Ok(response) => format!("{:?}", floats(&response.outputs[0].data)),
            Err(fault) => fault.text.clone(),
        });
    }
}

impl Path {
    fn note(&self, text: String) {
        self.seen.lock().unwrap().push((self.models.join("/"), text));
    }
}

#[test]
fn a_watch_sees_the_steps_of_ensembles_within_ensembles() {
    let bench = Bench::new();
    let outer = bench.nested();
    let path = Path::default();
    let watched = |request| InferenceRequest { watch: Some(Arc::new(path.clone())), ..request };
    let answers = submit(&outer, watched(of(&[1.0, 2.0])));
    bench.run();
    assert_eq!(values(&answers), [24.0, 48.0]);
    let seen = std::mem::take(&mut *path.seen.lock().unwrap());
    let at = |model: &str, text: &str| {
        let found = seen.iter().position(|(path, seen)| path == model && seen == text);
        found.unwrap_or_else(|| panic!("no {model} with {text} in {seen:?}"))
    };
    let order = [
        at("e", "X"),
        at("e/two", "x"),
        at("e/two", "[2.0, 4.0]"),
        at("e/sum", "a b"),
        at("e/sum", "[12.0, 24.0]"),
        at("e", "[12.0, 24.0]"),
        at("two", "x"),
        at("two", "[24.0, 48.0]"),
    ];
    assert!(order.is_sorted(), "{seen:?}");
    assert_eq!(seen.len(), 10, "{seen:?}");
    // The step finds out that bytes are missing.
    let mut short = of(&[1.0, 2.0]);
    short.inputs[0].data = vec![Part::Shared(vec![0; 4].into())];
    assert!(submit(&bench.diamond_again(), watched(short)).try_recv().unwrap().is_err());
    let seen = path.seen.lock().unwrap();
    assert!(seen.iter().any(|(path, text)| path == "two" && text.contains("mismatch")), "{seen:?}");
}
