//! `trident run KERNEL.ttir`: one launch.

use super::run::Args;
use crate::failure::Failure;
use crate::kernel::{self, Argument};
use crate::limits::Limits;
use crate::output;
use crate::render::{self, style};
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};
use trident_ir::ValueInfo;
use trident_runtime::{Arguments, Checks, Kernel, LaunchError, Value};

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let Some(grid) = &args.kernel.grid else {
        let hint = "give --grid 8 for eight programs, or 8x4 for two dimensions";
        return Err(Failure::usage("a kernel needs a grid").hint(hint));
    };
    let grid = kernel::grid(grid)?;
    let start = Instant::now();
    let module = kernel::read(&args.model)?;
    let params = kernel::params(&module)?;
    let options = args.kernel.checks.options()?;
    let compiled = kernel::compile(&module, &args.device, &options)?;
    let load = start.elapsed();
    let limits = args.limits.limits();
    let (mut arguments, taken) =
        kernel::arguments(&args.kernel.arg, &params, args.inputs.seed(), &limits)?;
    let programs = grid.iter().fold(1usize, |n, &g| n.saturating_mul(g as usize));
    let taken = taken.saturating_add(compiled.temporary_bytes(programs));
    limits.admit(taken, "the arrays of the launch and its temporary memory")?;
    let launch = Launch { kernel: compiled.as_ref(), checks: options.checks, grid };
    let time = launch.run(&params, &mut arguments, &limits)?;

    let changed = changed(&params, arguments)?;
    if let Some(path) = &args.output {
        if changed.is_empty() {
            return Err(Failure::run("the kernel changed none of its arrays"));
        }
        output::write(path, &changed)?;
    }
    let text =
        if args.json { as_json(&changed, load, time) } else { as_text(args, &changed, load, time) };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}

struct Launch<'a> {
    kernel: &'a dyn Kernel,
    checks: Checks,
    grid: [u32; 3],
}

impl Launch<'_> {
    fn run(
        &self,
        params: &[&ValueInfo],
        arguments: &mut [Argument],
        limits: &Limits,
    ) -> Result<Duration, Failure> {
        let mut list = Arguments::new();
        for (param, argument) in params.iter().zip(arguments) {
            list = match argument {
                Argument::Scalar(value) => list.scalar(*value),
                Argument::Array { now, .. } => {
                    list.write(&param.name, now.bytes_mut().map_err(Failure::run)?)
                }
            };
        }
        let launch = match self.checks {
            #[allow(unsafe_code)]
            // SAFETY: `--unchecked` says that the kernel stays inside of its arrays.
            Checks::None => unsafe { list.launch_unchecked(self.grid) },
            Checks::Bounds | Checks::All => list.launch(self.grid),
        };
        let start = Instant::now();
        let outcome = limits.launch(self.kernel.name(), || self.kernel.launch(&launch));
        let time = start.elapsed();
        outcome.map_err(failure).map(|()| time)
    }
}

fn failure(error: LaunchError) -> Failure {
    let hint = match error {
        LaunchError::Access { .. } => Some(
            "--arg says what the kernel works on and how large it is, --grid how many programs",
        ),
        LaunchError::Memory { .. } => Some("smaller blocks need less, and so do fewer --threads"),
        LaunchError::Grid { .. } => Some("give fewer programs in --grid"),
        LaunchError::Assert { .. }
        | LaunchError::Arguments { .. }
        | LaunchError::Argument { .. }
        | LaunchError::Unchecked { .. } => None,
    };
    let failure = Failure::run(error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The arrays that are no longer what they were, by the names of their parameters.
fn changed(
    params: &[&ValueInfo],
    arguments: Vec<Argument>,
) -> Result<Vec<(String, Value)>, Failure> {
    let mut found = Vec::new();
    for (param, argument) in params.iter().zip(arguments) {
        if let Argument::Array { now, before } = argument
            && now.bytes().map_err(Failure::run)? != before
        {
            found.push((param.name.clone(), Value::from(now)));
        }
    }
    Ok(found)
}

fn as_text(args: &Args, changed: &[(String, Value)], load: Duration, time: Duration) -> String {
    let (title, dim) = (style::TITLE, style::DIM);
    let mut text = String::new();
    for (name, value) in changed {
        text.push_str(&format!("{title}{name}{title:#} {dim}{}{dim:#}\n", value.describe()));
        text.push_str(&format!("  {}\n", render::value(value, 2)));
    }
    if let Some(path) = &args.output {
        text.push_str(&format!("{dim}written to {}{dim:#}\n", path.display()));
    }
    let (load, time) = (render::duration(load), render::duration(time));
    text.push_str(&format!("{dim}compiled in {load}, ran in {time}{dim:#}\n"));
    text
}

fn as_json(changed: &[(String, Value)], load: Duration, time: Duration) -> String {
    let report = json!({
        "changed": output::to_json(changed),
        "compile_ms": render::millis(load),
        "run_ms": render::millis(time),
    });
    format!("{report:#}\n")
}
