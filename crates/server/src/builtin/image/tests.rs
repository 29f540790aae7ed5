//! Tests of images.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use trident_serving::{CancelFlag, ErrorCode, NativeInput, RunCheckpoint};

use super::*;

/// A PNG of two pixels side by side: (255, 0, 51) and (0, 102, 255).
const WIDE: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00{@\xe8\xdd\x00\x00\x00\x0fIDATx\xdac\xf8\xcf`\xcc\x90\xf6\x1f\x00\x08\x98\x02\x98\xedql\x88\x00\x00\x00\x00IEND\xaeB`\x82";

/// One of two gray pixels, one above the other: 9 and 8.
const HIGH: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x02\x08\x02\x00\x00\x00\x16\xe3!p\x00\x00\x00\x10IDATx\xdac\xe0\xe4\xe4d\xe0\xe0\xe0\x00\x00\x00\xda\x004@\xef0f\x00\x00\x00\x00IEND\xaeB`\x82";

fn config(data_type: &str, dims: &str, steps: &str) -> String {
    format!(
        "name: 'm' backend: 'trident_image' max_batch_size: 4 input {{ name: 'file' data_type: TYPE_STRING dims: 1 }}
         output {{ name: 'x' data_type: {data_type} dims: {dims} }} parameters {{ key: 'steps' value {{ string_value: '{steps}' }} }}"
    )
}

fn load(config: &str) -> Result<Images, Fault> {
    Images::of(&ModelConfig::from_text(config).unwrap(), None, |_| {})
}

fn ask(model: &Images, files: &[&[u8]]) -> Result<Output, Fault> {
    ask_until(model, files, CancelFlag::new())
}

/// The same for a client that may leave.
fn ask_until(model: &Images, files: &[&[u8]], cancel: CancelFlag) -> Result<Output, Fault> {
    let element = |file: &&[u8]| [&(file.len() as u32).to_le_bytes(), *file].concat();
    let data = files.iter().flat_map(element).collect();
    let (name, shape) = ("file", vec![files.len() as i64, 1]);
    let input = NativeInput { name, data_type: DataType::String, shape, data };
    let request = NativeRequest {
        inputs: vec![input],
        kept: vec![],
        checkpoint: RunCheckpoint::until(cancel),
    };
    model.run(&mut [request]).answers.remove(0).map(|mut outputs| outputs.remove(0))
}

#[test]
fn files_become_rows() {
    let model = load(&config("TYPE_FP32", "[ 3, 1, 2 ]", "")).unwrap();
    assert_eq!(model.steps.assumed, "layout=nchw,rgb,size=2x1,scale=1/255");
    let output = ask(&model, &[WIDE, WIDE]).unwrap();
    assert_eq!(output.shape, [2, 3, 1, 2]);
    let expected = [1.0f32, 0.0, 0.0, 0.4, 0.2, 1.0].map(f32::to_le_bytes).concat();
    assert_eq!(&output.data[..], expected.repeat(2));
    let model = load(&config("TYPE_UINT8", "[ -1, -1, 3 ]", "layout=nhwc")).unwrap();
    let output = ask(&model, &[HIGH]).unwrap();
    assert_eq!((&output.shape[..], &output.data[..]), (&[1, 2, 1, 3][..], &[9, 9, 9, 8, 8, 8][..]));
    let model = load(&config("TYPE_FP16", "[ -1, -1 ]", "gray,scale=2")).unwrap();
    assert_eq!(
        ask(&model, &[HIGH]).unwrap().data[..],
        [18.0, 16.0].map(|v| f16::from_f64(v).to_le_bytes()).concat()
    );
    assert_eq!(ask(&model, &[]).unwrap().shape, [0, 0, 0]);
}

#[test]
fn one_image_needs_no_batch_dimension() {
    let without = |config: String| config.replace("max_batch_size: 4", "max_batch_size: 0");
    let one = load(&without(config("TYPE_FP32", "[ 2, 1 ]", ""))).unwrap();
    assert_eq!(ask(&one, &[HIGH]).unwrap().shape, [2, 1]);
    let several = config("TYPE_FP32", "[ -1, 2, 1 ]", "").replace("dims: 1 }", "dims: -1 }");
    assert_eq!(ask(&load(&without(several)).unwrap(), &[HIGH, HIGH]).unwrap().shape, [2, 2, 1]);
}

#[test]
fn files_that_do_not_fit_are_named() {
    let model = load(&config("TYPE_UINT8", "[ 3, -1, -1 ]", "scale=2")).unwrap();
    let refused = |files: &[&[u8]], expected: &str| {
        let fault = ask(&model, files).unwrap_err();
        assert!(fault.text.contains(expected), "{}", fault.text);
    };
    refused(&[HIGH, b"none"], "element 1 of input 'file': ");
    refused(&[HIGH, b""], "element 1 of input 'file': it is empty");
    refused(
        &[WIDE],
        "element 0 of input 'file' has the value 510 after the steps, which is beyond UINT8",
    );
    let model = load(&config("TYPE_FP32", "[ 3, -1, -1 ]", "")).unwrap();
    let fault = ask(&model, &[WIDE, HIGH]).unwrap_err();
    assert!(fault.text.contains("dims [3, 2, 1], and those before it [3, 1, 2]"), "{}", fault.text);
}

/// A PNG of one gray level, which takes few bytes for its pixels.
fn plain(side: u32) -> Vec<u8> {
    let mut rows = ZlibEncoder::new(vec![], Compression::default());
    rows.write_all(&vec![0; side as usize * (side as usize + 1)]).unwrap();
    let size = side.to_be_bytes();
    let head = [&size[..], &size, &[8, 0, 0, 0, 0]].concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", head), (b"IDAT", rows.finish().unwrap()), (b"IEND", vec![])] {
        let mut sum = Crc::new();
        sum.update(kind);
        sum.update(&data);
        file.extend((data.len() as u32).to_be_bytes());
        file.extend([&kind[..], &data, &sum.sum().to_be_bytes()].concat());
    }
    file
}

#[test]
fn a_request_has_the_memory_of_the_limit() {
    let limited = |limit: &str| {
        let limit =
            format!("parameters {{ key: 'memory_limit' value {{ string_value: '{limit}' }} }}");
        load(&format!("{}{limit}", config("TYPE_FP32", "[ 3, 64, 64 ]", ""))).unwrap()
    };
    // An image is 48 KiB of output.
    let (file, model) = (plain(8), limited("320K"));
    let files = [&file[..]; 8];
    assert_eq!(ask(&model, &files[..6]).unwrap().shape, [6, 3, 64, 64]);
    let fault = ask(&model, &files[..7]).unwrap_err();
    let expected = "output 'x' may take 344064 bytes of memory, and parameter 'memory_limit' of model 'm' allows 327680";
    assert!(fault.text.starts_with(expected), "{}", fault.text);
    assert_eq!(fault.code, ErrorCode::InvalidArg);
    // Its decoder, too, has less than the memory of the limit.
    let fault = ask(&model, &[&plain(512)]).unwrap_err();
    assert!(
        fault.text.contains("512x512 pixels is too large: it may have 20480"),
        "{}",
        fault.text
    );
    let server = ModelConfig::from_text(&config("TYPE_FP32", "[ 3, 64, 64 ]", "")).unwrap();
    let server = Images::of(&server, Some(1 << 20), |_| {}).unwrap();
    assert!(
        ask(&server, &[&file[..]; 22])
            .unwrap_err()
            .text
            .contains("`--memory-limit` allows 1048576")
    );
}

#[test]
fn the_pixels_of_a_request_are_bounded() {
    let mut model = load(&config("TYPE_UINT8", "[ 3, 1, 1 ]", "")).unwrap();
    assert_eq!(model.most_pixels, 1 << 30);
    model.most_pixels = 3 * 64;
    let file = plain(8);
    assert_eq!(ask(&model, &[&file[..]; 3]).unwrap().shape, [3, 3, 1, 1]);
    let fault = ask(&model, &[&file[..]; 4]).unwrap_err();
    assert!(fault.text.contains("more than the 192 pixels that a request"), "{}", fault.text);
    assert_eq!(fault.code, ErrorCode::InvalidArg);
}

#[test]
fn a_run_ends_between_images_when_its_client_leaves() {
    let model = load(&config("TYPE_FP32", "[ 3, 1, 1 ]", "")).unwrap();
    let cancel = CancelFlag::new();
    ask_until(&model, &[WIDE], cancel.clone()).unwrap();
    cancel.cancel();
    // The second file would be another fault.
    let fault = ask_until(&model, &[WIDE, b"none"], cancel).unwrap_err();
    assert_eq!(fault.code, ErrorCode::Cancelled);
}

#[test]
fn wrong_models_are_refused_by_name() {
    let refused = |config: String, expected: &str| {
        let fault = load(&config).err().unwrap();
        assert!(fault.text.contains(expected), "{}", fault.text);
    };
    refused(
        config("TYPE_FP32", "[ 3, 4, 4 ]", "sice=4x4"),
        "parameter 'steps' of model 'm': `sice=4x4` is not",
    );
    refused(config("TYPE_FP32", "[ 4, 4, 4 ]", ""), "does not fit an input of 4 channels");
    refused(
        config("TYPE_FP32", "[ 3, 4, 4 ]", "size=5x4"),
        "they make a tensor of dims [ 3, 4, 5 ], and output 'x' has [3, 4, 4]",
    );
    refused(config("TYPE_FP32", "[ 4 ]", ""), "whose dims are those of an image");
    refused(config("TYPE_STRING", "[ 3, 4, 4 ]", ""), "an output of numbers");
    refused(
        config("TYPE_FP32", "[ 3, 4, 4 ]", "").replace("TYPE_STRING", "TYPE_UINT8"),
        "an input of type TYPE_STRING",
    );
}
