//! `trident run`: one inference, or one launch of a kernel.

use super::launch;
use super::report::Report;
use super::several::Several;
use crate::failure::Failure;
use crate::input::{self, InputArgs};
use crate::kernel::{self, KernelArgs};
use crate::labels::Labels;
use crate::limits::LimitArgs;
use crate::model::{self, DeviceArgs};
use crate::output;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use trident_image_steps::ImageSteps;

const EXAMPLES: &str = "\
Inputs:
  FILE          fills the next input without a value: .npy, .npz, .pb, .json, .png, .jpg
  NAME=FILE     fills the input called NAME
  random        fills all remaining inputs with random numbers (NAME=random: one input)
  FOLDER        one run for each file in it; also 'FOLDER/*.png', or several --input for a model with one input

Examples:
  trident run digits.onnx --input 7.png --top-k 5
  trident run resnet50.onnx --input cat.jpg --labels imagenet.txt \\
      --preprocess short=256,crop=224,mean=0.485:0.456:0.406,std=0.229:0.224:0.225
  trident run resnet50.onnx --input photos --labels imagenet.txt --output 'scores/{}.npy'
  trident run bert.onnx --input ids=ids.npy --input mask=mask.npy --output out.npz
  trident run model.onnx --input random --shape x=8x3x224x224 --seed 1 --json

Kernels (.ttir) take --grid and --arg. The results are the arrays that the launch changed:
  trident run add.ttir --grid 8 --arg x=@x.npy --arg y=@y.npy --arg out=zeros:8000 --arg n=8000 \\
      --output out.npy";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// ONNX file, Paddle model (.json, .pdmodel) or its folder, compiled model (.mps), or Triton IR (.ttir)
    pub(super) model: PathBuf,
    #[command(flatten)]
    pub(super) inputs: InputArgs,
    #[command(flatten)]
    pub(super) kernel: KernelArgs,
    /// Steps from an image file to a tensor, e.g. scale=1/255,mean=A:B:C,std=A:B:C,layout=nchw,size=32x32,gray
    #[arg(short, long, value_name = "STEPS")]
    pub(super) preprocess: Option<String>,
    /// Write results to a .npy, .npz or .json file; for several runs, {} stands for the name of the input file
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Show the K best classes of each row; 0 shows numbers [default: 3 for outputs that are probabilities or have labels]
    #[arg(short = 'k', long, value_name = "K", allow_negative_numbers = true, value_parser = input::whole::<usize>)]
    pub(super) top_k: Option<usize>,
    /// File of class names, one per line
    #[arg(short, long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Print results and times as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) device: DeviceArgs,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        output::check(path)?;
    }
    if kernel::is_kernel(&args.model) {
        args.check_for_kernel()?;
        return launch::run(args);
    }
    args.check_for_model()?;
    let limits = args.limits.limits();
    let loaded = model::load(&args.model, &args.device, &limits)?;
    loaded.print_warnings();
    let session = &loaded.session;
    let signature = session.signature();
    if let Some(path) = &args.output {
        output::check_types(path, &signature.outputs)?;
    }
    if args.inputs.is_empty() && !signature.inputs.is_empty() {
        let hint = format!("give --input FILE or --input random; {}", signature.hint());
        return Err(Failure::usage("no input was given").hint(hint));
    }
    let steps = args.preprocess.as_deref().map(str::parse::<ImageSteps>).transpose();
    let steps = steps.map_err(|e| Failure::usage(format!("--preprocess: {e}")))?;
    let labels = Labels::of(args.labels.as_deref(), session.metadata())?;
    if let Some(turns) = args.inputs.turns(signature)? {
        let (steps, labels) = (steps.as_ref(), &labels);
        return Several { args, loaded: &loaded, limits: &limits, steps, labels }.run(&turns);
    }
    let bound = args.inputs.read(session, steps.as_ref(), &limits, false)?;
    if args.preprocess.is_some() && bound.images == 0 {
        return Err(no_image());
    }
    let start = Instant::now();
    let outcome = session.run_with(&bound.as_slice(), limits.context());
    let (results, _) = outcome.map_err(|e| limits.explain(e))?;
    let (load, time) = (loaded.time, start.elapsed());
    if args.top_k != Some(0)
        && let Some(note) = labels.check(&results)?
    {
        input::print_note(&note);
    }
    let output = args.output.as_deref();
    let report =
        Report { args, results: &results, labels: &labels, output, load: Some(load), time };
    report.check_top_k()?;
    if let Some(path) = output {
        output::write(path, &results)?;
    }
    let text = if args.json { report.json() } else { report.text() };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// The failure of steps that would change nothing.
pub(super) fn no_image() -> Failure {
    Failure::usage("--preprocess was given, but no input is an image")
        .hint("it applies to .png and .jpg files; the numbers of other files are taken as they are")
}

impl Args {
    /// Refuses options that say nothing about a launch.
    fn check_for_kernel(&self) -> Result<(), Failure> {
        let mut given = self.inputs.of_models();
        given.extend(self.preprocess.as_ref().map(|_| "--preprocess"));
        given.extend(self.top_k.map(|_| "--top-k"));
        given.extend(self.labels.as_ref().map(|_| "--labels"));
        self.check_options(&given, "models", "a kernel")
            .map_err(|e| e.hint("kernels take --grid, and --arg for each parameter"))?;
        let random =
            |arg: &String| arg.split_once('=').is_some_and(|(_, v)| v.starts_with("random:"));
        if self.inputs.has_seed() && !self.kernel.arg.iter().any(random) {
            return Err(Failure::usage("--seed is for random arrays, and no --arg asks for one"));
        }
        Ok(())
    }

    /// Refuses options that do not apply to a model, or that contradict each other.
    fn check_for_model(&self) -> Result<(), Failure> {
        self.check_options(&self.kernel.given(), "kernels", "a model")
            .map_err(|e| e.hint("kernels are .ttir files; models take --input"))?;
        if self.labels.is_some() && self.top_k == Some(0) {
            let text = "--labels names classes, and --top-k 0 shows none; leave one of them out";
            return Err(Failure::usage(text));
        }
        Ok(())
    }

    fn check_options(&self, given: &[&str], of: &str, kind: &str) -> Result<(), Failure> {
        let options = match given {
            [] => return Ok(()),
            [one] => format!("options like {one}"),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        let path = self.model.display();
        Err(Failure::usage(format!("{options} are for {of}, and `{path}` is {kind}")))
    }
}
