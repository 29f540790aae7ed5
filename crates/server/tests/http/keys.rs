//! Keys of the server, and the forms of refusals.

use super::*;
use trident_server::keys::ApiKeys;

/// The status, head and body of the answer to a request with these lines of its head.
fn ask(bench: &Bench, request: &str, lines: &str) -> (u16, String, String) {
    let mut stream = bench.connect();
    let text = format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{lines}\r\n");
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_ascii_lowercase(), body.to_owned())
}

#[test]
fn all_but_health_needs_a_key() {
    let keys = ApiKeys::of("one\ntwo").unwrap();
    let bench = Bench::new(HttpOptions { keys, ..Default::default() });
    let (right, wrong) = ("Authorization: Bearer two\r\n", "Authorization: Bearer on\r\n");
    for path in ["/v2/health/live", "/v2/health/ready", "/v2/models/add_fp32/ready", "/ui"] {
        assert_eq!(ask(&bench, &format!("GET {path}"), "").0, 200, "{path}");
    }
    for path in ["/v2", "/v2/models/add_fp32", "/v2/models/stats", "/ui/live", "/v1/models"] {
        let request = format!("GET {path}");
        for (lines, text) in [("", "needs an API key"), (wrong, "is not valid")] {
            let (status, head, body) = ask(&bench, &request, lines);
            assert!(status == 401 && body.contains(text), "{path}: {status} {body}");
            assert!(head.contains("\r\nwww-authenticate: bearer"), "{head}");
            let openai =
                r#""type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#;
            assert_eq!(body.ends_with(openai), path.starts_with("/v1"), "{body}");
            assert_eq!(body.starts_with(r#"{"error":""#), !path.starts_with("/v1"), "{body}");
        }
        assert_eq!(ask(&bench, &request, right).0, 200, "{path}");
    }
    let (status, _) = bench.ask("", REQUEST.as_bytes());
    assert_eq!(status, 401);
    let (status, body) = bench.ask(right, REQUEST.as_bytes());
    assert!(status == 200 && String::from_utf8_lossy(&body).contains("[2.0,3.5]"));
}
