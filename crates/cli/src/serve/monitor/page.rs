//! Pages of metrics in the text format of Prometheus.

/// A line of a page: one value of one series.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Metric {
    pub(super) name: String,
    pub(super) labels: Vec<(String, String)>,
    pub(super) value: f64,
}

impl Metric {
    /// The value of a label.
    pub(super) fn label(&self, name: &str) -> Option<&str> {
        let found = self.labels.iter().find(|(label, _)| label == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The metrics of a page; `None` for a text that is not such a page.
pub(super) fn parse(page: &str) -> Option<Vec<Metric>> {
    let lines = page.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(metric).collect()
}

/// `name{label="value",…} 1.5`, with a time after the value that nobody needs.
fn metric(line: &str) -> Option<Metric> {
    let end = line.find(['{', ' '])?;
    let (name, mut rest) = line.split_at(end);
    let mut labels = vec![];
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        while !rest.starts_with('}') {
            let (label, after) = rest.split_once("=\"")?;
            let (value, after) = quoted(after)?;
            labels.push((label.trim_start_matches(',').trim().to_owned(), value));
            rest = after;
        }
        rest = &rest[1..];
    }
    let value = rest.split_ascii_whitespace().next()?.parse().ok()?;
    (!name.is_empty()).then(|| Metric { name: name.to_owned(), labels, value })
}

/// A label's value, and what follows its closing quotation mark.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            char => value.push(char),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;

    #[test]
    fn lines_become_metrics() {
        let page = "# HELP a b\n# TYPE a counter\na{model=\"x\\\"y\\\\z\\n\", version=\"1\"} 2.5 170\n\nb 3\nc NaN\n";
        let metrics = parse(page).unwrap();
        assert_eq!(metrics[0].label("model"), Some("x\"y\\z\n"));
        assert_eq!(metrics[0].label("version"), Some("1"));
        assert_eq!((metrics[0].value, metrics[1].name.as_str(), metrics[1].value), (2.5, "b", 3.0));
        assert!(metrics[2].value.is_nan());
        for page in ["<html>", "a{b=\"c} 1", "a{b=\"c\"} x", "a{b} 1", "{a=\"b\"} 1", "a"] {
            assert_eq!(parse(page), None, "{page}");
        }
    }
}
