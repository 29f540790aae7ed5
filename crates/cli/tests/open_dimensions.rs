//! Random inputs of models that cannot run where dimensions known only at run time are 1.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::onnx::{field, info};
use common::{Scratch, failure, trident};

/// Element type of ONNX.
const F32: u8 = 1;

/// `y = Conv(x, w)` with a window of 40 × 40, without padding: pages must be at least as large.
fn detector(path: &str, x: &[&str], w: &[&str]) {
    let node = [field(1, "x"), field(1, "w"), field(2, "y"), field(3, "y"), field(4, "Conv")];
    let mut graph = [field(1, node.concat()), field(2, "g")].concat();
    graph.extend(field(11, info("x", F32, x)));
    graph.extend(field(11, info("w", F32, w)));
    graph.extend(field(12, info("y", F32, &["b", "c", "p", "q"])));
    let opset = field(8, [0x10, 21]);
    std::fs::write(path, [vec![8, 10], field(7, graph), opset].concat()).unwrap();
}

#[test]
fn open_dimensions_of_random_inputs_are_large_enough_to_run() {
    let scratch = Scratch::new("open-dimensions");
    let model = scratch.path("detector.onnx");
    detector(&model, &["n", "1", "h", "v"], &["1", "1", "40", "40"]);
    for command in [&["bench", &model, "-n", "1"][..], &["run", &model, "-i", "random"]] {
        let output = trident(command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {said}");
        assert!(said.contains("using 1x1x64x64 (change it by --shape x=1x1x64x64)"), "{said}");
    }
    // Sizes that are given stay as they are.
    let output = trident(&["bench", &model, "-n", "1", "--shape", "h=41", "--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("using 1x1x41x64"), "{said}");
    let (_, said) = failure(&["bench", &model, "-n", "1", "--shape", "x=1x1x1x1"]);
    assert!(said.contains("conv"), "{said}");
}

#[test]
fn a_model_that_runs_on_no_assumed_size_names_its_own_error() {
    let scratch = Scratch::new("no-dimensions");
    let model = scratch.path("detector.onnx");
    detector(&model, &["n", "1", "h", "v"], &["1", "1", "300", "300"]);
    let (_, said) = failure(&["bench", &model, "-n", "1"]);
    assert!(said.contains("conv") && said.contains("1x1x1x1"), "{said}");
}
