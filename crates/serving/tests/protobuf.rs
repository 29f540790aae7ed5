//! The binary form of configurations, beside that of protobuf's own library.
//!
//! `protobuf.txt` has pairs of lines, made by `protobuf` 6.33 for Python from the messages of `tritonclient` 2.73: a configuration in the text
//! format, with a value in each field, and the bytes of its binary form in hexadecimal. The pairs differ in their choices among fields.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use trident_serving::ModelConfig;

#[test]
fn the_binary_form_is_that_of_protobuf() {
    let lines: Vec<&str> = include_str!("protobuf.txt").lines().collect();
    assert_eq!(lines.len(), 12);
    for pair in lines.chunks(2) {
        let config = ModelConfig::from_text(pair[0]).unwrap();
        let bytes =
            config.to_protobuf().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(bytes, pair[1], "{}", pair[0]);
    }
}

#[test]
fn fields_with_their_defaults_take_no_bytes() {
    assert!(ModelConfig::default().to_protobuf().is_empty());
    let text =
        "name: \"m\" response_cache {} sequence_batching { direct {} } input { dims: [ 0 ] }";
    let config = ModelConfig::from_text(text).unwrap();
    let expected: &[u8] = &[
        0x0a, 1, b'm', // name
        0x2a, 3, 0x22, 1, 0, // input
        0x6a, 2, 0x1a, 0, // sequence_batching
        0xc2, 1, 0, // response_cache
    ];
    assert_eq!(config.to_protobuf(), expected);
}
