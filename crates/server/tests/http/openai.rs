//! OpenAI's API over a model that counts words, and one that generates as many texts as its prompt has numbers.

use std::io::{Read, Write};
use std::path::Path;

use prost::Message;
use serde_json::{Value, json};
use trident_ir::{DType, Dim, Type};
use trident_onnx::proto::{
    AttributeProto, AttributeType, GraphProto, ModelProto, NodeProto, OperatorSetIdProto,
    ValueInfoProto,
};
use trident_onnx::type_proto;
use trident_server::http::HttpOptions;

use super::{Bench, receive};

fn attribute(name: &str, kind: AttributeType) -> AttributeProto {
    AttributeProto { name: name.into(), r#type: kind.into(), ..Default::default() }
}

fn integer(name: &str, i: i64) -> AttributeProto {
    AttributeProto { i: Some(i), ..attribute(name, AttributeType::Int) }
}

fn integers(name: &str, ints: &[i64]) -> AttributeProto {
    AttributeProto { ints: ints.into(), ..attribute(name, AttributeType::Ints) }
}

fn string(name: &str, text: &'static str) -> AttributeProto {
    AttributeProto { s: Some(text.as_bytes().into()), ..attribute(name, AttributeType::String) }
}

fn node(kind: &str, inputs: &[&str], output: &[&str], attributes: &[AttributeProto]) -> NodeProto {
    let names = |names: &[&str]| names.iter().map(|name| (*name).into()).collect();
    let (input, output, attribute) = (names(inputs), names(output), attributes.to_vec());
    NodeProto { op_type: kind.into(), input, output, attribute, ..Default::default() }
}

/// A model with one input.
fn model(node: Vec<NodeProto>, (input, ty): (&str, &Type), outputs: &[&str]) -> Vec<u8> {
    let value = |name: &str| ValueInfoProto { name: name.into(), r#type: None };
    let graph = GraphProto {
        name: "model".into(),
        node,
        input: vec![ValueInfoProto { r#type: Some(type_proto(ty)), ..value(input) }],
        output: outputs.iter().map(|name| value(name)).collect(),
        ..Default::default()
    };
    let opset = OperatorSetIdProto { domain: String::new(), version: 21 };
    let model = ModelProto {
        ir_version: 10,
        opset_import: vec![opset],
        graph: Some(graph),
        ..Default::default()
    };
    model.encode_to_vec()
}

/// A text of one word becomes (1, 0) or (0, 1).
fn words() -> Vec<u8> {
    let pool = vec![b"sun".as_slice().into(), b"rain".as_slice().into()];
    let attributes = [
        string("mode", "TF"),
        AttributeProto { strings: pool, ..attribute("pool_strings", AttributeType::Strings) },
        integer("min_gram_length", 1),
        integer("max_gram_length", 1),
        integer("max_skip_count", 0),
        integers("ngram_counts", &[0]),
        integers("ngram_indexes", &[0, 1]),
    ];
    let node = node("TfIdfVectorizer", &["text"], &["vector"], &attributes);
    let ty = Type::tensor(DType::Str, [Dim::sym("n"), Dim::Fixed(1)]);
    model(vec![node], ("text", &ty), &["vector"])
}

fn put(folder: &Path, name: &str, config: &str, model: Option<&[u8]>) {
    let folder = folder.join(name);
    std::fs::create_dir_all(folder.join("1")).unwrap();
    std::fs::write(folder.join("config.pbtxt"), config).unwrap();
    if let Some(model) = model {
        std::fs::write(folder.join("1/model.onnx"), model).unwrap();
    }
}

/// A server of the model `words`, which takes part, and of `plain`, which does not.
fn bench(folder: &Path) -> Bench {
    for (name, mark) in [("words", "embeddings"), ("plain", "")] {
        let config = format!(
            "max_batch_size: 2 parameters [ {{ key: \"openai\" value: {{ string_value: \"{mark}\" }} }} ]"
        );
        put(folder, name, &config, Some(&words()));
    }
    Bench::of(folder.to_owned(), HttpOptions::default())
}

/// The steps of an ensemble that gives a text for each number of its prompt: numbers become requests to the model `repeat`.
fn put_generator(folder: &Path) {
    let text = Type::tensor(DType::Str, [Dim::Fixed(1)]);
    let split = vec![
        node("StringSplit", &["text"], &["rows", "lengths"], &[string("delimiter", " ")]),
        node("Constant", &[], &["flat"], &[integers("value_ints", &[-1])]),
        node("Reshape", &["rows", "flat"], &["list"], &[]),
        node("Cast", &["list"], &["numbers"], &[integer("to", 12)]),
        node("Sub", &["numbers", "numbers"], &["delays"], &[]),
        node("Identity", &["delays"], &["waits"], &[]),
    ];
    let split = model(split, ("text", &text), &["numbers", "delays", "waits"]);
    put(folder, "split", "", Some(&split));
    let number = Type::tensor(DType::U32, [Dim::Fixed(1)]);
    let speak = vec![node("Cast", &["number"], &["text"], &[integer("to", 8)])];
    put(folder, "speak", "", Some(&model(speak, ("number", &number), &["text"])));
    let tensor =
        |name: &str, dims: i64| format!("name: '{name}' data_type: TYPE_UINT32 dims: {dims}");
    let repeat = format!(
        "backend: 'repeat' model_transaction_policy {{ decoupled: true }}
         input {{ {} }} input {{ {} }} input {{ {} }} output {{ {} }} output {{ {} }}",
        tensor("IN", -1),
        tensor("DELAY", -1),
        tensor("WAIT", -1),
        tensor("OUT", 1),
        tensor("IDX", 1)
    );
    put(folder, "repeat", &repeat, None);
    let step = |model: &str, inputs: &[[&str; 2]], outputs: &[[&str; 2]]| {
        let entries = |kind: &str, pairs: &[[&str; 2]]| -> String {
            let entry = |[key, value]: &[&str; 2]| {
                format!("{kind}_map {{ key: '{key}' value: '{value}' }} ")
            };
            pairs.iter().map(entry).collect()
        };
        let (inputs, outputs) = (entries("input", inputs), entries("output", outputs));
        format!("step {{ model_name: '{model}' model_version: -1 {inputs} {outputs} }}")
    };
    let steps = [
        step(
            "split",
            &[["text", "text_input"]],
            &[["numbers", "in"], ["delays", "delay"], ["waits", "wait"]],
        ),
        step("repeat", &[["IN", "in"], ["DELAY", "delay"], ["WAIT", "wait"]], &[["OUT", "out"]]),
        step("speak", &[["number", "out"]], &[["text", "text_output"]]),
    ];
    let parameter = |key: &str, value: &str| {
        format!("parameters {{ key: '{key}' value {{ string_value: '{value}' }} }}")
    };
    let chat = ["chat_system", "chat_user", "chat_assistant"].map(|key| parameter(key, "{} "));
    let generator = format!(
        "platform: 'ensemble' model_transaction_policy {{ decoupled: true }} {} {} {}
         input {{ name: 'text_input' data_type: TYPE_STRING dims: 1 }} output {{ name: 'text_output' data_type: TYPE_STRING dims: 1 }}
         ensemble_scheduling {{ {} }}",
        parameter("openai", "completions"),
        parameter("chat_answer", "9"),
        chat.join(" "),
        steps.join(" ")
    );
    put(folder, "generator", &generator, None);
}

impl Bench {
    fn json(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let mut stream = self.connect();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let (status, body) = receive(&mut stream);
        (status, serde_json::from_slice(&body).unwrap())
    }

    /// The head and the events of an answer that ends with `[DONE]`.
    fn events(&self, path: &str, body: &Value) -> (String, Vec<Value>) {
        let (mut stream, body) = (self.connect(), body.to_string());
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let events = body.lines().filter_map(|line| line.strip_prefix("data: "));
        let mut events: Vec<&str> = events.collect();
        assert_eq!(events.pop(), Some("[DONE]"), "{answer}");
        let events = events.into_iter().map(|event| serde_json::from_str(event).unwrap());
        (head.to_ascii_lowercase(), events.collect())
    }

    fn embed(&self, body: Value) -> (u16, Value) {
        self.json("POST", "/v1/embeddings", &body)
    }
}

#[test]
fn texts_become_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(folder.path());
    let vector = |index, embedding: Value| json!({"object": "embedding", "index": index, "embedding": embedding});
    let answer = |data| json!({"object": "list", "data": data, "model": "words"});
    let one = bench.embed(json!({"model": "words", "input": "rain"}));
    assert_eq!(one, (200, answer(json!([vector(0, json!([0.0, 1.0]))]))));
    // More texts than a batch has.
    let input =
        json!({"model": "words", "input": ["sun", "", "rain", "sun", "rain"], "dimensions": 2});
    let several = bench.json("POST", "/v3/embeddings", &input);
    let expected = [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    let rows: Vec<Value> = (0..).zip(expected).map(|(at, row)| vector(at, json!(row))).collect();
    assert_eq!(several, (200, answer(json!(rows))));
    let base64 = json!({"model": "words", "input": ["rain"], "encoding_format": "base64"});
    let expected = answer(json!([vector(0, json!("AAAAAAAAgD8="))]));
    assert_eq!(bench.embed(base64), (200, expected));
}

#[test]
fn models_that_take_part_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(folder.path());
    let (status, list) = bench.json("GET", "/v1/models", &Value::Null);
    assert_eq!((status, list["data"].as_array().unwrap().len()), (200, 1));
    let model = &list["data"][0];
    assert_eq!((&model["id"], &model["object"]), (&json!("words"), &json!("model")));
    assert!(model["created"].as_u64().unwrap() > 1_700_000_000);
    assert_eq!(bench.json("GET", "/v3/models/words", &Value::Null), (200, model.clone()));
    let (status, answer) = bench.json("GET", "/v1/models/plain", &Value::Null);
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(status == 400 && text.contains("set its parameter 'openai' to 'embeddings'"), "{text}");
}

#[test]
fn mistakes_are_named_in_the_form_of_the_api() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(folder.path());
    for (body, status, expected) in [
        (json!([]), 400, "must be a JSON object"),
        (json!({"input": "sun"}), 400, "'model' must be"),
        (json!({"model": "other", "input": "sun"}), 404, "'other'"),
        (json!({"model": "plain", "input": "sun"}), 400, "does not embed texts"),
        (json!({"model": "words"}), 400, "'input' must be"),
        (json!({"model": "words", "input": []}), 400, "'input' has 0 texts"),
        (json!({"model": "words", "input": [1, 2]}), 400, "tokens are not taken"),
        (json!({"model": "words", "input": [[1], [2]]}), 400, "tokens are not taken"),
        (
            json!({"model": "words", "input": "sun", "encoding_format": "hex"}),
            400,
            "'encoding_format'",
        ),
        (json!({"model": "words", "input": "sun", "dimensions": 3}), 400, "have 2"),
    ] {
        let (given, answer) = bench.embed(body.clone());
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(given == status && text.contains(expected), "{body}: {given} {text}");
        assert_eq!(answer["error"]["type"], "invalid_request_error");
    }
    let (status, answer) = bench.json("GET", "/v1/embeddings", &Value::Null);
    assert_eq!(status, 405, "{answer}");
    for path in ["/v1/completions", "/v3/chat/completions"] {
        let (status, answer) = bench.json("POST", path, &json!({"model": "words"}));
        let text = answer["error"]["message"].as_str().unwrap();
        let expected =
            "model 'words' does not generate text: its parameter 'openai' is not 'completions'";
        assert!(status == 501 && text.starts_with(expected), "{text}");
        let (status, answer) = bench.json("POST", path, &json!({"model": "none"}));
        assert_eq!((status, &answer["error"]["code"]), (404, &json!("model_not_found")));
    }
}

/// A server of the model `generator`.
fn generator(folder: &Path) -> Bench {
    put_generator(folder);
    Bench::of(folder.to_owned(), HttpOptions::default())
}

#[test]
fn texts_are_continued() {
    let folder = tempfile::tempdir().unwrap();
    let bench = generator(folder.path());
    let prompt =
        json!({"model": "generator", "prompt": ["7 8 12"], "n": 1, "user": "me", "stop": null});
    let (status, answer) = bench.json("POST", "/v1/completions", &prompt);
    assert_eq!((status, &answer["object"]), (200, &json!("text_completion")), "{answer}");
    let choice = json!({"index": 0, "text": "7812", "logprobs": null, "finish_reason": "stop"});
    assert_eq!(answer["choices"], json!([choice]));
    assert!(answer["id"].as_str().unwrap().starts_with("cmpl-"), "{answer}");
    let messages = json!([
        {"role": "system", "content": "1"},
        {"role": "user", "content": [{"type": "text", "text": "2"}, {"type": "text", "text": "3"}]},
        {"role": "assistant", "content": "4"},
    ]);
    let chat = json!({"model": "generator", "messages": messages});
    let (status, answer) = bench.json("POST", "/v3/chat/completions", &chat);
    assert_eq!((status, &answer["object"]), (200, &json!("chat.completion")), "{answer}");
    let message = json!({"role": "assistant", "content": "12349", "refusal": null});
    assert_eq!(answer["choices"][0]["message"], message);
    let (_, list) = bench.json("GET", "/v1/models", &Value::Null);
    assert_eq!((&list["data"][0]["id"], list["data"].get(1)), (&json!("generator"), None));
}

#[test]
fn texts_are_continued_in_events() {
    let folder = tempfile::tempdir().unwrap();
    let bench = generator(folder.path());
    let prompt = json!({"model": "generator", "prompt": "7 8", "stream": true});
    let (head, events) = bench.events("/v1/completions", &prompt);
    assert!(head.contains("\r\ncontent-type: text/event-stream; charset=utf-8\r\n"), "{head}");
    let parts: Vec<Value> = events.iter().map(|event| event["choices"][0].clone()).collect();
    let part = |text: &str, reason: Value| json!({"index": 0, "text": text, "logprobs": null, "finish_reason": reason});
    assert_eq!(parts, [part("7", Value::Null), part("8", Value::Null), part("", json!("stop"))]);
    assert!(events.iter().all(|event| event["id"] == events[0]["id"]));
    let messages = json!([{"role": "user", "content": "5"}]);
    let chat = json!({"model": "generator", "messages": messages, "stream": true});
    let (_, events) = bench.events("/v1/chat/completions", &chat);
    let deltas: Vec<&Value> = events.iter().map(|event| &event["choices"][0]["delta"]).collect();
    let first = json!({"role": "assistant", "content": "5"});
    assert_eq!(deltas, [&first, &json!({"content": "9"}), &json!({})]);
    assert!(events.iter().all(|event| event["object"] == "chat.completion.chunk"));
}

#[test]
fn wrong_requests_for_texts_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bench = generator(folder.path());
    let with = |name: &str, value: Value| {
        let mut body = json!({"model": "generator", "prompt": "7"});
        body[name] = value;
        body
    };
    for (body, expected) in [
        (json!({"model": "generator"}), "'prompt' must be one text"),
        (with("prompt", json!(["1", "2"])), "'prompt' must be one text"),
        (with("prompt", json!([1, 2])), "tokens are not taken"),
        (with("stream", json!(1)), "'stream' must be true or false"),
        (with("temperature", json!(0.5)), "'temperature' has no effect on model 'generator'"),
        (with("n", json!(2)), "'n' has no effect"),
        (with("stream_options", json!({"include_usage": true})), "'stream_options' has no effect"),
    ] {
        let (status, answer) = bench.json("POST", "/v1/completions", &body);
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(status == 400 && text.contains(expected), "{body}: {status} {text}");
    }
    let steps = bench.server.repository.statistics(Some("split"), None).unwrap().remove(0);
    assert_eq!(steps.requests.success.count, 0, "a refused request has run");
    for (messages, expected) in [
        (json!("hello"), "'messages' must be an array"),
        (json!([]), "at least one message"),
        (json!([{"role": "user"}]), "'messages[0].content' must be a text"),
        (json!([{"role": "tool", "content": "x"}]), "'messages[0].role' is 'tool'"),
        (json!([{"role": "user", "content": [{"type": "image_url"}]}]), "parts of type 'text'"),
    ] {
        let body = json!({"model": "generator", "messages": messages});
        let (status, answer) = bench.json("POST", "/v1/chat/completions", &body);
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(status == 400 && text.contains(expected), "{body}: {status} {text}");
    }
}
