//! `trident run KERNEL.ttir`: one launch.

use super::run::Args;
use crate::failure::Failure;
use crate::kernel::{self, Argument};
use crate::limits::Limits;
use crate::output;
use crate::render::{self, style};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use trident_ir::tile::Origins;
use trident_ir::{Module, ValueInfo};
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

    let results = Results::of(&module, &params, arguments)?;
    if let Some(path) = &args.output {
        output::write(path, results.to_write(path)?)?;
    }
    let text = if args.json {
        as_json(&results.changed, load, time)
    } else {
        as_text(args, &results, load, time)
    };
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
        LaunchError::Access { .. } => {
            Some("--arg sets the kernel's arguments and their sizes, --grid the number of programs")
        }
        LaunchError::Memory { .. } => Some("smaller blocks need less, and so do fewer --threads"),
        LaunchError::Grid { .. } => Some("ask for fewer programs with --grid"),
        LaunchError::Assert { .. }
        | LaunchError::Assume { .. }
        | LaunchError::Step { .. }
        | LaunchError::Index { .. }
        | LaunchError::Wait { .. }
        | LaunchError::Nesting { .. }
        | LaunchError::Unsupported { .. }
        | LaunchError::Stopped { .. }
        | LaunchError::Device { .. }
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

/// Arrays after a launch, by the names of their parameters.
struct Results {
    /// Arrays whose contents have changed.
    changed: Vec<(String, Value)>,
    /// Arrays that the kernel may have written to, without changing their contents.
    kept: Vec<(String, Value)>,
}

impl Results {
    fn of(
        module: &Module,
        params: &[&ValueInfo],
        arguments: Vec<Argument>,
    ) -> Result<Results, Failure> {
        let mut results = Results { changed: vec![], kept: vec![] };
        let written = Origins::new(module).written();
        for ((param, argument), written) in params.iter().zip(arguments).zip(written) {
            let Argument::Array { now, before } = argument else { continue };
            let list = match now.bytes().map_err(Failure::run)? != before {
                true => &mut results.changed,
                false if written => &mut results.kept,
                false => continue,
            };
            list.push((param.name.clone(), now.into()));
        }
        Ok(results)
    }

    /// The arrays to write to a file. An array of zeros that the kernel filled with zeros is a result, too.
    fn to_write(&self, path: &Path) -> Result<&[(String, Value)], Failure> {
        match (&self.changed[..], &self.kept[..]) {
            ([], []) => {
                let path = path.display();
                let text = format!(
                    "the kernel changed no array, so there is nothing to write to `{path}`"
                );
                Err(Failure::run(text)
                    .hint("the kernel does not store to any array given by --arg"))
            }
            ([], kept) => Ok(kept),
            (changed, _) => Ok(changed),
        }
    }
}

fn as_text(args: &Args, results: &Results, load: Duration, time: Duration) -> String {
    let (title, dim) = (style::TITLE, style::DIM);
    let mut text = String::new();
    for (name, value) in &results.changed {
        text.push_str(&format!("{title}{name}{title:#} {dim}{}{dim:#}\n", value.describe()));
        text.push_str(&format!("  {}\n", render::value(value, 2)));
    }
    if results.changed.is_empty() {
        text.push_str("the kernel changed no array\n");
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
