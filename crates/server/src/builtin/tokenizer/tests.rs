//! Tests of tokens.

use trident_serving::{CancelFlag, ErrorCode};

use super::*;

/// Words of one letter, as BERT's tokenizer splits them.
const TOKENIZER: &str = r###"{"version":"1.0","truncation":null,"padding":null,
    "added_tokens":[{"id":0,"content":"[PAD]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
    "normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
    "pre_tokenizer":{"type":"BertPreTokenizer"},"post_processor":{"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",2]},
    "decoder":null,"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
    "vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"a":4,"b":5,"##b":6}}}"###;

const CONFIG: &str = r#"name: "t" backend: "trident_tokenizer" max_batch_size: 8
    input [ { name: "text" data_type: TYPE_STRING dims: [ 1 ] } ]
    output [ { name: "input_ids" data_type: TYPE_INT64 dims: [ -1 ] }, { name: "attention_mask" data_type: TYPE_INT32 dims: [ -1 ] },
             { name: "token_count" data_type: TYPE_INT64 dims: [ 1 ] } ]"#;

fn load(config: &str, file: &str) -> Result<Texts, Fault> {
    let config = ModelConfig::from_text(config).unwrap();
    let read = |name: &str| match name {
        FILE => Ok(file.as_bytes().to_vec()),
        _ => Err(io::ErrorKind::NotFound.into()),
    };
    Texts::of(&config, &read, None)
}

/// The outputs for some texts.
fn ask(model: &Texts, texts: &[&[u8]]) -> Result<Vec<Output>, Fault> {
    ask_until(model, texts, CancelFlag::new())
}

/// The same for a client that may leave.
fn ask_until(model: &Texts, texts: &[&[u8]], cancel: CancelFlag) -> Result<Vec<Output>, Fault> {
    let element = |text: &&[u8]| [&(text.len() as u32).to_le_bytes(), *text].concat();
    let data = texts.iter().flat_map(element).collect();
    let count = texts.len() as i64;
    let shape = if model.has_batch { vec![count, 1] } else { vec![count] };
    let input = NativeInput { name: "text", data_type: DataType::String, shape, data };
    let request = NativeRequest {
        inputs: vec![input],
        kept: vec![],
        checkpoint: RunCheckpoint::until(cancel),
    };
    model.run(&mut [request]).answers.remove(0)
}

fn numbers(tensor: &Output) -> Vec<i64> {
    let data = &tensor.data[..];
    match tensor.data_type {
        DataType::Int32 => {
            data.as_chunks().0.iter().map(|n| i32::from_le_bytes(*n).into()).collect()
        }
        _ => data.as_chunks().0.iter().map(|n| i64::from_le_bytes(*n)).collect(),
    }
}

#[test]
fn rows_are_padded_to_the_longest() {
    let texts = load(CONFIG, TOKENIZER).unwrap();
    let outputs = ask(&texts, &[b"A ab?", b"", b"b"]).unwrap();
    let [ids, mask, count] = &outputs[..] else { panic!("three outputs") };
    assert_eq!(ids.shape, [3, 6]);
    assert_eq!(numbers(ids), [2, 4, 4, 6, 1, 3, 2, 3, 0, 0, 0, 0, 2, 5, 3, 0, 0, 0]);
    assert_eq!((&count.shape[..], numbers(count)), (&[3, 1][..], vec![6, 2, 3]));
    assert_eq!(numbers(mask), [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0]);
}

#[test]
fn long_texts_are_cut() {
    let config = format!(
        "{CONFIG} parameters [ {{ key: \"max_length\" value: {{ string_value: \"3\" }} }} ]"
    );
    let texts = load(&config, TOKENIZER).unwrap();
    assert_eq!(numbers(&ask(&texts, &[b"a b a b"]).unwrap()[0]), [2, 4, 3]);
    let error = load(&config.replace("\"3\"", "\"three\""), TOKENIZER).err().unwrap();
    assert!(error.text.contains("'max_length' of model 't' is 'three'"), "{}", error.text);
}

#[test]
fn rows_are_padded_on_the_side_that_the_file_says() {
    let padding = r#""padding":{"strategy":"BatchLongest","direction":"Left","pad_to_multiple_of":null,
        "pad_id":0,"pad_type_id":7,"pad_token":"[PAD]"}"#;
    let file = TOKENIZER.replace("\"padding\":null", padding);
    let config = CONFIG.replace("attention_mask", "token_type_ids");
    let outputs = ask(&load(&config, &file).unwrap(), &[b"a", b"a b"]).unwrap();
    assert_eq!(numbers(&outputs[0]), [0, 2, 4, 3, 2, 4, 5, 3]);
    assert_eq!(numbers(&outputs[1]), [7, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(numbers(&outputs[2]), [3, 4]);
}

#[test]
fn a_request_has_the_memory_of_the_limit() {
    let limited = format!(
        "{CONFIG} parameters [ {{ key: \"memory_limit\" value: {{ string_value: \"64K\" }} }} ]"
    )
    .replace("max_batch_size: 8", "max_batch_size: 4000");
    let texts = load(&limited, TOKENIZER).unwrap();
    let refused = |texts: &Texts, given: &[&[u8]], expected: &str| {
        let fault = ask(texts, given).unwrap_err();
        assert!(fault.text.starts_with(expected), "{}", fault.text);
        assert_eq!(fault.code, ErrorCode::InvalidArg);
    };
    // 512 bytes of text, each of which may be a token.
    let long = "a ".repeat(256);
    assert_eq!(ask(&texts, &[long.as_bytes()]).unwrap()[0].shape, [1, 258]);
    let longer = "a ".repeat(257);
    let expected = "element 0 of input 'text' may take 65792 bytes of memory, and parameter 'memory_limit' of model 't' allows 65536";
    refused(&texts, &[longer.as_bytes()], expected);
    // Short texts beside a long one: rows of 12 bytes a token.
    let mut many = vec![&b"a"[..]; 100];
    assert_eq!(ask(&texts, &many).unwrap()[0].shape, [100, 3]);
    let fifty = "a ".repeat(50);
    many.push(fifty.as_bytes());
    refused(&texts, &many, "outputs of 101 rows of 52 tokens may take ");
    // Texts that are held until the answer is made.
    refused(&texts, &vec![&b""[..]; 4000], "element ");
}

#[test]
fn a_run_ends_between_texts_when_its_client_leaves() {
    let texts = load(CONFIG, TOKENIZER).unwrap();
    let cancel = CancelFlag::new();
    ask_until(&texts, &[b"a"], cancel.clone()).unwrap();
    cancel.cancel();
    // The second text would be another fault.
    let fault = ask_until(&texts, &[b"a", b"\xff"], cancel).unwrap_err();
    assert_eq!(fault.code, ErrorCode::Cancelled);
}

#[test]
fn texts_that_are_not_utf8_are_refused() {
    let texts = load(CONFIG, TOKENIZER).unwrap();
    let error = ask(&texts, &[b"a", b"\xff"]).unwrap_err();
    assert_eq!(error.text, "element 1 of input 'text' is not UTF-8 text");
}

#[test]
fn rows_have_the_length_of_the_configuration() {
    let config = CONFIG.replace("[ -1 ]", "[ 4 ]");
    let texts = load(&config, TOKENIZER).unwrap();
    let outputs = ask(&texts, &[b"a", b"a b a b"]).unwrap();
    assert_eq!(outputs[0].shape, [2, 4]);
    assert_eq!(numbers(&outputs[0]), [2, 4, 3, 0, 2, 4, 5, 3]);
    let longer = format!(
        "{config} parameters [ {{ key: \"max_length\" value: {{ string_value: \"5\" }} }} ]"
    );
    let error = load(&longer, TOKENIZER).err().unwrap();
    assert!(error.text.contains("'max_length' of model 't': rows have 4 tokens"), "{}", error.text);
}

#[test]
fn texts_need_no_batch_dimension() {
    let config = CONFIG
        .replace("max_batch_size: 8", "max_batch_size: 0")
        .replace("[ -1 ]", "[ -1, -1 ]")
        .replace("[ 1 ]", "[ -1 ]");
    let outputs = ask(&load(&config, TOKENIZER).unwrap(), &[b"a", b""]).unwrap();
    let shapes: Vec<&[i64]> = outputs.iter().map(|output| &output.shape[..]).collect();
    assert_eq!(shapes, [&[2, 3][..], &[2, 3], &[2]]);
    assert_eq!(numbers(&outputs[0]), [2, 4, 3, 2, 3, 0]);
}

#[test]
fn wrong_models_are_refused_by_name() {
    let refused = |config: &str, file: &str, expected: &str| {
        let error = load(config, file).err().unwrap();
        assert!(error.text.contains(expected), "{}", error.text);
    };
    refused(CONFIG, "{}", "'tokenizer.json' of model 't' is not a tokenizer");
    refused(
        &CONFIG.replace("TYPE_STRING", "TYPE_INT8"),
        TOKENIZER,
        "one input of type TYPE_STRING",
    );
    refused(&CONFIG.replace("input_ids", "ids"), TOKENIZER, "'token_type_ids'");
    let other =
        format!("{CONFIG} parameters [ {{ key: \"file\" value: {{ string_value: \"x\" }} }} ]");
    refused(&other, TOKENIZER, "cannot read 'x' of model 't': it is neither in");
    let no_pad = TOKENIZER.replace("[PAD]", "[FILL]");
    refused(CONFIG, &no_pad, "'pad_token' of model 't': the file names no token");
    let named = format!(
        "{CONFIG} parameters [ {{ key: \"pad_token\" value: {{ string_value: \"[FILL]\" }} }} ]"
    );
    assert_eq!(load(&named, &no_pad).unwrap().pad.id, 0);
}
