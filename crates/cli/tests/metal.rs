//! `trident compile KERNEL.ttir --device metal`, which needs neither a Mac nor the emulator.
#![cfg(feature = "texts")]
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;
use common::{Scratch, failure, stdout};

const SCALE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/metal/scale.ttir");
const PRODUCT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/metal/product.ttir");
const CHIPS: [&str; 5] = ["m1", "m2", "m3", "m4", "m5"];

fn shown(kernel: &str, form: &str, chip: &str) -> String {
    stdout(&["compile", kernel, "--device", "metal", "--emit", form, "--chip", chip])
}

#[test]
fn every_machine_shows_a_kernel_as_a_metal_program() {
    for chip in CHIPS {
        assert_eq!(shown(SCALE, "msl", chip), include_str!("metal/scale.msl"), "{chip}");
        assert_eq!(shown(SCALE, "plan", chip), include_str!("metal/scale.plan"), "{chip}");
        assert!(shown(SCALE, "lane", chip).starts_with("func @scale lane"), "{chip}");
        assert_eq!(shown(SCALE, "tile", chip), stdout(&["compile", SCALE]), "{chip}");
    }
    // A kernel that is in no way special needs no chip to be named.
    let text = stdout(&["compile", SCALE, "--device", "metal", "--emit", "msl"]);
    assert_eq!(text, include_str!("metal/scale.msl"));
    let scratch = Scratch::new("metal");
    let file = scratch.path("scale.metal");
    stdout(&["compile", SCALE, "--device", "metal", "--emit", "msl", "-o", &file]);
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
}

#[test]
fn chips_decide_how_matrices_are_multiplied() {
    for chip in CHIPS {
        let (plan, msl) = (shown(PRODUCT, "plan", chip), shown(PRODUCT, "msl", chip));
        let tensors = chip == "m5";
        assert_eq!(plan.contains(", tensor operations:"), tensors, "{chip}\n{plan}");
        assert_eq!(plan.contains(", matrices:"), !tensors, "{chip}\n{plan}");
        assert_eq!(msl.contains("mpp::"), tensors, "{chip}\n{msl}");
        assert_eq!(msl.contains("simdgroup_multiply_accumulate"), !tensors, "{chip}\n{msl}");
    }
    assert_eq!(shown(PRODUCT, "msl", "M5"), shown(PRODUCT, "msl", "m5"));
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let metal = |more: &[&str]| failure(&[&["compile", SCALE, "--device", "metal"], more].concat());
    let (status, text) = metal(&["--emit", "msl", "--chip", "m9"]);
    assert_eq!(
        (status, text.as_str()),
        (2, "error: there is no chip `m9`; the chips are m1, m2, m3, m4, m5\n")
    );
    let (status, text) = metal(&["--emit", "asm"]);
    assert!(status == 2 && text.contains("hint: there are tile, plan, lane, msl"), "{text}");
    let (status, text) = metal(&["--emit", "msl", "--check"]);
    assert!(status == 2 && text.contains("programs for `metal` cannot check accesses"), "{text}");
    let (status, text) = failure(&["compile", SCALE, "--device", "cpu", "--chip", "m1"]);
    let told = "error: `--chip m1` is for `--device metal`, and the device is `cpu`\n";
    assert_eq!((status, text.as_str()), (2, told));
    let (status, text) = failure(&["compile", "model.onnx", "--emit", "mps", "--chip", "m1"]);
    assert!(status == 2 && text.contains("`model.onnx` is a model, and --chip is for"), "{text}");
    // Metal has no f64; the line of the source is named.
    let scratch = Scratch::new("metal-f64");
    let wide = scratch.path("wide.ttir");
    let kernel = std::fs::read_to_string(SCALE).unwrap();
    std::fs::write(&wide, kernel.replace("f32", "f64")).unwrap();
    let (status, text) = failure(&["compile", &wide, "--device", "metal", "--emit", "msl"]);
    assert!(status == 1 && text.contains("Metal has no element type f64"), "{text}");
}

/// The emulated device plans with the figures that all chips share, which are those of an M2.
#[test]
#[cfg(feature = "emulator")]
fn the_emulated_device_compiles_the_same_programs() {
    for kernel in [SCALE, PRODUCT] {
        for form in ["plan", "lane", "msl"] {
            let emulated = ["--device", "metal-emulated", "--emit", form, "--unchecked"];
            let text = stdout(&[&["compile", kernel][..], &emulated].concat());
            assert_eq!(text, shown(kernel, form, "m2"), "{kernel} {form}");
        }
    }
}
