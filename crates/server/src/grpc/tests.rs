//! Calls of the dispatcher without models.

use bytes::Bytes;
use hyper::Request;

use super::testing::*;
use super::{Caller, Grpc, GrpcOptions};
use crate::compress::{Compression, Encoding};
use crate::keys::ApiKeys;
use crate::repository::{ControlMode, LoadOptions, RepositoryOptions};
use std::sync::Arc;

const LIVE: &str = "/inference.GRPCInferenceService/ServerLive";

fn call(service: &Arc<Grpc>, path: &str, headers: &[(&str, &str)], data: Vec<Bytes>) -> Outcome {
    run(outcome(service, request(path, headers, data)))
}

#[track_caller]
fn assert_fails(outcome: &Outcome, code: &str, text: &str) {
    assert_eq!(outcome.http, 200);
    assert_eq!(outcome.code, code, "{outcome:?}");
    assert!(outcome.text.contains(text), "{outcome:?}");
    assert!(outcome.messages.is_empty());
}

#[test]
fn other_requests_than_grpc_get_a_status_of_http() {
    let service = server(GrpcOptions::default());
    let status = |request| run(outcome(&service, request)).http;
    let request = |method: &str, kind: &str| {
        let request = Request::builder().method(method).uri(LIVE).header("content-type", kind);
        request.body(Sent([framed(b"")].into())).unwrap()
    };
    for kind in ["application/json", "application/grpcx", "text/plain", ""] {
        assert_eq!(status(request("POST", kind)), 415, "{kind}");
    }
    assert_eq!(status(request("GET", "application/grpc")), 405);
    for kind in ["application/grpc", "application/grpc+proto", "application/grpc;x=y"] {
        assert_eq!(status(request("POST", kind)), 200, "{kind}");
    }
}

#[test]
fn a_call_has_one_message() {
    let service = server(GrpcOptions { max_message: 100, ..GrpcOptions::default() });
    let live = |data| call(&service, LIVE, &[], data);
    let ok = live(vec![framed(b"")]);
    assert_eq!((&*ok.code, &ok.messages[..]), ("0", &[Bytes::from_static(&[8, 1])][..]));
    // A message may come in any pieces, and fields that are not known are skipped.
    let message = framed(&[0x7a, 1, 0]);
    let pieces = message.chunks(1).map(Bytes::copy_from_slice).collect();
    assert_eq!(live(pieces), ok);

    assert_fails(&live(vec![]), "13", "has no message");
    assert_fails(&live(vec![framed(b""), framed(b"")]), "13", "several messages");
    assert_fails(&live(vec![framed(&[0; 101])]), "8", "larger than max (101 vs. 100)");
    assert_fails(&live(vec![framed(b"x").slice(..5)]), "13", "ends after 0 of a message's 1 bytes");
    let ready = "/inference.GRPCInferenceService/ModelReady";
    let damaged = call(&service, ready, &[], vec![framed(&[0x0a, 9, b'm'])]);
    assert_fails(&damaged, "13", "cannot be read");
}

#[test]
fn an_unloaded_model_is_not_ready_and_another_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let tensor = "name: \"x\" data_type: TYPE_FP32 dims: [ -1 ]";
    let text = format!("backend: \"identity\" input {{ {tensor} }} output {{ {tensor} }}");
    std::fs::create_dir_all(folder.path().join("m/1")).unwrap();
    std::fs::write(folder.path().join("m/config.pbtxt"), text).unwrap();
    let options = RepositoryOptions {
        folders: vec![folder.path().to_owned()],
        mode: ControlMode::Explicit,
        ..RepositoryOptions::default()
    };
    let service = serving(GrpcOptions::default(), options);
    let ready = |name: &[u8]| {
        let message = [&[0x0a, name.len() as u8], name].concat();
        let path = "/inference.GRPCInferenceService/ModelReady";
        call(&service, path, &[], vec![framed(&message)])
    };
    assert_fails(&ready(b"m"), "5", "unknown model: 'm' is not found");
    let repository = &service.server.repository;
    repository.load("m", LoadOptions::default()).unwrap();
    assert_eq!(ready(b"m").messages, [Bytes::from_static(&[8, 1])]);
    repository.unload("m", false).unwrap();
    let unloaded = ready(b"m");
    assert_eq!((&*unloaded.code, &unloaded.messages[..]), ("0", &[Bytes::new()][..]));
    assert_fails(&ready(b"n"), "5", "unknown model: 'n' is not found");
}

#[test]
fn methods_that_do_not_exist_are_unimplemented() {
    let service = server(GrpcOptions::default());
    for path in [
        "/",
        "/inference.GRPCInferenceService/Nope",
        "/inference.GRPCInferenceService/",
        "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ] {
        let outcome = call(&service, path, &[], vec![framed(b"")]);
        assert_fails(&outcome, "12", "");
        assert_eq!(outcome.text, "");
    }
}

#[test]
fn requests_may_be_compressed() {
    let service = server(GrpcOptions { max_message: 100, ..GrpcOptions::default() });
    let packed = |size| {
        // A field that is not known.
        let message = [vec![0x7a, size], vec![0; size.into()]].concat();
        let message =
            Encoding::Gzip.compress([&message[..]].into_iter(), Compression::fast()).unwrap();
        let mut bytes = framed(&message).to_vec();
        bytes[0] = 1;
        vec![Bytes::from(bytes)]
    };
    let gzip = |data| call(&service, LIVE, &[("grpc-encoding", "gzip")], data);
    assert_eq!(gzip(packed(90)).code, "0");
    assert_eq!(gzip(vec![framed(b"")]).code, "0");
    assert_fails(&gzip(packed(120)), "8", "over 100 bytes when decompressed");
    assert_fails(&call(&service, LIVE, &[], packed(9)), "13", "does not say how");
    let other = call(&service, LIVE, &[("grpc-encoding", "br")], packed(9));
    assert_fails(&other, "12", "identity, deflate, gzip");
}

#[test]
fn answers_are_compressed_for_clients_that_accept_it() {
    let compression = Some(Compression::fast());
    let service = server(GrpcOptions { compression, ..GrpcOptions::default() });
    let metadata = "/inference.GRPCInferenceService/ServerMetadata";
    let request = |headers| request(metadata, headers, vec![framed(b"")]);
    let accepts = [("grpc-accept-encoding", "identity, gzip")];
    let answer = run(Arc::clone(&service).call(request(&accepts), Caller::default()));
    assert_eq!(answer.headers()["grpc-encoding"], "gzip");
    let answer = run(service.call(request(&[]), Caller::default()));
    assert!(!answer.headers().contains_key("grpc-encoding"));
}

#[test]
fn timeouts_have_a_form() {
    let service = server(GrpcOptions::default());
    let live = |timeout| call(&service, LIVE, &[("grpc-timeout", timeout)], vec![framed(b"")]);
    assert_eq!(live("5S").code, "0");
    assert_fails(&live("5"), "13", "'grpc-timeout'");
}

#[test]
fn restricted_methods_need_a_key() {
    let mut options = GrpcOptions::default();
    options.restrictions.add("health:admin-key=letmein").unwrap();
    let service = server(options);
    let live = |headers: &[_]| call(&service, LIVE, headers, vec![framed(b"")]);
    let expected = "expecting header 'triton-grpc-protocol-admin-key'";
    assert_fails(&live(&[]), "14", expected);
    assert_fails(&live(&[("admin-key", "letmein")]), "14", expected);
    assert_fails(&live(&[("triton-grpc-protocol-admin-key", "x")]), "14", expected);
    assert_eq!(live(&[("triton-grpc-protocol-admin-key", "letmein")]).code, "0");
    let index = "/inference.GRPCInferenceService/RepositoryIndex";
    assert_eq!(call(&service, index, &[], vec![framed(b"")]).code, "0");
}

#[test]
fn calls_but_those_for_health_need_a_key_of_the_server() {
    let keys = ApiKeys::of("one\ntwo").unwrap();
    let service = server(GrpcOptions { keys, ..GrpcOptions::default() });
    let with = |method, headers: &[_]| call(&service, method, headers, vec![framed(b"")]);
    let index = "/inference.GRPCInferenceService/RepositoryIndex";
    assert_fails(&with(index, &[]), "16", "needs an API key");
    assert_fails(&with(index, &[("authorization", "Bearer on")]), "16", "is not valid");
    assert_eq!(with(index, &[("authorization", "Bearer two")]).code, "0");
    for method in [LIVE, "/grpc.health.v1.Health/Check"] {
        assert_eq!(with(method, &[]).code, "0", "{method}");
    }
}

#[test]
fn large_headers_are_refused_with_a_status_of_grpc() {
    let service = server(GrpcOptions { max_head: 200, ..GrpcOptions::default() });
    let large = [("x-large", &*"v".repeat(300))];
    let refused = call(&service, LIVE, &large, vec![framed(b"")]);
    assert_fails(&refused, "8", "received metadata size exceeds limit (");
    assert_eq!(call(&service, LIVE, &[("x-large", "v")], vec![framed(b"")]).code, "0");
}

#[test]
fn streams_end_at_their_deadlines() {
    let service = server(GrpcOptions::default());
    let stream = "/inference.GRPCInferenceService/ModelStreamInfer";
    let late = call(&service, stream, &[("grpc-timeout", "0n")], vec![framed(b"")]);
    assert_fails(&late, "4", "Deadline Exceeded");
    let in_time = call(&service, stream, &[("grpc-timeout", "9S")], vec![]);
    assert_eq!((&*in_time.code, in_time.messages.len()), ("0", 0));
}
