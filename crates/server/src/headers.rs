//! Headers of requests: those that become parameters, and their size.

use hyper::HeaderMap;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use crate::infer::{Fault, Parameter, Parameters};

/// Parameters with a meaning, which headers cannot set.
const RESERVED: [&str; 7] = [
    "sequence_id",
    "sequence_start",
    "sequence_end",
    "priority",
    "timeout",
    "headers",
    "binary_data_output",
];

/// The headers that are forwarded as parameters of requests: those whose names match a regular expression somewhere, in any case.
#[derive(Clone, Debug, Default)]
pub struct HeaderPattern(Option<Regex>);

/// Why a regular expression cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` is not a regular expression: {cause}")]
pub struct PatternError {
    pattern: String,
    cause: String,
}

impl HeaderPattern {
    /// The pattern of a regular expression; an empty one matches nothing.
    ///
    /// # Errors
    /// Another text than a regular expression.
    pub fn of(pattern: &str) -> Result<HeaderPattern, PatternError> {
        if pattern.is_empty() {
            return Ok(HeaderPattern(None));
        }
        let syntax = syntax::Config::new().case_insensitive(true).unicode(false).utf8(false);
        let regex = Regex::builder().syntax(syntax).build(pattern).map_err(|error| {
            let cause = match error.syntax_error() {
                Some(cause) => cause.to_string(),
                None => error.to_string(),
            };
            PatternError { pattern: pattern.to_owned(), cause: cause.replace('\n', " ") }
        })?;
        Ok(HeaderPattern(Some(regex)))
    }

    /// Adds the headers that match to the parameters of a request.
    ///
    /// # Errors
    /// A header that matches, but has the name of a parameter with a meaning.
    pub(crate) fn forward(
        &self,
        headers: &HeaderMap,
        parameters: &mut Parameters,
    ) -> Result<(), Fault> {
        let Some(regex) = &self.0 else { return Ok(()) };
        for (name, value) in headers {
            let name = name.as_str();
            if !regex.is_match(name) {
                continue;
            }
            if RESERVED.contains(&name) || name.starts_with("triton_") {
                return Err(Fault::invalid(format_args!(
                    "Header '{name}' is reserved for Triton usage and cannot be forwarded."
                )));
            }
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            parameters.others.push((name.to_owned(), Parameter::Text(value)));
        }
        Ok(())
    }
}

/// The bytes of headers: their names, their values and four bytes between.
pub(crate) fn size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::{HeaderName, HeaderValue};

    fn forwarded(pattern: &str, names: &[&'static str]) -> Result<Vec<String>, Fault> {
        let mut headers = HeaderMap::new();
        for name in names {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static("v"));
        }
        let mut parameters = Parameters::default();
        HeaderPattern::of(pattern).unwrap().forward(&headers, &mut parameters)?;
        let names = parameters.others.into_iter().map(|(name, value)| {
            assert_eq!(value, Parameter::Text("v".to_owned()));
            name
        });
        Ok(names.collect())
    }

    #[test]
    fn headers_that_match_become_parameters() {
        let names = ["x-tenant", "x-trace", "tenant", "accept"];
        assert_eq!(forwarded("Tenant", &names).unwrap(), ["x-tenant", "tenant"]);
        assert_eq!(forwarded("^(x-.*)$", &names).unwrap(), ["x-tenant", "x-trace"]);
        assert!(forwarded("", &names).unwrap().is_empty());
        assert_eq!(forwarded(".*", &names).unwrap().len(), 4);
    }

    #[test]
    fn headers_cannot_set_what_has_a_meaning() {
        for name in ["priority", "sequence_id", "triton_enable_empty_final_response"] {
            let fault = forwarded(".*", &[name]).unwrap_err();
            let text =
                format!("Header '{name}' is reserved for Triton usage and cannot be forwarded.");
            assert_eq!(fault.text, text);
            assert!(forwarded("x-.*", &[name]).unwrap().is_empty());
        }
        let error = HeaderPattern::of("(x").unwrap_err().to_string();
        assert!(error.starts_with("`(x` is not a regular expression: "), "{error}");
    }

    #[test]
    fn headers_have_a_size() {
        let mut headers = HeaderMap::new();
        headers.insert("accept", HeaderValue::from_static("x/y"));
        assert_eq!(size(&headers), 6 + 3 + 4);
    }
}
