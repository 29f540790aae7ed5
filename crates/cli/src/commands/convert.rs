//! `trident convert`: a model as an ONNX file.

mod write;

use crate::failure::Failure;
use crate::limits;
use crate::output;
use crate::progress;
use crate::render;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use trident_model::{Model, SourceModel};
use trident_onnx::export::{ExportSettings, ExternalWeights, OnnxFile, export};

const EXAMPLES: &str = "\
The file keeps the names of inputs, outputs, layers and symbolic dimensions, and gives the same results. It declares the
oldest operator set that has all its operators. A layer that ONNX has no operator for is an error.

An ONNX file has at most 2 GiB. Weights of larger models go to OUT.onnx.data beside the file, which belongs to it.

Examples:
  trident convert inference.json model.onnx          a Paddle model
  trident convert ch_PP-OCRv4_det_infer det.onnx     the Paddle model in a folder
  trident convert old.onnx new.onnx                  an ONNX model, with old forms of operators replaced
  trident convert llm large.onnx --external-data always   all weights from 1 KiB on in large.onnx.data
  trident convert model.json model.onnx --json | jq .opsets";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paddle model (.json, .pdmodel) or its folder, or ONNX file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// ONNX file to write
    #[arg(value_name = "OUT.onnx")]
    output: PathBuf,
    /// Version of the operator set `ai.onnx` to declare [default: the oldest that has all operators of the model]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    opset: Option<i64>,
    /// Weights to put into `OUT.onnx.data`: `auto` (those from 1 KiB on if the file would be larger than 2 GiB), `always`
    /// (those from 1 KiB on), `never`, or those from a size on, e.g. 1MiB
    #[arg(long, value_name = "WHICH", default_value = "auto", value_parser = external)]
    external_data: ExternalWeights,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

/// `auto`, `always`, `never`, or a size.
fn external(text: &str) -> Result<ExternalWeights, String> {
    match text {
        "auto" => Ok(ExternalWeights::Auto),
        "always" => Ok(ExternalWeights::Always),
        "never" => Ok(ExternalWeights::Never),
        text => match limits::size(text) {
            Ok(bytes) if bytes > 0 => Ok(ExternalWeights::From(bytes as u64)),
            _ => Err("give `auto`, `always`, `never`, or a size such as 1MiB".to_owned()),
        },
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let file = args.model.display().to_string();
    let data = data_path(&args.output)?;
    check_apart(&args.model, &args.output)?;
    output::check_writable(&args.output)?;
    let converted = progress::with_progress(|progress| {
        progress(format!("loading {}", render::escape(&file)));
        let model = match crate::model::read(&args.model)? {
            Model::Source(model) => model,
            Model::Compiled(_) => {
                let text = format!("`{file}` is a compiled model, and these have no ONNX form");
                return Err(Failure::usage(text).hint("convert the model that it was made from"));
            }
        };
        let converted = convert(&model, args, &data)
            .map_err(|error| Failure::run(format!("cannot convert `{file}`: {error}")))?;
        let total = converted.bytes() + converted.data_bytes();
        let name = render::escape(&args.output.display().to_string());
        let report = |written: u64| {
            let percent = written.saturating_mul(100) / total.max(1);
            progress(format!("writing {name}: {percent} %"));
        };
        write::files(&converted, &args.output, &data, &report)?;
        Ok(converted)
    })?;
    print(args, &data, &converted)
}

fn convert(
    model: &SourceModel,
    args: &Args,
    data: &Path,
) -> Result<OnnxFile, trident_onnx::export::ExportError> {
    let data_name = data.file_name().map(|name| name.to_string_lossy().into_owned());
    let settings = ExportSettings {
        opset: args.opset,
        external: args.external_data,
        data_name: data_name.unwrap_or_default(),
    };
    export(&model.module, &model.optional, &model.info, &settings)
}

/// The file of weights that belongs to an ONNX file. A Paddle model's files are never replaced, because the name must be that
/// of an ONNX file.
fn data_path(output: &Path) -> Result<PathBuf, Failure> {
    let shown = output.display();
    if !output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx")) {
        let text = format!("the output `{shown}` is not named like an ONNX file");
        return Err(Failure::usage(text).hint("choose a name that ends in .onnx"));
    }
    // The model refers to it by a text.
    if output.file_name().is_none_or(|name| name.to_str().is_none()) {
        return Err(Failure::usage(format!("the name `{shown}` is not valid Unicode")));
    }
    let mut data = output.as_os_str().to_owned();
    data.push(".data");
    Ok(data.into())
}

/// Refuses an output that would replace the model.
fn check_apart(model: &Path, output: &Path) -> Result<(), Failure> {
    let same = fs::canonicalize(model).ok().zip(fs::canonicalize(output).ok());
    if same.is_some_and(|(model, output)| model == output) {
        let text = format!("the output would replace the model `{}` itself", model.display());
        return Err(Failure::usage(text).hint("choose another name for the output"));
    }
    Ok(())
}

fn print(args: &Args, data: &Path, converted: &OnnxFile) -> Result<(), Failure> {
    let (bytes, data_bytes) = (converted.bytes(), converted.data_bytes());
    let output = args.output.display().to_string();
    if args.json {
        let opsets: serde_json::Map<String, _> = converted
            .opsets()
            .map(|(domain, version)| (domain.to_owned(), json!(version)))
            .collect();
        let summary = json!({
            "model": args.model.display().to_string(),
            "output": output,
            "bytes": bytes,
            "data": (data_bytes > 0).then(|| data.display().to_string()),
            "data_bytes": data_bytes,
            "ir_version": converted.ir_version(),
            "opsets": opsets,
            "nodes": converted.nodes(),
            "weights": converted.weights(),
        });
        anstream::stdout().write_all(render::json(&summary).as_bytes())?;
        return Ok(());
    }
    let size = |bytes: u64| usize::try_from(bytes).map_or_else(|_| "?".into(), render::bytes);
    let opsets: Vec<String> =
        converted.opsets().map(|(domain, version)| format!("{domain} {version}")).collect();
    let (nodes, weights) = (converted.nodes(), converted.weights());
    let nodes = render::counted(nodes, "node");
    let weights = render::counted(weights, "weight");
    writeln!(
        anstream::stdout(),
        "{output}: {}, {nodes}, {weights}, operator sets {}, IR version {}",
        size(bytes),
        opsets.join(", "),
        converted.ir_version()
    )?;
    if data_bytes > 0 {
        let data = data.display();
        writeln!(anstream::stdout(), "{data}: {}, which belongs to it", size(data_bytes))?;
    }
    Ok(())
}
