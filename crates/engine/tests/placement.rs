//! File tests of placement: the text of a module in, the device and region of each op out.
//!
//! The module's metadata declare the devices, in the order of their keys: `metadata "device 1" = "gpu 2000 conv relu"` is a device
//! named `gpu` that claims these kinds of ops at 2,000 ns each. `*` stands for all kinds. In place of the time, `small` and `large`
//! are devices that estimate: the first begins at once, the second is faster and takes 20 µs to begin. After the time,
//! `unit` claims all its ops of a block as one unit, and `fused` rewrites with every fusion.

use std::fmt::Write;
use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_engine::{Optimized, Options, Placement};
use trident_ir::rewrite::{Context, RewriteError, RewriteReport};
use trident_ir::{Block, Func, Module, Op, OpKind};
use trident_passes::fuse;
use trident_runtime::{Claim, Cost, Declined, Device, DeviceInfo, Executable, Rates, Unit};

/// A device that claims ops and runs none.
struct Claims {
    info: DeviceInfo,
    time: Time,
    unit: bool,
    fused: bool,
    kinds: Vec<String>,
}

enum Time {
    Nanos(f64),
    Rates(Rates),
}

impl Claims {
    fn parse(text: &str) -> Result<Claims, String> {
        let mut words = text.split_whitespace().peekable();
        let name = words.next().ok_or("a device without a name")?.to_owned();
        let time = words.next().ok_or("a device without a time")?;
        let time = match time {
            "small" => Time::Rates(Rates { flops: 1e11, bandwidth: 1e10, launch_nanos: 500.0 }),
            "large" => Time::Rates(Rates { flops: 1e13, bandwidth: 1e12, launch_nanos: 2e4 }),
            nanos => Time::Nanos(nanos.parse().map_err(|_| format!("`{nanos}` is not a time"))?),
        };
        let unit = words.next_if_eq(&"unit").is_some();
        let fused = words.next_if_eq(&"fused").is_some();
        let info = DeviceInfo { name, description: String::new(), threads: 1, features: vec![] };
        Ok(Claims { info, time, unit, fused, kinds: words.map(str::to_owned).collect() })
    }

    fn claims(&self, op: &Op) -> bool {
        self.kinds.iter().any(|kind| kind == "*" || kind == op.decl().name)
    }
}

impl Device for Claims {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn estimate(&self, func: &Func, ops: &[&Op]) -> Option<Cost> {
        let cost = match &self.time {
            Time::Nanos(nanos) => Cost { nanos: nanos * ops.len() as f64, ..Cost::default() },
            Time::Rates(rates) => rates.cost(func, ops),
        };
        ops.iter().all(|op| self.claims(op)).then_some(cost)
    }

    fn claim(&self, func: &Func, ops: &[Op]) -> Vec<Claim> {
        let own = ops.iter().enumerate().filter(|(_, op)| self.claims(op));
        let own: Vec<(usize, &Op)> = own.filter(|(_, op)| op.kind != OpKind::Constant).collect();
        let claim = |own: &[(usize, &Op)]| {
            let (places, ops): (Vec<usize>, Vec<&Op>) = own.iter().copied().unzip();
            Some(Claim { ops: places, cost: self.estimate(func, &ops)? })
        };
        match self.unit {
            true => claim(&own).into_iter().collect(),
            false => own.chunks(1).filter_map(claim).collect(),
        }
    }

    fn rewrite(&self, func: &mut Func, cx: &Context<'_>) -> Result<RewriteReport, RewriteError> {
        trident_passes::rewrite(func, if self.fused { fuse::ALL } else { &[] }, cx)
    }

    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        Err(match unit.ops {
            [op] => Declined::op(op, "it only claims"),
            ops => Declined::Several { ops: ops.len() },
        })
    }
}

/// A line for each op but constants: its results, its kind, and where it runs.
fn describe(
    block: &Block,
    func: &Func,
    (placement, devices): (&Placement, &[Arc<dyn Device>]),
    (ops, depth): (&mut dyn Iterator<Item = Option<usize>>, usize),
    out: &mut String,
) {
    for op in &block.ops {
        let region = ops.next().flatten();
        if op.kind != OpKind::Constant {
            let names: Vec<&str> = op.defined().map(|v| func.info(v).name.as_str()).collect();
            let place = region.map_or("engine".to_owned(), |at| {
                let region = &placement.regions[at];
                let kind = if region.unit { "unit" } else { "region" };
                format!("{} {kind} {at}", devices[region.device].info().name)
            });
            let indent = "  ".repeat(depth);
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{indent}{} = {}: {place}", names.join(", "), op.decl().name);
        }
        for region in &op.regions {
            describe(region, func, (placement, devices), (ops, depth + 1), out);
        }
    }
}

fn place(text: &str) -> Result<String, String> {
    let module: Module = text.parse().map_err(|e: trident_ir::text::ParseError| e.to_string())?;
    let devices = module.metadata.iter().filter(|(key, _)| key.starts_with("device "));
    let devices = devices.map(|(_, text)| Ok(Arc::new(Claims::parse(text)?) as Arc<dyn Device>));
    let devices = devices.collect::<Result<Vec<_>, String>>()?;
    let folder: Arc<dyn Device> = Arc::new(CpuDevice::new(1));
    let options = Options { folder: Some(folder), ..Options::default() };
    let optimized = Optimized::new(module, vec![], &devices, &options);
    let mut out = String::new();
    for entry in &optimized.map_err(|e| e.to_string())?.entries {
        let (func, placement) = (&entry.func, &entry.placement);
        let mut ops = placement.ops.iter().copied();
        describe(&func.body, func, (placement, &devices), (&mut ops, 0), &mut out);
    }
    Ok(out)
}

#[test]
fn filetests() -> Result<(), trident_filetest::Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
    trident_filetest::run(folder, &[("place", &place)])
}
