//! `trident devices`: what this machine offers.

use crate::failure::Failure;
use crate::random::Random;
use crate::render::{self, Align, Table};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use trident_devices::{DeviceError, DeviceSettings, model_devices};
use trident_engine::{Options, PlanError, Session};
use trident_ir::{Builder, DType, Func, Level, Module, Type, ops};
use trident_runtime::{Device, MemoryStats, PoolStats};

const AFTER: &str = "\
The peak is the best speed measured over several products of two square f32 matrices. It
is missing (–, in JSON null) for a device that cannot multiply matrices.

--memory adds the memory of each device, and of the model that computes the product:
  live           memory in buffers and elsewhere; now, and its peak
  elsewhere      memory outside of the pool: strings and packed weights
  reserved       memory reserved from the system; now, and its peak
  cached         reserved memory that no buffer uses
  hits           fraction of buffers that needed no new memory from the system
  given back     memory returned to the system, because it was unused for too long (age),
                 too much was unused (size), a model was unloaded, or a program asked
  fragmentation  fraction of the cached memory that a single buffer could not use

MPS_MAX_POOL_SIZE is the maximum unused memory that a device keeps, in bytes or with K, M
or G (1G by default). MPS_MAX_BUFFER_AGE is how long it keeps it, in milliseconds (60000).

Examples:
  trident devices --json
  trident devices --memory";

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
    /// Print the memory of each device, too
    #[arg(long)]
    memory: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for entry in model_devices().filter(|entry| !entry.is_for_tests()) {
        let opened = trident_devices::open(Some(entry.name()), &DeviceSettings::default());
        let opened = match opened.and_then(|opened| opened.models()) {
            Err(DeviceError::Unavailable { .. }) => continue,
            opened => opened.map_err(|e| Failure::run(e.to_string()))?,
        };
        for device in opened.devices {
            let Measured { gflops, memory } = measure(device.clone())?;
            rows.push((device.info().clone(), gflops, args.memory.then_some(memory)));
        }
    }
    let text = if args.json {
        let list = rows.iter().map(|(i, gflops, memory)| {
            let mut device = json!({
                "name": i.name, "description": i.description, "threads": i.threads,
                "features": i.features, "measured_f32_gflops": gflops,
            });
            if let Some(memory) = memory {
                device["memory"] = memory_json(memory);
            }
            device
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
        let mut figures = memory_table();
        for (i, gflops, memory) in rows {
            let threads = i.threads.to_string();
            let peak = gflops.map_or("–".into(), |gflops| format!("{gflops:.0}"));
            if let Some(memory) = memory {
                figures.row(memory_row(&i.name, &memory));
                for (name, stats) in &memory.pools {
                    figures.row(model_row(name, stats));
                }
            }
            table.row([i.name, threads, peak, i.description, i.features.join(" ")]);
        }
        if args.memory { format!("{table}\n{figures}") } else { table.to_string() }
    };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}

fn memory_json(memory: &MemoryStats) -> Value {
    let buffers = |stats: &PoolStats| {
        json!({
            "live_bytes": stats.live, "elsewhere_bytes": stats.elsewhere,
            "peak_bytes": stats.peak,
            "hits": stats.hits, "misses": stats.misses,
        })
    };
    let given = &memory.given_back;
    let models = memory.pools.iter().map(|(name, stats)| {
        let mut model = buffers(stats);
        model["name"] = json!(name);
        model
    });
    let mut all = buffers(&memory.buffers);
    all["reserved_bytes"] = json!(memory.reserved);
    all["peak_reserved_bytes"] = json!(memory.peak_reserved);
    all["cached_bytes"] = json!(memory.cached);
    all["fragmentation"] = json!(memory.fragmentation);
    all["given_back_bytes"] = json!({
        "age": given.age, "size": given.size, "unload": given.unload, "asked": given.asked,
    });
    all["models"] = models.collect();
    all
}

fn memory_table() -> Table {
    Table::new(&[
        ("memory", Align::Left),
        ("live", Align::Right),
        ("elsewhere", Align::Right),
        ("peak", Align::Right),
        ("reserved", Align::Right),
        ("reserved peak", Align::Right),
        ("cached", Align::Right),
        ("hits", Align::Right),
        ("given back: age", Align::Right),
        ("size", Align::Right),
        ("unload", Align::Right),
        ("asked", Align::Right),
        ("fragmentation", Align::Right),
    ])
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// The figures that devices and models have: what is live and elsewhere, the peak, the share of hits.
fn pool_figures(stats: &PoolStats) -> [String; 4] {
    let PoolStats { live, elsewhere, peak, hits, misses } = *stats;
    let hits = match hits + misses {
        0 => "–".into(),
        all => percent(hits as f64 / all as f64),
    };
    [render::bytes(live), render::bytes(elsewhere), render::bytes(peak), hits]
}

/// A model takes its memory from the device, so the system's figures are the device's.
fn model_row(name: &str, stats: &PoolStats) -> [String; 13] {
    let [live, elsewhere, peak, hits] = pool_figures(stats);
    let mut row = [const { String::new() }; 13];
    (row[0], row[7]) = (format!("  model {name}"), hits);
    (row[1], row[2], row[3]) = (live, elsewhere, peak);
    row
}

fn memory_row(name: &str, memory: &MemoryStats) -> [String; 13] {
    let [live, elsewhere, peak, hits] = pool_figures(&memory.buffers);
    let given = |bytes: u64| render::bytes(bytes as usize);
    [
        name.to_owned(),
        live,
        elsewhere,
        peak,
        render::bytes(memory.reserved),
        render::bytes(memory.peak_reserved),
        render::bytes(memory.cached),
        hits,
        given(memory.given_back.age),
        given(memory.given_back.size),
        given(memory.given_back.unload),
        given(memory.given_back.asked),
        percent(memory.fragmentation),
    ]
}

/// Figures of a device from computing matrix products on it.
struct Measured {
    /// 10⁹ operations a second in the best of several; `None` if the device declines them.
    gflops: Option<f64>,
    /// While the model of the product is loaded.
    memory: MemoryStats,
}

fn measure(device: Arc<dyn Device>) -> Result<Measured, Failure> {
    let mut func = Func::new("matrix product", Level::Graph);
    let square = Type::fixed(DType::F32, &[SIDE, SIDE]);
    let (a, b) = (func.value("a", square.clone()), func.value("b", square));
    let mut builder = Builder::new(&mut func);
    let product = builder.add(ops::MatMul::new(a, b)).map_err(Failure::run)?;
    let block = builder.finish();
    func.body.params = vec![a, b];
    func.body.ops = block.ops;
    func.body.results = vec![product];
    let module = Module { funcs: vec![func], ..Module::default() };
    let pool = device.memory();
    let session = match Session::new(module, &[device], &Options::default()) {
        Err(PlanError::Unsupported { .. }) => {
            return Ok(Measured { gflops: None, memory: pool.device_stats() });
        }
        session => session?,
    };
    let values =
        Random::new(0).tensor(session.pool(), DType::F32, &[SIDE, SIDE]).map_err(Failure::run)?;
    let inputs = [("a", values.clone().into()), ("b", values.into())];
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        session.run(&inputs)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    let gflops = Some(2.0 * (SIDE as f64).powi(3) / best / 1e9);
    Ok(Measured { gflops, memory: pool.device_stats() })
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
            Err(Declined::op(&unit.ops[0], "there is no matrix unit"))
        }
    }

    #[test]
    fn a_device_without_products_has_no_peak() {
        for estimate in [None, Some(Cost::default())] {
            let (name, description) = ("unable".into(), "for tests".into());
            let info = DeviceInfo { name, description, threads: 1, features: vec![] };
            let measured = measure(Arc::new(Unable(info, estimate))).unwrap();
            assert_eq!(measured.gflops, None);
        }
    }
}
