//! Backend `query`: tells where its outputs will lie, which is the memory of the processor.
//!
//! The outputs `OUTPUT0` and `OUTPUT1` are zeros of type UINT8. As in the server, environment variables choose what it does:
//! `TEST_BYTE_SIZE` is the number of elements, 2 without it; with `TEST_FAIL_WITH_QUERY_RESULT` requests fail, with the places of the
//! outputs as text; with `TEST_ANONYMOUS` it asks once for both outputs, which share the elements.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use trident_serving::{
    DataType, ErrorCode, Fault, ModelConfig, NativeModel, NativeRequest, NativeRun, Output,
};

use super::unfit;

pub(super) const NAME: &str = "query";

pub(super) struct Query {
    names: [Arc<str>; 2],
    /// The elements of an output.
    size: usize,
    /// The text with which all requests fail.
    failure: Option<String>,
}

impl Query {
    /// `variable` gives the value of an environment variable.
    pub(super) fn of(
        config: &ModelConfig,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Query, Fault> {
        let is = |at: usize, name: &str| {
            let output = config.output.get(at);
            output.is_some_and(|own| own.name == name && own.data_type == DataType::Uint8)
        };
        if config.output.len() != 2 || !is(0, "OUTPUT0") || !is(1, "OUTPUT1") {
            return Err(unfit(config, "the outputs 'OUTPUT0' and 'OUTPUT1' of type TYPE_UINT8"));
        }
        let is_anonymous = variable("TEST_ANONYMOUS").is_some();
        let mut size = 2;
        if let Some(text) = variable("TEST_BYTE_SIZE") {
            let given = text.trim().parse::<u16>().map_err(|_| {
                Fault::invalid(format_args!(
                    "the environment variable TEST_BYTE_SIZE is '{text}', and a number up to 65535 is expected"
                ))
            })?;
            size = usize::from(given) / if is_anonymous { 2 } else { 1 };
        }
        let asked: &[&str] = if is_anonymous { &["NULL"] } else { &["OUTPUT0", "OUTPUT1"] };
        let failure = variable("TEST_FAIL_WITH_QUERY_RESULT")
            .map(|_| asked.iter().map(|name| format!("{name} CPU 0; ")).collect());
        Ok(Query { names: ["OUTPUT0".into(), "OUTPUT1".into()], size, failure })
    }

    fn answer(&self) -> Result<Vec<Output>, Fault> {
        if let Some(text) = &self.failure {
            return Err(Fault { code: ErrorCode::Unknown, text: text.clone() });
        }
        let shape = vec![i64::try_from(self.size).unwrap_or(i64::MAX)];
        let output = |(at, name): (usize, &Arc<str>)| Output {
            at,
            name: Arc::clone(name),
            data_type: DataType::Uint8,
            shape: shape.clone(),
            data: Bytes::from(vec![0; self.size]),
        };
        Ok(self.names.iter().enumerate().map(output).collect())
    }
}

impl NativeModel for Query {
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun {
        let answers = batch.iter().map(|_| self.answer()).collect();
        NativeRun { answers, time: Duration::ZERO, answers_at_start: false }
    }

    fn is_steady(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed unwrap fails the test

    use super::*;

    fn query(set: &[(&str, &str)]) -> Result<Query, Fault> {
        let text =
            "name: 'm' backend: 'query' output { name: 'OUTPUT0' data_type: TYPE_UINT8 dims: 2 }
                    output { name: 'OUTPUT1' data_type: TYPE_UINT8 dims: 2 }";
        let config = ModelConfig::from_text(text).unwrap();
        let value = |name: &str| set.iter().find(|(own, _)| *own == name);
        Query::of(&config, |name| value(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn variables_choose_what_it_does() {
        let sizes = |set: &[(&str, &str)]| -> Vec<usize> {
            let outputs = query(set).unwrap().answer().unwrap();
            outputs.iter().map(|output| output.data.len()).collect()
        };
        assert_eq!(sizes(&[]), [2, 2]);
        assert_eq!(sizes(&[("TEST_BYTE_SIZE", "4")]), [4, 4]);
        assert_eq!(sizes(&[("TEST_BYTE_SIZE", "4"), ("TEST_ANONYMOUS", "")]), [2, 2]);
        let failure = |set: &[(&str, &str)]| query(set).unwrap().answer().unwrap_err();
        let fails = ("TEST_FAIL_WITH_QUERY_RESULT", "1");
        assert_eq!(failure(&[fails]).text, "OUTPUT0 CPU 0; OUTPUT1 CPU 0; ");
        assert_eq!(failure(&[fails, ("TEST_ANONYMOUS", "1")]).text, "NULL CPU 0; ");
        assert_eq!(failure(&[fails]).code, ErrorCode::Unknown);
        let fault = query(&[("TEST_BYTE_SIZE", "-1")]).err().unwrap();
        assert!(fault.text.contains("TEST_BYTE_SIZE is '-1'"), "{}", fault.text);
    }
}
