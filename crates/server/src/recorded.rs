//! Requests to the Triton Inference Server and its recorded answers, for tests.

use serde_json::Value;

/// The cases of HTTP, in their order.
pub(crate) fn http() -> impl Iterator<Item = Value> {
    let lines = include_str!("../../../conformance/server/http.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap())
}
