//! Tests of the setting.

use super::*;

fn change(name: &str, value: Option<&str>) -> [(String, Option<Vec<String>>); 1] {
    [(name.to_owned(), value.map(|value| vec![value.to_owned()]))]
}

#[test]
fn models_follow_the_server_but_where_they_differ() {
    let traces = Traces::default();
    traces.change("", &change("trace_rate", Some("5"))).unwrap();
    assert_eq!(traces.get("m").rate, 5);
    traces.change("m", &change("trace_rate", Some("7"))).unwrap();
    traces.change("", &change("trace_rate", None)).unwrap();
    assert_eq!((traces.get("").rate, traces.get("m").rate), (1000, 7));
    let settings = traces.change("m", &change("trace_rate", None)).unwrap();
    assert_eq!(settings, TraceSettings::default());
}

/// Traces of one request in three, twice.
fn some(mode: TraceMode) -> Traces {
    let levels = vec![TraceLevel::Timestamps];
    let settings = TraceSettings { levels, rate: 3, count: 2, ..TraceSettings::default() };
    let file = "f".to_owned();
    Traces::new(TraceOptions { settings, mode, file, ..TraceOptions::default() })
}

/// The requests of twelve that are traced.
fn taken(traces: &Traces, asked: Option<bool>) -> Vec<usize> {
    (1..=12).filter(|_| traces.sample("m", asked).is_some()).collect()
}

#[test]
fn some_requests_are_traced() {
    let traces = some(TraceMode::Triton);
    assert_eq!(taken(&traces, Some(true)), [3, 6], "the client has no say");
    assert_eq!(traces.get("").count, 0, "none is left");
    traces.change("", &change("trace_count", Some("1"))).unwrap();
    assert_eq!(taken(&traces, None), [3]);
    traces.change("", &change("trace_rate", Some("2"))).unwrap();
    assert!(taken(&traces, None).is_empty(), "the count is as it was");
    traces.change("m", &change("trace_rate", Some("6"))).unwrap();
    traces.change("m", &change("trace_count", Some("-1"))).unwrap();
    assert_eq!(taken(&traces, None), [6, 12]);
    assert_eq!((traces.get("m").count, traces.get("n").count), (-1, 0));
    traces.change("", &change("trace_level", Some("OFF"))).unwrap();
    assert!(taken(&traces, None).is_empty());
    assert!(Traces::default().sample("m", Some(true)).is_none());
}

#[test]
fn spans_have_no_tensors() {
    for (mode, shown) in [(TraceMode::Triton, 1), (TraceMode::OpenTelemetry, 0)] {
        let traces = some(mode);
        let mut changes = change("trace_level", Some("TENSORS")).to_vec();
        changes.extend(change("trace_rate", Some("1")));
        traces.change("", &changes).unwrap();
        assert_eq!(traces.sample("m", None).unwrap().levels.len(), shown);
    }
}

#[test]
fn clients_decide_about_their_traces() {
    let traces = some(TraceMode::OpenTelemetry);
    assert_eq!(taken(&traces, Some(true)).len(), 12, "neither rate nor count matters");
    assert!(taken(&traces, Some(false)).is_empty());
    assert_eq!(taken(&traces, None), [3, 6]);
}

#[test]
fn a_refused_change_changes_nothing() {
    let traces = Traces::default();
    let text =
        |name, value| traces.change("", &change(name, Some(value))).map(|_| ()).unwrap_err().text;
    assert_eq!(text("trace_rate", "abc"), "Unable to parse 'trace_rate', got: abc");
    assert_eq!(
        text("trace_count", "99999999999"),
        "Unable to parse 'trace_count', value is out of range [ -1, 2147483647 ], got: 99999999999"
    );
    assert_eq!(
        text("trace_count", "-5"),
        "Unable to parse 'trace_count'. Expecting value >= -1, got:-5"
    );
    assert!(text("trace_level", "TENSORS").ends_with("trace file name is not given"));
    let mut several = change("trace_rate", Some("3")).to_vec();
    several.extend(change("trace_file", Some("x")));
    assert!(traces.change("", &several).is_err());
    assert_eq!(traces.get(""), TraceSettings::default());
    assert!(traces.change("", &change("trace_level", Some("NOPE"))).is_ok(), "unknown level");
    assert!(traces.change("", &change("nope", Some("1"))).is_ok(), "unknown name");
}
