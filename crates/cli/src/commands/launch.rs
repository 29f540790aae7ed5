//! `trident run KERNEL.ttir`: one launch.

use super::run::Args;
use crate::failure::Failure;
use crate::kernel::{self, Argument};
use crate::output;
use crate::render::{self, style};
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};
use trident_ir::ValueInfo;
use trident_runtime::{Extent, Kernel, KernelLaunch, KernelOptions, LaunchError, Value};

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let Some(grid) = &args.kernel.grid else {
        let hint = "give --grid 8 for eight programs, or 8x4 for two dimensions";
        return Err(Failure::usage("a kernel needs a grid").hint(hint));
    };
    let grid = kernel::grid(grid)?;
    let start = Instant::now();
    let module = kernel::read(&args.model)?;
    let params = kernel::params(&module)?;
    let check = args.kernel.checks();
    let compiled = kernel::compile(&module, &args.device, &KernelOptions { check })?;
    let load = start.elapsed();
    let mut arguments = kernel::arguments(&args.kernel.arg, &params, args.inputs.seed())?;
    let time = launch(compiled.as_ref(), grid, &params, &mut arguments)?;

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

fn launch(
    kernel: &dyn Kernel,
    grid: [u32; 3],
    params: &[&ValueInfo],
    arguments: &mut [Argument],
) -> Result<Duration, Failure> {
    let mut bits = Vec::new();
    let mut extents = Vec::new();
    for (i, (param, argument)) in params.iter().zip(arguments).enumerate() {
        match argument {
            Argument::Scalar(value) => bits.push(*value),
            Argument::Array { now, .. } => {
                let memory = now.bytes_mut().map_err(Failure::run)?;
                let address = memory.as_mut_ptr() as usize;
                bits.push(address as u64);
                let (name, bytes) = (param.name.as_str(), memory.len());
                extents.push(Extent { name, param: i, address, bytes });
            }
        }
    }
    let start = Instant::now();
    kernel.launch(&KernelLaunch { grid, args: &bits, extents: &extents }).map_err(failure)?;
    Ok(start.elapsed())
}

fn failure(error: LaunchError) -> Failure {
    let hint = match error {
        LaunchError::Access { .. } => Some("sizes follow from --arg, the programs from --grid"),
        LaunchError::Memory { .. } => Some("smaller blocks need less, and so do fewer --threads"),
        LaunchError::Grid { .. } => Some("give fewer programs in --grid"),
        LaunchError::Assert { .. } | LaunchError::Arguments { .. } => None,
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
