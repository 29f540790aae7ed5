use bytes::Bytes;

use trident_serving::{DataType, ErrorCode, Fill};

use super::read;
use crate::infer::{AnswerTensor, Correlation, Data, InferAnswer, InferRequest, Parameter};
use crate::json::{Document, JsonValue};

fn request(text: &str) -> Result<InferRequest, crate::infer::Fault> {
    read(&Bytes::copy_from_slice(text.as_bytes()), text.len(), "m")
}

#[test]
fn a_request_is_read() {
    let text = r#"{"id":"a","parameters":{"sequence_id":"s","sequence_end":true,"timeout":5,"x":1.5,"y":"z"},"inputs":[
        {"name":"A","datatype":"FP32","shape":[2,1],"data":[[1],[2.5]]},
        {"name":"B","datatype":"BYTES","shape":[2],"data":["é",""]},
        {"name":"C","datatype":"FP16","shape":[1],"parameters":{"binary_data_size":2}},
        {"name":"D","datatype":"INT8","shape":[4],"parameters":{"shared_memory_region":"r","shared_memory_byte_size":4}}],
        "outputs":[{"name":"O","parameters":{"classification":3}},{"name":"P","parameters":{"binary_data":true}}]}"#;
    let body = Bytes::from([text.as_bytes(), &[0, 60]].concat());
    let request = read(&body, text.len(), "m").unwrap();
    assert_eq!((request.id.as_str(), request.parameters.timeout.as_micros()), ("a", 5));
    assert_eq!(request.parameters.sequence.id, Correlation::Text("s".into()));
    assert!(request.parameters.sequence.end && !request.parameters.sequence.start);
    let others = [("x".into(), Parameter::Float(1.5)), ("y".into(), Parameter::Text("z".into()))];
    assert_eq!(request.parameters.others, others);
    let Data::Json(json) = &request.inputs[0].data else { panic!() };
    let mut bytes = vec![1; json.size()];
    assert_eq!(json.fill(&mut bytes), Ok(8));
    assert_eq!(bytes, [0, 0, 128, 63, 0, 0, 32, 64]);
    assert!(
        matches!(&request.inputs[1].data, Data::Bytes(b) if **b == *b"\x02\0\0\0\xC3\xA9\0\0\0\0")
    );
    assert!(matches!(&request.inputs[2].data, Data::Bytes(b) if **b == [0, 60]));
    assert!(
        matches!(&request.inputs[3].data, Data::Shared(region) if region.size == 4 && region.name == "r")
    );
    assert_eq!((request.outputs[0].classes, request.outputs[1].binary), (3, Some(true)));
}

/// Recorded answers of the real server to requests that fail before they reach a model.
#[test]
fn faults_have_the_recorded_texts() {
    let ours = [
        "failed to parse",
        "Unable to parse",
        "has invalid type",
        "reserved for",
        "Input must set",
        "invalid datatype",
        "receiving",
        "already exists",
        "Output can't set",
    ];
    let mut count = 0;
    for case in crate::recorded::http() {
        let (asked, answer) = (&case["request"], &case["response"]);
        let answer_text = answer["body"].as_str().unwrap_or_default();
        let infer = asked["path"].as_str().unwrap().ends_with("/infer");
        let Some(body) = asked["body"].as_str().filter(|_| infer && asked["headers"].is_null())
        else {
            continue;
        };
        let Ok(error) = serde_json::from_str::<serde_json::Value>(answer_text) else { continue };
        let Some(error) =
            error["error"].as_str().filter(|text| ours.iter().any(|own| text.contains(own)))
        else {
            continue;
        };
        if case["match"].is_string() {
            continue;
        }
        let name = &case["case"];
        let fault = request(body).expect_err(&name.to_string());
        // Newer servers answer some of them in another way, as the recordings say: `400 "text"`, with `...` for the rest.
        let (status, error) = match case["head"].as_str() {
            Some(head) => {
                let (status, text) = head.split_once(' ').unwrap();
                (status.parse().unwrap(), text.trim_matches('"'))
            }
            None => (answer["status"].as_i64().unwrap(), error),
        };
        match error.split_once("(...)") {
            Some((start, end)) => {
                assert!(fault.text.starts_with(start) && fault.text.ends_with(end), "{name}")
            }
            None => assert_eq!(fault.text, error, "{name}"),
        }
        assert_eq!(if fault.code == ErrorCode::Internal { 500 } else { 400 }, status, "{name}");
        count += 1;
    }
    assert!(count >= 30, "{count}");
}

/// Recorded answers, taken apart and written again.
#[test]
fn answers_are_written_as_recorded() {
    let mut count = 0;
    for case in crate::recorded::http() {
        let body = case["response"]["body"].as_str().unwrap_or_default();
        let infer = case["request"]["path"].as_str().unwrap().ends_with("/infer");
        if !infer
            || !body.contains("\"outputs\"")
            || !case["response"]["headers"]["endpoint-load-metrics"].is_null()
        {
            continue;
        }
        let answer = answer(body);
        let written = super::write(&answer, |_| false).unwrap();
        let text = String::from_utf8(written.text).unwrap();
        // Where several shortest texts of a float exist, the server does not take the nearest.
        let nearest = body
            .replace("078126e-7", "078125e-7")
            .replace("774e21", "773e21")
            .replace("693e37", "692e37")
            .replace("644e38", "642e38");
        assert_eq!(text, nearest, "{}", case["case"]);
        count += 1;
    }
    assert!(count >= 40, "{count}");
}

/// The answer of a JSON text. Its data are read by the reader of requests.
fn answer(body: &str) -> InferAnswer {
    let document = Document::parse(Bytes::copy_from_slice(body.as_bytes())).unwrap();
    let root = document.root();
    let text = |value: JsonValue<'_>, name| {
        String::from_utf8(value.get(name).unwrap().string().unwrap().into()).unwrap()
    };
    let id = root.get("id").map(|_| text(root, "id")).unwrap_or_default();
    let inputs = format!("{{\"inputs\"{}", body.split_once("\"outputs\"").unwrap().1);
    // An output in shared memory has no data.
    let inputs = inputs.replace(
        "\"shape\":[1,16]},",
        "\"shape\":[1,16],\"parameters\":{\"shared_memory_region\":\"r\",\"shared_memory_byte_size\":4}},",
    );
    let outputs = request(&inputs).unwrap().inputs.into_iter().map(|input| {
        let data = match input.data {
            Data::Bytes(bytes) => Some(bytes),
            Data::Shared(_) | Data::Varints(_) | Data::Parts(_) => None,
            Data::Json(json) => {
                let mut bytes = vec![0; json.size()];
                json.fill(&mut bytes).unwrap();
                Some(bytes.into())
            }
        };
        AnswerTensor { name: input.name, data_type: input.data_type, shape: input.shape, data }
    });
    let version = text(root, "model_version").parse().unwrap();
    let (model, outputs) = (text(root, "model_name"), outputs.collect());
    InferAnswer { id, model, version, outputs, ..InferAnswer::default() }
}

#[test]
fn bytes_follow_the_text() {
    let data = Some(Bytes::from_static(&[0, 60]));
    let output = |name: &str, data_type| AnswerTensor {
        name: name.into(),
        data_type,
        shape: vec![1],
        data: data.clone(),
    };
    let outputs = vec![output("A", DataType::Fp16), output("B", DataType::Uint16)];
    let (id, model) = ("i".into(), "m".into());
    let answer = InferAnswer { id, model, version: 2, outputs, ..InferAnswer::default() };
    let body = super::write(&answer, |name| name == "A").unwrap();
    let text = r#"{"id":"i","model_name":"m","model_version":"2","outputs":[{"name":"A","datatype":"FP16","shape":[1],"parameters":{"binary_data_size":2}},{"name":"B","datatype":"UINT16","shape":[1],"data":[15360]}]}"#;
    assert_eq!((String::from_utf8(body.text).unwrap().as_str(), body.binary.len()), (text, 1));
    let fault = super::write(&answer, |_| false).unwrap_err();
    assert!(fault.text.starts_with("sending FP16 data via JSON is not supported"), "{fault}");
}
