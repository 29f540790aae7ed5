//! `trident devices`: what this machine offers.

use crate::failure::Failure;
use crate::random::Random;
use crate::render::{Align, Table};
use serde_json::json;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use trident_devices::{DEVICES, DeviceError, Settings};
use trident_engine::{Options, PlanError, Session};
use trident_ir::{Builder, DType, Func, Level, Module, OpKind, Type};
use trident_runtime::Device;

const AFTER: &str = "\
The peak is measured: the best of several products of two square f32 matrices. It is
missing (–, in JSON null) for a device that multiplies no matrices.

Example:
  trident devices --json";

/// Rows and columns of the matrices whose product is timed.
const SIDE: usize = 768;
/// Products timed.
const RUNS: usize = 12;

#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for entry in DEVICES.iter().filter(|entry| !entry.for_tests) {
        let opened = match trident_devices::for_models(entry.name, &Settings::default()) {
            Err(DeviceError::Unavailable(_)) => continue,
            opened => opened.map_err(|e| Failure::run(e.to_string()))?,
        };
        for device in opened.devices {
            let gflops = measured_gflops(device.clone())?;
            rows.push((device.info().clone(), gflops));
        }
    }
    let text = if args.json {
        let list = rows.iter().map(|(i, gflops)| {
            json!({
                "name": i.name, "description": i.description, "threads": i.threads,
                "features": i.features, "measured_f32_gflops": gflops,
            })
        });
        format!("{:#}\n", json!(list.collect::<Vec<_>>()))
    } else {
        let mut table = Table::new(&[
            ("device", Align::Left),
            ("threads", Align::Right),
            ("f32 GFLOP/s", Align::Right),
            ("description", Align::Left),
            ("features", Align::Left),
        ]);
        for (i, gflops) in rows {
            let threads = i.threads.to_string();
            let peak = gflops.map_or("–".into(), |gflops| format!("{gflops:.0}"));
            table.row([i.name, threads, peak, i.description, i.features.join(" ")]);
        }
        table.to_string()
    };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// 10⁹ operations a second in the best of several matrix products; `None` if the device declines them.
fn measured_gflops(device: Arc<dyn Device>) -> Result<Option<f64>, Failure> {
    let mut func = Func::new("peak", Level::Graph);
    let square = Type::fixed(DType::F32, &[SIDE, SIDE]);
    let (a, b) = (func.value("a", square.clone()), func.value("b", square));
    let mut builder = Builder::new(&mut func);
    let product = builder.op(OpKind::MatMul, &[a, b], &[]).map_err(Failure::run)?;
    let block = builder.finish();
    func.body.params = vec![a, b];
    func.body.ops = block.ops;
    func.body.results = vec![product];
    let module = Module { funcs: vec![func], ..Module::default() };
    let session = match Session::new(module, &[device], &Options::default()) {
        Err(PlanError::Unsupported { .. }) => return Ok(None),
        session => session?,
    };
    let values = Random::new(0).tensor(DType::F32, &[SIDE, SIDE]).map_err(Failure::run)?;
    let inputs = [("a", values.clone().into()), ("b", values.into())];
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        session.run(&inputs)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(Some(2.0 * (SIDE as f64).powi(3) / best / 1e9))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;
    use trident_ir::Op;
    use trident_runtime::{Cost, Declined, DeviceInfo, Executable, Unit};

    /// A device that multiplies no matrices: it says so at once, or when it compiles.
    struct Unable(DeviceInfo, Option<Cost>);

    impl Device for Unable {
        fn info(&self) -> &DeviceInfo {
            &self.0
        }

        fn estimate(&self, _: &Func, _: &[&Op]) -> Option<Cost> {
            self.1
        }

        fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
            Err(Declined { op: unit.ops[0].describe(), reason: "there is no matrix unit".into() })
        }
    }

    #[test]
    fn a_device_without_products_has_no_peak() {
        for estimate in [None, Some(Cost::default())] {
            let (name, description) = ("unable".into(), "for tests".into());
            let info = DeviceInfo { name, description, threads: 1, features: vec![] };
            let gflops = measured_gflops(Arc::new(Unable(info, estimate))).unwrap();
            assert_eq!(gflops, None);
        }
    }
}
