//! `trident run`: one inference, or one launch of a kernel.

use super::launch;
use crate::failure::Failure;
use crate::input::{self, InputArgs, json::element};
use crate::kernel::{self, KernelArgs};
use crate::limits::LimitArgs;
use crate::model::{self, DeviceArgs};
use crate::output;
use crate::preprocess::Preprocess;
use crate::render::{self, style};
use crate::scalar::Scalar;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use trident_engine::Session;
use trident_runtime::{Tensor, Value};

const EXAMPLES: &str = "\
Inputs:
  FILE          for the next input that has none: .npy, .npz, .pb, .json, .png, .jpg
  NAME=FILE     for the input called NAME
  random        random numbers for all inputs left (NAME=random for one)

Examples:
  trident run digits.onnx --input 7.png --top-k 5
  trident run resnet50.onnx --input cat.jpg --labels imagenet.txt \\
      --preprocess scale=1/255,mean=0.485:0.456:0.406,std=0.229:0.224:0.225,size=224x224
  trident run bert.onnx --input ids=ids.npy --input mask=mask.npy --output out.npz
  trident run model.onnx --input random --shape x=8x3x224x224 --seed 1 --json

Kernels (.ttir) take --grid and --arg; arrays that the launch changed are the results:
  trident run add.ttir --grid 8 --arg x=@x.npy --arg y=@y.npy --arg out=zeros:8000 --arg n=8000 \\
      --output out.npy";

/// Rows of scores that are drawn as charts; of further ones only the number is told.
const MAX_CHARTS: usize = 8;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// ONNX file, or Triton IR (.ttir)
    pub(super) model: PathBuf,
    #[command(flatten)]
    pub(super) inputs: InputArgs,
    #[command(flatten)]
    pub(super) kernel: KernelArgs,
    /// How image files become tensors, e.g. scale=1/255,mean=A:B:C,std=A:B:C,layout=nchw,size=32x32,gray
    #[arg(short, long, value_name = "STEPS")]
    preprocess: Option<String>,
    /// Write results to a .npy, .npz or .json file
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Show the K best classes of each row [default: 3 where outputs are probabilities or have labels]
    #[arg(short = 'k', long, value_name = "K")]
    top_k: Option<usize>,
    /// Class names, one a line
    #[arg(short, long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Print results and times as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) device: DeviceArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if kernel::is_kernel(&args.model) {
        return launch::run(args);
    }
    if args.kernel.is_given() {
        let text =
            format!("--grid and --arg are for kernels, and `{}` is none", args.model.display());
        return Err(Failure::usage(text).hint("kernels are .ttir files; models take --input"));
    }
    let limits = args.limits.limits();
    let loaded = model::load(&args.model, &args.device, &limits)?;
    let session = &loaded.session;
    let signature = session.signature();
    if args.inputs.is_empty() && !signature.inputs.is_empty() {
        let hint = format!("give --input FILE or --input random; {}", input::listed(signature));
        return Err(Failure::usage("no input was given").hint(hint));
    }
    let preprocess = preprocess(args, session)?;
    let labels = labels(args, session)?;
    let bound = args.inputs.read(signature, &preprocess)?;
    if args.preprocess.is_some() && bound.images == 0 {
        return Err(Failure::usage("--preprocess was given, but no input is an image").hint(
            "it applies to .png and .jpg files; the numbers of other files are taken as they are",
        ));
    }
    let start = Instant::now();
    let outcome = session.run_with(&bound.as_slice(), &limits.run_options());
    let (results, _) = outcome.map_err(|e| limits.explain(e))?;
    let (load, time) = (loaded.time, start.elapsed());
    if let Some(path) = &args.labels {
        let classes = |v: &Value| v.as_tensor().and_then(|t| t.dims().last().copied());
        if !results.iter().any(|(_, v)| classes(v) == Some(labels.len())) {
            let (path, n) = (path.display(), labels.len());
            return Err(Failure::usage(format!(
                "`{path}` has {n} labels, no output as many classes"
            )));
        }
    }
    if let Some(path) = &args.output {
        output::write(path, &results)?;
    }
    let report = Report { args, results: &results, labels: &labels, load, time };
    let text = if args.json { report.json() } else { report.text() };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// As given, else as the model's metadata say.
fn preprocess(args: &Args, session: &Session) -> Result<Preprocess, Failure> {
    if let Some(text) = &args.preprocess {
        return text.parse().map_err(|e| Failure::usage(format!("--preprocess: {e}")));
    }
    let own = session.metadata().get("trident.preprocess").map_or("", String::as_str);
    own.parse().map_err(|e| {
        Failure::usage(format!("the model's own preprocessing `{own}` cannot be used: {e}"))
            .hint("give --preprocess")
    })
}

/// As given, else as the model's metadata say; none is fine.
fn labels(args: &Args, session: &Session) -> Result<Vec<String>, Failure> {
    let text = match &args.labels {
        Some(path) => fs::read_to_string(path)
            .map_err(|e| Failure::usage(format!("cannot read `{}`: {e}", path.display())))?,
        None => session.metadata().get("trident.labels").cloned().unwrap_or_default(),
    };
    Ok(text.lines().map(str::to_owned).collect())
}

/// What a run gave.
struct Report<'a> {
    args: &'a Args,
    results: &'a [(String, Value)],
    labels: &'a [String],
    load: Duration,
    time: Duration,
}

impl Report<'_> {
    /// The best classes of an output, if it is a classification or they were asked for.
    fn classes(&self, tensor: &Tensor) -> Option<Vec<Vec<(usize, f64)>>> {
        let k = self.args.top_k;
        let labelled = tensor.dims().last() == Some(&self.labels.len());
        let scores = matches!(tensor.rank(), 1 | 2) && tensor.dtype().is_float();
        let charted = scores
            && !tensor.is_empty()
            && (labelled || k.is_some() || render::looks_like_probabilities(tensor));
        charted.then_some(k.unwrap_or(3)).filter(|k| *k > 0).and_then(|k| render::top_k(tensor, k))
    }

    fn text(&self) -> String {
        let (title, dim) = (style::TITLE, style::DIM);
        let mut text = String::new();
        for (name, value) in self.results {
            text.push_str(&format!("{title}{name}{title:#} {dim}{}{dim:#}\n", value.describe()));
            let chart = value
                .as_tensor()
                .and_then(|t| Some((self.classes(t)?, render::looks_like_probabilities(t))));
            let Some((rows, probabilities)) = chart else {
                text.push_str(&format!("  {}\n", render::value(value, 2)));
                continue;
            };
            for (i, row) in rows.iter().take(MAX_CHARTS).enumerate() {
                if rows.len() > 1 {
                    text.push_str(&format!(" row {i}\n"));
                }
                text.push_str(&render::bars(row, self.labels, probabilities));
            }
            if rows.len() > MAX_CHARTS {
                text.push_str(&format!(" … {} more rows\n", rows.len() - MAX_CHARTS));
            }
        }
        if let Some(path) = &self.args.output {
            text.push_str(&format!("{dim}written to {}{dim:#}\n", path.display()));
        }
        let (load, time) = (render::duration(self.load), render::duration(self.time));
        text.push_str(&format!("{dim}loaded in {load}, ran in {time}{dim:#}\n"));
        text
    }

    fn json(&self) -> String {
        let best = |(class, score): &(usize, f64)| {
            let score = element(&Scalar::Single(*score as f32));
            json!({ "class": class, "label": self.labels.get(*class), "score": score })
        };
        let mut top = BTreeMap::new();
        for (name, value) in self.results {
            if let Some(rows) = value.as_tensor().and_then(|t| self.classes(t)) {
                let rows: Vec<Vec<_>> = rows.iter().map(|r| r.iter().map(best).collect()).collect();
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
        format!("{report:#}\n")
    }
}
