//! `trident worker`: answers requests of the test suites, one per line, until its input ends.
//!
//! A request is `model <TAB> in_dir <TAB> out_dir`, where more pairs of folders may follow: the model is loaded once and
//! runs on each data set. The inputs are `in_dir/input_<j>.pb`, in the order of the graph's inputs, then those with
//! defaults, which may be left out; the answer is `OK`, with results in `out_dir/out_<j>.pb`, or `ERR stage: message`.
//! With several data sets, the message begins with `set <k>: ` for the one that failed, counted from 0. Every file is a
//! TensorProto, SequenceProto or OptionalProto, as the graph declares.
//!
//! A request `rows <TAB> model` asks whether the rows of a batch are independent: the answer is `OK`, or `ERR mixed:` and
//! the op that mixes them.

use crate::failure::Failure;
use crate::input::pb;
use crate::model::{self, DeviceArgs};
use std::fs;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;
use trident_devices::ForModels;
use trident_engine::{Options, PlanError, RunContext, RunError, Session};
use trident_model::Model;
use trident_runtime::Value;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Longest time for one run, in milliseconds; 0 for no limit
    #[arg(long, value_name = "MS", default_value_t = 8000)]
    timeout_ms: u64,
    /// Most bytes of tensors alive at once; 0 for no limit
    #[arg(long, value_name = "BYTES", default_value_t = 2 << 30)]
    memory_limit: usize,
    #[command(flatten)]
    device: DeviceArgs,
}

/// The stage at which a request failed, and why.
type Answer = Result<(), (&'static str, String)>;

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let devices = args.device.open()?;
    // A panic becomes an answer; its message does not belong on standard error.
    std::panic::set_hook(Box::new(|_| {}));
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let answer = match catch_unwind(AssertUnwindSafe(|| request(&line, args, &devices))) {
            Ok(Ok(())) => "OK".to_owned(),
            Ok(Err((stage, message))) => format!("ERR {stage}: {}", one_line(&message)),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                format!("ERR panic: {}", one_line(&text.unwrap_or_default()))
            }
        };
        writeln!(answers, "{answer}")?;
        answers.flush()?;
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn request(line: &str, args: &Args, devices: &ForModels) -> Answer {
    let parts: Vec<&Path> = line.split('\t').map(Path::new).collect();
    match parts[..] {
        [question, file] if question == Path::new("rows") => {
            let rows = read(file)?.independent_rows();
            rows.map_err(|cause| ("mixed", cause.to_string()))
        }
        [file, ref folders @ ..] if !folders.is_empty() && folders.len() % 2 == 0 => {
            let session = session(file, args, devices)?;
            for (k, set) in folders.chunks_exact(2).enumerate() {
                run_set(&session, args, set[0], set[1]).map_err(|(stage, message)| {
                    match folders.len() > 2 {
                        true => (stage, format!("set {k}: {message}")),
                        false => (stage, message),
                    }
                })?;
            }
            Ok(())
        }
        _ => {
            let forms = "expected `model <TAB> in_dir <TAB> out_dir` or `rows <TAB> model`";
            Err(("request", forms.into()))
        }
    }
}

fn read(file: &Path) -> Result<Model, (&'static str, String)> {
    model::read(file).map_err(|e| ("load", e.message()))
}

fn time_limit(args: &Args) -> Option<Duration> {
    (args.timeout_ms > 0).then(|| Duration::from_millis(args.timeout_ms))
}

fn session(
    file: &Path,
    args: &Args,
    devices: &ForModels,
) -> Result<Session, (&'static str, String)> {
    let ForModels { devices, folder } = devices;
    let (fold_limit, folder) = (time_limit(args), Some(folder.clone()));
    let memory_limit = args.memory_limit;
    let options = Options { memory_limit, fold_limit, folder, ..Options::default() };
    read(file)?.session(devices, &options).map_err(|e| match e {
        PlanError::Panic { .. } => ("panic", e.to_string()),
        e => ("plan", e.to_string()),
    })
}

/// Runs the session on the data set in `from`, and writes its results to `to`.
fn run_set(session: &Session, args: &Args, from: &Path, to: &Path) -> Answer {
    let inputs = inputs(session, from).map_err(|e| ("inputs", e))?;
    let inputs: Vec<_> = inputs.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
    let time_limit = time_limit(args);
    let outcome = session.run_with(&inputs, RunContext { time_limit, ..RunContext::default() });
    let (results, _) = outcome.map_err(|e| match e {
        RunError::Panic { .. } | RunError::Internal { .. } => ("panic", e.to_string()),
        e => ("run", e.to_string()),
    })?;
    for (j, ((name, value), info)) in results.iter().zip(&session.signature().outputs).enumerate() {
        let bytes = pb::write(name, value, &info.ty);
        let bytes = bytes.map_err(|e| ("outputs", format!("`{name}`: {e}")))?;
        fs::write(to.join(format!("out_{j}.pb")), bytes)
            .map_err(|e| ("outputs", format!("cannot write result {j}: {e}")))?;
    }
    Ok(())
}

/// Reads the data set: one file for each input of the graph; optional ones may have none.
fn inputs(session: &Session, folder: &Path) -> Result<Vec<(String, Value)>, String> {
    let signature = session.signature();
    let path = |j: usize| folder.join(format!("input_{j}.pb"));
    let inputs = signature.all().enumerate();
    let inputs = inputs.filter(|(j, _)| *j < signature.inputs.len() || path(*j).exists());
    let read = inputs.map(|(j, info)| {
        let path = path(j);
        let failed = |e: String| format!("`{}` from input_{j}.pb: {e}", info.name);
        let bytes = fs::read(&path).map_err(|e| failed(e.to_string()))?;
        let value = pb::read(bytes.into(), &info.ty, session.pool()).map_err(failed)?;
        Ok((info.name.clone(), value))
    });
    read.collect()
}
