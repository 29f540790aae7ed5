//! What `trident run` tells about a run.

use super::run::Args;
use crate::failure::Failure;
use crate::input::json::element;
use crate::labels::{self, Labels};
use crate::output;
use crate::render::{self, counted, escape, style};
use crate::scalar::Scalar;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;
use trident_ir::DType;
use trident_runtime::{Tensor, Value};

/// Rows of scores that are drawn as charts; of further ones only the number is told.
const MAX_CHARTS: usize = 8;

/// What a run gave.
pub(super) struct Report<'a> {
    pub(super) args: &'a Args,
    pub(super) results: &'a [(String, Value)],
    pub(super) labels: &'a Labels,
    pub(super) load: Duration,
    pub(super) time: Duration,
}

impl Report<'_> {
    /// The best classes of an output, if it is a classification or they were asked for.
    fn classes(&self, tensor: &Tensor) -> Option<Vec<Vec<(usize, f64)>>> {
        let k = self.args.top_k;
        let charted = rankable(tensor, k.is_some())
            && (k.is_some() || self.labels.fit(tensor) || render::looks_like_probabilities(tensor));
        charted.then_some(k.unwrap_or(3)).filter(|k| *k > 0).and_then(|k| render::top_k(tensor, k))
    }

    /// Refuses `--top-k` where no output has classes to rank.
    pub(super) fn check_top_k(&self) -> Result<(), Failure> {
        let tensors = || self.results.iter().filter_map(|(_, v)| v.as_tensor());
        if self.args.top_k.is_none_or(|k| k == 0) || tensors().any(|t| rankable(t, true)) {
            return Ok(());
        }
        let types: Vec<String> =
            self.results.iter().map(|(name, v)| format!("`{name}` is {}", v.describe())).collect();
        let text = "--top-k ranks numbers of outputs with 1 or 2 dimensions, and there is none";
        Err(Failure::usage(text).hint(types.join(", ")))
    }

    pub(super) fn text(&self) -> String {
        let (title, dim) = (style::TITLE, style::DIM);
        let mut text = String::new();
        for (name, value) in self.results {
            let (name, what) = (escape(name), escape(&value.describe()));
            text.push_str(&format!("{title}{name}{title:#} {dim}{what}{dim:#}\n"));
            let chart = value.as_tensor().and_then(|t| Some((t, self.classes(t)?)));
            let Some((tensor, rows)) = chart else {
                text.push_str(&format!("  {}\n", render::value(value, 2)));
                continue;
            };
            let probabilities = render::looks_like_probabilities(tensor);
            let names = self.labels.names(tensor);
            for (i, row) in rows.iter().take(MAX_CHARTS).enumerate() {
                if rows.len() > 1 {
                    text.push_str(&format!(" row {i}\n"));
                }
                text.push_str(&render::bars(row, names, probabilities));
            }
            if rows.len() > MAX_CHARTS {
                text.push_str(&format!(" … {}\n", counted(rows.len() - MAX_CHARTS, "more row")));
            }
        }
        if let Some(path) = &self.args.output {
            text.push_str(&format!(
                "{dim}written to {}{dim:#}\n",
                escape(&path.display().to_string())
            ));
        }
        let (load, time) = (render::duration(self.load), render::duration(self.time));
        text.push_str(&format!("{dim}loaded in {load}, ran in {time}{dim:#}\n"));
        text
    }

    pub(super) fn json(&self) -> String {
        let best = |tensor: &Tensor, (class, score): &(usize, f64)| {
            let exact = tensor.dtype() == DType::F64 || tensor.dtype().is_int();
            let score = if exact { Scalar::Double(*score) } else { Scalar::Single(*score as f32) };
            let label = self.labels.names(tensor).get(*class);
            json!({ "class": class, "label": label, "score": element(&score) })
        };
        let mut top = BTreeMap::new();
        for (name, value) in self.results {
            if let Some(tensor) = value.as_tensor()
                && let Some(rows) = self.classes(tensor)
            {
                let rows: Vec<Vec<_>> =
                    rows.iter().map(|r| r.iter().map(|c| best(tensor, c)).collect()).collect();
                top.insert(name.as_str(), rows);
            }
        }
        let types: BTreeMap<&str, String> =
            self.results.iter().map(|(n, v)| (n.as_str(), v.describe())).collect();
        let report = json!({
            "outputs": output::to_json(self.results),
            "types": types,
            "top_k": top,
            "load_ms": render::millis(self.load),
            "run_ms": render::millis(self.time),
        });
        render::json(&report)
    }
}

/// Whether a tensor is rows of numbers that can be ranked; integers only where somebody asks.
fn rankable(tensor: &Tensor, asked: bool) -> bool {
    let integers = asked && matches!(tensor.rank(), 1 | 2) && tensor.dtype().is_int();
    !tensor.is_empty() && (integers || labels::is_scores(tensor))
}
