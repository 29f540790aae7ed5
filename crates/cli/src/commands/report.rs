//! The report of `trident run`.

use super::run::Args;
use crate::failure::Failure;
use crate::input::json::element;
use crate::labels::{self, Labels};
use crate::output;
use crate::render::{self, counted, escape, style};
use crate::scalar::Scalar;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use trident_ir::DType;
use trident_runtime::{MapValue, Tensor, Value};

/// The most rows of scores that are drawn as charts; for more rows only their number is printed.
const MAX_CHARTS: usize = 8;

/// The results of a run.
pub(super) struct Report<'a> {
    pub(super) args: &'a Args,
    pub(super) results: &'a [(String, Value)],
    pub(super) labels: &'a Labels,
    /// The file that they were written to.
    pub(super) output: Option<&'a Path>,
    /// `None` if the model was loaded for several runs.
    pub(super) load: Option<Duration>,
    pub(super) time: Duration,
}

impl Report<'_> {
    /// The best classes of an output, if it is a classification or they were asked for.
    fn classes(&self, value: &Value) -> Option<Ranking> {
        let k = self.args.top_k;
        let ranking = match value {
            Value::Tensor(tensor) => {
                let fits = self.labels.fit(tensor) || render::looks_like_probabilities(tensor);
                if !self.rankable(value) || (k.is_none() && !fits) {
                    return None;
                }
                let percent = render::looks_like_probabilities(tensor);
                Ranking { rows: render::top_k(tensor, k.unwrap_or(3))?, names: vec![], percent }
            }
            Value::Seq(maps) if k.is_some() && self.rankable(value) => {
                let maps: Vec<&MapValue> = maps.iter().filter_map(scores_by_key).collect();
                let rows = maps.iter().map(|map| render::top_k(&map.values, k?)?.pop());
                let names = maps.iter().map(|map| keys(&map.keys)).collect();
                let percent = maps.iter().all(|map| render::looks_like_probabilities(&map.values));
                Ranking { rows: rows.collect::<Option<_>>()?, names, percent }
            }
            _ => return None,
        };
        (k != Some(0)).then_some(ranking)
    }

    /// Whether an output is rows of numbers that can be ranked. Narrow integers count as scores of a quantised model if
    /// ranking is requested and no output has scores as floats or by key. 64-bit integers are the labels that a
    /// classifier chose.
    fn rankable(&self, value: &Value) -> bool {
        let scores = |value: &Value| match value {
            Value::Tensor(tensor) => !tensor.is_empty() && labels::is_scores(tensor),
            Value::Seq(maps) => {
                !maps.is_empty() && maps.iter().all(|map| scores_by_key(map).is_some())
            }
            _ => false,
        };
        if scores(value) {
            return true;
        }
        self.args.top_k.is_some()
            && !self.results.iter().any(|(_, other)| scores(other))
            && value.as_tensor().is_some_and(|tensor| {
                let narrow = tensor.dtype().is_int() && tensor.dtype().bits() < 64;
                !tensor.is_empty() && matches!(tensor.rank(), 1 | 2) && narrow
            })
    }

    /// Refuses `--top-k` where no output has classes to rank.
    pub(super) fn check_top_k(&self) -> Result<(), Failure> {
        let any = || self.results.iter().any(|(_, value)| self.rankable(value));
        if self.args.top_k.is_none_or(|k| k == 0) || any() {
            return Ok(());
        }
        let types: Vec<String> =
            self.results.iter().map(|(name, v)| format!("`{name}` is {}", v.describe())).collect();
        let text = "--top-k ranks scores, and no output holds scores: they are floats with 1 or 2 dimensions, or maps; 64-bit integers are labels";
        Err(Failure::usage(text).hint(types.join(", ")))
    }

    /// The labels of an output's classes: all of them or none.
    fn names(&self, value: &Value) -> &[String] {
        value.as_tensor().map_or(&[], |tensor| self.labels.names(tensor))
    }

    pub(super) fn text(&self) -> String {
        let (title, dim) = (style::TITLE, style::DIM);
        let mut text = String::new();
        for (name, value) in self.results {
            let (name, what) = (escape(name), escape(&value.describe()));
            text.push_str(&format!("{title}{name}{title:#} {dim}{what}{dim:#}\n"));
            let Some(Ranking { rows, names, percent }) = self.classes(value) else {
                text.push_str(&format!("  {}\n", render::value(value, 2)));
                continue;
            };
            for (i, row) in rows.iter().take(MAX_CHARTS).enumerate() {
                if rows.len() > 1 {
                    text.push_str(&format!(" row {i}\n"));
                }
                let names = names.get(i).map_or(self.names(value), Vec::as_slice);
                text.push_str(&render::bars(row, names, percent));
            }
            if rows.len() > MAX_CHARTS {
                text.push_str(&format!(" … {}\n", counted(rows.len() - MAX_CHARTS, "more row")));
            }
        }
        if let Some(path) = self.output {
            text.push_str(&format!(
                "{dim}written to {}{dim:#}\n",
                escape(&path.display().to_string())
            ));
        }
        let load = self.load.map(|load| format!("loaded in {}, ", render::duration(load)));
        let (load, time) = (load.unwrap_or_default(), render::duration(self.time));
        text.push_str(&format!("{dim}{load}ran in {time}{dim:#}\n"));
        text
    }

    pub(super) fn json(&self) -> String {
        render::json(&self.value())
    }

    /// The report as a JSON object.
    pub(super) fn value(&self) -> serde_json::Value {
        let best = |value: &Value, row: usize, (class, score): &(usize, f64)| {
            let map = match value {
                Value::Seq(maps) => maps.get(row).and_then(scores_by_key),
                _ => None,
            };
            let scores = map.map(|map| &map.values).or(value.as_tensor());
            let dtype = scores.map_or(DType::F32, Tensor::dtype);
            let exact = dtype == DType::F64 || dtype.is_int();
            let score = if exact { Scalar::Double(*score) } else { Scalar::Single(*score as f32) };
            let key = map.and_then(|map| Some(element(&Scalar::get(&map.keys, *class)?)));
            let class_or_key = key.unwrap_or_else(|| json!(class));
            let label = self.names(value).get(*class);
            json!({ "class": class_or_key, "label": label, "score": element(&score) })
        };
        let mut top = BTreeMap::new();
        for (name, value) in self.results {
            if let Some(Ranking { rows, .. }) = self.classes(value) {
                let rows = rows.iter().enumerate();
                let rows: Vec<Vec<_>> =
                    rows.map(|(i, row)| row.iter().map(|c| best(value, i, c)).collect()).collect();
                top.insert(name.as_str(), rows);
            }
        }
        let types: BTreeMap<&str, String> =
            self.results.iter().map(|(n, v)| (n.as_str(), v.describe())).collect();
        let mut report = json!({
            "outputs": output::to_json(self.results),
            "types": types,
            "top_k": top,
            "run_ms": render::millis(self.time),
        });
        if let (Some(load), Some(fields)) = (self.load, report.as_object_mut()) {
            fields.insert("load_ms".to_owned(), json!(render::millis(load)));
        }
        report
    }
}

/// The best classes of each row of an output.
struct Ranking {
    rows: Vec<Vec<(usize, f64)>>,
    /// The names of the classes of each row, if they stand in the output.
    names: Vec<Vec<String>>,
    /// Whether every row is a probability distribution.
    percent: bool,
}

/// A map from classes to scores, as a ZipMap gives for each row.
fn scores_by_key(value: &Value) -> Option<&MapValue> {
    match value {
        Value::Map(map) if labels::is_scores(&map.values) && map.values.rank() == 1 => Some(map),
        _ => None,
    }
}

/// The keys of a map, as text.
fn keys(keys: &Tensor) -> Vec<String> {
    match keys.strings() {
        Ok(texts) => texts.to_vec(),
        Err(_) => keys.to_i64s().unwrap_or_default().iter().map(i64::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::sync::Arc;
    use trident_ir::Element;
    use trident_runtime::Pool;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn tensor<T: Element>(dims: &[usize], values: &[T]) -> Value {
        Tensor::from_slice(&Pool::new(), dims, values).unwrap().into()
    }

    /// The ranked outputs of a run with `--top-k 1`, as JSON.
    fn top(outputs: Vec<(&str, Value)>) -> Result<serde_json::Value, String> {
        let args = Cli::parse_from(["run", "m.onnx", "-k", "1"]).args;
        let results: Vec<_> = outputs.into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        let (labels, time) = (Labels::default(), Duration::ZERO);
        let (args, results, labels) = (&args, &results, &labels);
        let report = Report { args, results, labels, output: None, load: Some(time), time };
        report.check_top_k().map_err(|e| e.message())?;
        let mut json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(report.text().contains('│'), json["top_k"] != json!({}));
        Ok(json["top_k"].take())
    }

    #[test]
    fn labels_are_not_ranked() {
        let chosen = || ("label", tensor(&[2], &[10i64, 20]));
        let scores = tensor(&[2, 2], &[0.75f32, 0.25, 0.0, 1.0]);
        let ranked = top(vec![chosen(), ("p", scores)]).unwrap();
        let class =
            |class: i64, score: f32| json!([{"class": class, "label": null, "score": score}]);
        assert_eq!(ranked, json!({"p": [class(0, 0.75), class(1, 1.0)]}));
        // Narrower labels, too, beside scores.
        let narrow = ("label", tensor(&[2], &[1i32, 2]));
        let ranked = top(vec![narrow, ("p", tensor(&[2], &[1.0f32, 2.0]))]).unwrap();
        assert_eq!(ranked, json!({"p": [class(1, 2.0)]}));
        let error = top(vec![chosen()]).unwrap_err();
        assert!(error.contains("64-bit integers are labels"), "{error}");
    }

    #[test]
    fn maps_are_ranked_by_key() {
        let map = |values: [f32; 2]| {
            let keys = Tensor::from_slice(&Pool::new(), &[2], &[10i64, 20]).unwrap();
            let values = Tensor::from_slice(&Pool::new(), &[2], &values).unwrap();
            Value::Map(Arc::new(MapValue { keys, values }))
        };
        let maps = Value::seq(vec![map([0.75, 0.25]), map([0.0, 1.0])]);
        let ranked = top(vec![("label", tensor(&[2], &[10i64, 20])), ("p", maps)]).unwrap();
        let class =
            |class: i64, score: f32| json!([{"class": class, "label": null, "score": score}]);
        assert_eq!(ranked, json!({"p": [class(10, 0.75), class(20, 1.0)]}));
        assert!(top(vec![("p", Value::seq(vec![]))]).is_err());
    }

    #[test]
    fn quantised_scores_are_ranked() {
        let ranked = top(vec![("q", tensor(&[1, 3], &[3u8, 200, 7]))]).unwrap();
        assert_eq!(ranked["q"][0][0]["class"], 1);
    }
}
