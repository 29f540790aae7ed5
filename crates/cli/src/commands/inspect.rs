//! `trident inspect`: what is in a model and how it will run.

mod contents;

use crate::failure::Failure;
use crate::input::{Planned, Shapes};
use crate::model::{self, DeviceArgs};
use crate::render::style::WARNING;
use crate::render::{self, Align, Table, counted, escape, style};
use crate::repository::{self, Given, Overview, Served};
use contents::{Contents, has_long_constants};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use trident_devices::ForModels;
use trident_engine::{Form, OptionalInput, Options, PassOptions, PlanReport, Session, StepReport};
use trident_ir::text::LISTED;
use trident_ir::{Func, Literal, ValueInfo};
use trident_model::Model;
use trident_onnx::Info;
use trident_serving::ModelFolder;

const EXAMPLES: &str = "\
Dimensions that are known only at run time count as 1 in all figures, unless --shape gives their sizes. Where a model cannot run on
that size, all but the first dimension of an input get a larger one, which is printed.

Examples:
  trident inspect resnet50.onnx
  trident inspect bert.onnx --shape ids=1x128 --shape mask=1x128 --steps
  trident inspect model.onnx --ir                  show the model in text form, before optimisation
  trident inspect model.onnx --ir=full             the same with all weights, about twice as large as the file
  trident inspect model.mps                        show a compiled model and its devices
  trident inspect PP-OCRv5_mobile_det              show a Paddle model by its folder
  trident inspect repository/digits                show a served model, by its config.pbtxt
  trident inspect repository                       check all models of a repository, and show a table
  trident inspect model.onnx --json | jq .plan.peak_bytes";

/// Elements of a default that are shown.
const MOST_SHOWN: usize = 8;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// ONNX file, Paddle model (.json, .pdmodel) or its folder, compiled model (.mps), or a model repository of the Triton
    /// Inference Server, or one model's folder in it
    model: PathBuf,
    /// Dimensions of an input, e.g. x=8x3x224x224, or size of a named dimension, e.g. batch=8; may be given several times
    #[arg(short, long, value_name = "[NAME=]DIMS")]
    shape: Vec<String>,
    /// List every step of the plan, with its kernel, its device and the reason
    #[arg(long)]
    steps: bool,
    /// Print only the model in text form, unless it is compiled before optimisation. Long constants are summarised; `--ir=full`
    /// prints all their elements
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "short",
        conflicts_with_all = ["shape", "steps", "no_passes", "json", "threads"])]
    ir: Option<IrForm>,
    /// Do not simplify the model and do not fuse its ops
    #[arg(long)]
    no_passes: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    device: DeviceArgs,
}

/// How much of a model's text form is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum IrForm {
    /// Type, statistics and digest of constants of more than 32 elements
    Short,
    /// All elements of constants, so that Trident can read the text again
    Full,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut warnings = vec![];
    let (model, served) = match repository::find(&args.model)? {
        Given::Repository(folders) => return overview(args, &folders),
        Given::Model(folder) => {
            let loaded = load(&folder, &args.device, &mut warnings);
            warnings.iter().for_each(|line| warn(line));
            let (model, served) = loaded?;
            (model, Some(served))
        }
        Given::File => (model::read(&args.model)?, None),
    };
    let (devices, mut options) = match &served {
        Some(Served { setup, .. }) => (setup.devices.clone(), setup.options.clone()),
        None => {
            let ForModels { devices, folder } = args.device.open()?;
            (devices, Options { folder: Some(folder), ..Options::default() })
        }
    };
    let funcs: Vec<&Func> = match &model {
        Model::Source(model) => model.module.funcs.iter().collect(),
        Model::Compiled(model) => model.optimized.entries.iter().map(|e| &e.func).collect(),
    };
    let func = funcs.first().ok_or_else(|| Failure::usage("the model is empty"))?;
    if let Some(form) = args.ir {
        return print_ir(&funcs, form);
    }
    let contents = Contents::of(func);
    let compiled = match &model {
        Model::Compiled(model) => Some((model.trident.clone(), model.optimized.form.clone())),
        Model::Source(_) => None,
    };
    if compiled.is_some() && args.no_passes {
        let failure = Failure::usage("a compiled model is already optimised");
        return Err(failure.hint("inspect the model that it was made from"));
    }
    if args.no_passes {
        options.passes = PassOptions::none();
    }
    let info = model.info().clone();
    let mixed_rows = model.independent_rows().err().map(|cause| cause.to_string());
    let session = model.session(&devices, &options)?;
    for warning in trident_model::warnings(&info.outputs, &session) {
        warn(&warning);
        warnings.push(warning);
    }
    let signature = session.signature();
    let mut shapes = Shapes::parse(&args.shape, signature)?;
    let given = !args.shape.is_empty();
    let Planned { dims, plan, assumed } = Planned::of(&session, &mut shapes, &[], given)?;
    let (info, session, contents, plan, dims) = (&info, &session, &contents, &plan, &*dims);
    let (compiled, served) = (compiled.as_ref(), served.as_ref());
    let warnings = &*warnings;
    let mixed_rows = mixed_rows.as_deref();
    let view = View {
        args,
        info,
        compiled,
        served,
        warnings,
        session,
        contents,
        dims,
        assumed,
        plan,
        mixed_rows,
    };
    let text = if args.json { view.json() } else { view.text() };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}

fn warn(line: &str) {
    anstream::eprintln!("{WARNING}warning:{WARNING:#} {}", escape(line));
}

/// Checks the models of a repository.
fn overview(args: &Args, folders: &[PathBuf]) -> Result<(), Failure> {
    let of_one = [
        ("--shape", !args.shape.is_empty()),
        ("--steps", args.steps),
        ("--ir", args.ir.is_some()),
        ("--no-passes", args.no_passes),
    ];
    if let Some((option, _)) = of_one.into_iter().find(|(_, given)| *given) {
        let failure =
            Failure::usage(format!("`{option}` applies to one model, not to a repository"));
        return Err(failure.hint("give a model's folder"));
    }
    let overview = Overview::of(&args.model, folders, &args.device);
    let text = if args.json { render::json(&overview.json()) } else { overview.text() };
    anstream::stdout().write_all(text.as_bytes())?;
    overview.result()
}

/// Loads the newest version of a model that is served.
fn load(
    folder: &ModelFolder,
    device: &DeviceArgs,
    warnings: &mut Vec<String>,
) -> Result<(Model, Served), Failure> {
    let version = folder.served()?[0];
    repository::load(folder, version, &device.hardware(repository::device(folder))?, warnings)
}

fn print_ir(funcs: &[&Func], form: IrForm) -> Result<(), Failure> {
    let mut out = BufWriter::new(anstream::stdout());
    let is_short = form == IrForm::Short && funcs.iter().any(|func| has_long_constants(func));
    if is_short {
        writeln!(
            out,
            "; Constants of more than {LISTED} elements are described, so this text cannot be read back: --ir=full writes all.\n"
        )?;
    }
    for func in funcs {
        match is_short {
            true => writeln!(out, "{}", func.described(&render::constant))?,
            false => writeln!(out, "{func}")?,
        }
    }
    Ok(out.flush()?)
}

struct View<'a> {
    args: &'a Args,
    info: &'a Info,
    /// How it was compiled, and its form.
    compiled: Option<&'a (String, Form)>,
    /// If it lies in a repository.
    served: Option<&'a Served>,
    warnings: &'a [String],
    session: &'a Session,
    contents: &'a Contents,
    /// The dimensions of inputs that all figures are for.
    dims: &'a [(&'a str, Vec<usize>)],
    /// The size of dimensions that are known only at run time, if it is not 1.
    assumed: Option<usize>,
    plan: &'a PlanReport,
    /// Why rows of a batch are not independent, if they are not.
    mixed_rows: Option<&'a str>,
}

/// Steps that share op, kernel and device.
#[derive(Default)]
struct Kind {
    count: usize,
    flops: f64,
    /// Some step's operations are not known.
    partial: bool,
}

impl View<'_> {
    fn kinds(&self) -> Vec<((&str, &str, &str), Kind)> {
        let mut kinds: BTreeMap<(&str, &str, &str), Kind> = BTreeMap::new();
        for step in &self.plan.steps {
            let kind = kinds.entry((step.op, &step.kernel, &step.device)).or_default();
            kind.count += 1;
            kind.flops += step.flops.unwrap_or(0.0);
            kind.partial |= step.flops.is_none();
        }
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by(|a, b| b.1.flops.total_cmp(&a.1.flops).then(b.1.count.cmp(&a.1.count)));
        kinds
    }

    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut text);
        text
    }

    fn write_text(&self, text: &mut String) -> std::fmt::Result {
        let (t, d) = (style::TITLE, style::DIM);
        let opsets: Vec<String> =
            self.info.opsets.iter().map(|(domain, v)| format!("{domain} {v}")).collect();
        let producer = [&self.info.producer_name, &self.info.producer_version];
        let producer = escape(&producer.map(String::as_str).join(" "));
        writeln!(text, "{t}{}{t:#}", escape(&self.args.model.display().to_string()))?;
        let opsets = escape(&opsets.join(", "));
        match self.info.ir_version {
            // Paddle's formats have one version.
            0 => writeln!(text, "  {d}{opsets}{d:#}")?,
            version => writeln!(text, "  {d}IR {version}, {opsets}{d:#}")?,
        }
        if !producer.trim().is_empty() {
            writeln!(text, "  {d}made by {}{d:#}", producer.trim())?;
        }
        if let Some((trident, form)) = self.compiled {
            let (trident, devices) = (escape(trident), form.names().replace(',', ", "));
            let devices = escape(&devices);
            writeln!(text, "  compiled by Trident {trident} for {devices}")?;
        }
        if let Some(served) = self.served {
            served.write_text(text)?;
        }
        let signature = self.session.signature();
        writeln!(text, "{t}inputs{t:#}")?;
        for ValueInfo { name, ty } in &signature.inputs {
            writeln!(text, "  {}: {}", escape(name), escape(&ty.to_string()))?;
        }
        for OptionalInput { info: ValueInfo { name, ty }, default } in &signature.optional {
            let (name, ty) = (escape(name), escape(&ty.to_string()));
            let shown = escape(&shown(default));
            writeln!(text, "  {name}: {ty} {d}(optional, default {shown}){d:#}")?;
        }
        writeln!(text, "{t}outputs{t:#}")?;
        for ValueInfo { name, ty } in &signature.outputs {
            writeln!(text, "  {}: {}", escape(name), escape(&ty.to_string()))?;
        }
        let rows = self
            .mixed_rows
            .map_or("independent".into(), |cause| format!("mixed: {}", escape(cause)));
        writeln!(text, "{t}rows{t:#}        {rows}")?;
        let metadata = self.session.metadata();
        if !metadata.is_empty() {
            writeln!(text, "{t}metadata{t:#}")?;
            for (key, value) in metadata {
                let line = value.lines().collect::<Vec<_>>().join(" ");
                let short: String = line.chars().take(80).collect();
                let more = if short.len() < line.len() { " …" } else { "" };
                writeln!(text, "  {} = {}{more}", escape(key), escape(&short))?;
            }
        }
        let plan = self.plan;
        if self.assumed.is_some() {
            let sizes = self.dims.iter().map(|(name, dims)| {
                let dims: Vec<String> = dims.iter().map(usize::to_string).collect();
                format!("{}={}", escape(name), dims.join("x"))
            });
            let sizes = sizes.collect::<Vec<_>>().join(" ");
            writeln!(
                text,
                "{t}sizes{t:#}       {sizes} {d}(assumed, as the model cannot run on dimensions of 1; --shape changes them){d:#}"
            )?;
        }
        writeln!(
            text,
            "{t}parameters{t:#}  {} ({})",
            render::count(self.contents.parameters as f64),
            render::bytes(self.contents.bytes)
        )?;
        writeln!(text, "{t}work{t:#}        {}FLOP for each run", spaced(plan.flops()))?;
        writeln!(
            text,
            "{t}memory{t:#}      {} at the peak: {} packed weights, {} other constants, {} intermediate values (at least {}), {} results",
            render::bytes(plan.peak_bytes()),
            render::bytes(plan.packed_bytes),
            render::bytes(plan.constant_bytes),
            render::bytes(plan.memory.arena),
            render::bytes(plan.memory.live),
            render::bytes(plan.memory.results),
        )?;
        if plan.unplanned > 0 {
            writeln!(
                text,
                "            {d}and the memory of {} of unknown size{d:#}",
                counted(plan.unplanned, "step")
            )?;
        }
        let before: usize = self.contents.ops.values().sum();
        let ops = counted(before, "op");
        let (steps, regions) =
            (counted(plan.steps.len(), "step"), counted(plan.regions(), "region"));
        writeln!(text, "\n{t}plan{t:#}        {ops} became {steps} in {regions}")?;
        for pass in self.session.passes().iter().filter(|p| p.count > 0) {
            writeln!(text, "  {d}{:>5} × {}{d:#}", pass.count, pass.pass)?;
        }
        writeln!(text)?;
        write!(text, "{}", self.kind_table())?;
        writeln!(text)?;
        if self.args.steps {
            write!(text, "{}", self.step_table())
        } else {
            self.write_reasons(text)
        }
    }

    /// Which device has how many steps, and why.
    fn write_reasons(&self, text: &mut String) -> std::fmt::Result {
        let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for step in &self.plan.steps {
            *reasons.entry((&step.device, &step.reason)).or_default() += 1;
        }
        for ((device, reason), count) in reasons {
            let (device, reason) = (escape(device), escape(reason));
            writeln!(text, "{} on {device}: {reason}", counted(count, "step"))?;
        }
        Ok(())
    }

    fn kind_table(&self) -> Table {
        let total = self.plan.flops().max(1.0);
        let mut table = Table::new(&[
            ("op", Align::Left),
            ("steps", Align::Right),
            ("FLOP", Align::Right),
            ("%", Align::Right),
            ("kernel", Align::Left),
            ("device", Align::Left),
        ]);
        for ((op, kernel, device), kind) in self.kinds() {
            let more = if kind.partial { "+ ?" } else { "" };
            table.row([
                op.to_owned(),
                kind.count.to_string(),
                format!("{}{more}", render::count(kind.flops)),
                format!("{:.1}", 100.0 * kind.flops / total),
                kernel.to_owned(),
                device.to_owned(),
            ]);
        }
        table
    }

    fn step_table(&self) -> Table {
        let mut table = Table::new(&[
            ("step", Align::Left),
            ("node", Align::Left),
            ("kernel", Align::Left),
            ("device", Align::Left),
            ("FLOP", Align::Right),
            ("packed", Align::Right),
            ("results", Align::Left),
            ("why", Align::Left),
        ]);
        for step in &self.plan.steps {
            let more = if step.ops > 1 { format!(" + {}", step.ops - 1) } else { String::new() };
            table.row([
                format!("{}{}{more}", "  ".repeat(step.depth), step.op),
                step.node.clone(),
                step.kernel.clone(),
                step.device.clone(),
                step.flops.map_or("?".into(), render::count),
                if step.packed_bytes > 0 {
                    render::bytes(step.packed_bytes)
                } else {
                    String::new()
                },
                step.results.join(", "),
                step.reason.clone(),
            ]);
        }
        table
    }

    fn json(&self) -> String {
        let values = |list: &[ValueInfo]| -> Vec<_> {
            list.iter().map(|v| json!({ "name": v.name, "type": v.ty.to_string() })).collect()
        };
        let optional = |o: &OptionalInput| {
            let (name, ty) = (&o.info.name, o.info.ty.to_string());
            json!({ "name": name, "type": ty, "default": shown(&o.default) })
        };
        let step = |s: &StepReport| {
            json!({
                "op": s.op, "ops": s.ops, "node": s.node, "depth": s.depth, "kernel": s.kernel, "device": s.device,
                "reason": s.reason, "flops": s.flops, "packed_bytes": s.packed_bytes,
                "results": s.results,
            })
        };
        let plan = self.plan;
        let passes: BTreeMap<_, _> =
            self.session.passes().iter().map(|p| (p.pass, p.count)).collect();
        let opsets: BTreeMap<_, _> = self.info.opsets.iter().cloned().collect();
        let report = json!({
            "model": self.args.model.display().to_string(),
            "ir_version": self.info.ir_version,
            "opsets": opsets,
            "producer": self.info.producer_name,
            "compiled": self.compiled.map(|(trident, form)| json!({
                "trident": trident,
                "devices": form.devices.iter().map(|device| &device.name).collect::<Vec<_>>(),
                "rewrites": form.devices.iter().map(|device| &device.rewrites).collect::<Vec<_>>(),
            })),
            "served": self.served.map(Served::json),
            "warnings": self.warnings,
            "inputs": values(&self.session.signature().inputs),
            "optional_inputs": self.session.signature().optional.iter().map(optional).collect::<Vec<_>>(),
            "outputs": values(&self.session.signature().outputs),
            "sizes": self.dims.iter().map(|(name, dims)| (*name, dims)).collect::<BTreeMap<_, _>>(),
            "independent_rows": self.mixed_rows.is_none(),
            "mixed_rows": self.mixed_rows,
            "metadata": self.session.metadata(),
            "parameters": self.contents.parameters,
            "parameter_bytes": self.contents.bytes,
            "ops": self.contents.ops,
            "flops": plan.flops(),
            "plan": {
                "passes": passes,
                "peak_bytes": plan.peak_bytes(),
                "packed_bytes": plan.packed_bytes,
                "constant_bytes": plan.constant_bytes,
                "arena_bytes": plan.memory.arena,
                "live_bytes": plan.memory.live,
                "result_bytes": plan.memory.results,
                "unplanned_steps": plan.unplanned,
                "regions": plan.regions(),
                "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
            },
        });
        render::json(&report)
    }
}

/// A default: its value where that is short, else its type.
fn shown(default: &Literal) -> String {
    match default.len() <= MOST_SHOWN {
        true => default.to_string(),
        false => default.ty().to_string(),
    }
}

/// A count that a unit follows: `3.87 G`, `12 `.
fn spaced(n: f64) -> String {
    let text = render::count(n);
    if text.contains(' ') { text } else { text + " " }
}
