//! From a tile function to the text of a Metal program. Nothing here needs a GPU, so every machine shows these texts.

use trident_graph_to_tile::Target;
use trident_ir::{DType, Module, Type};
use trident_runtime::{CompileError, Declined, Listing};
use trident_tile_to_lane::{self as lane, GpuFigures, LowerError, Unsupported};

use crate::metal::{Family, Limits};
use crate::msl::{self, Program};

/// The texts of a [`Translation`].
pub const LISTINGS: &[Listing] = &[
    Listing { name: "plan", about: "which thread holds which elements" },
    Listing { name: "lane", about: "what each thread computes" },
    Listing { name: "msl", about: "the Metal program" },
];

/// A tile function as a Metal program, and the texts on the way to it.
#[derive(Debug)]
pub struct Translation {
    program: Program,
    exchanges_words: bool,
    plan: String,
    lane: String,
}

impl Translation {
    /// Translates the entry function of a module of level tile for a GPU with these figures.
    ///
    /// # Errors
    /// [`CompileError::Declined`] names the first op or type that Metal or the lowering lacks. [`CompileError::Resources`] if a
    /// program needs more registers or threadgroup memory than the GPU has.
    pub fn of(module: &Module, figures: &GpuFigures) -> Result<Translation, CompileError> {
        let Some(entry) = module.entry() else {
            return Err(Declined::module("the module has no function").into());
        };
        let resources = |what, needed, most| {
            let kernel = entry.name.clone();
            CompileError::Resources { kernel, what, needed, most }
        };
        native(module)?;
        let lowered = lane::lower(module, figures).map_err(|error| match error {
            LowerError::Unsupported(unsupported) => match unsupported {
                Unsupported::Op { op, reason } => Declined::Op { op, reason }.into(),
                other => Declined::kernel(entry.name.as_str(), other.to_string()).into(),
            },
            LowerError::Threadgroup { needed, most } => {
                resources("bytes of threadgroup memory", needed, most)
            }
            LowerError::Registers { needed, most, .. } => {
                resources("bytes of registers", needed, most)
            }
        })?;
        Ok(Translation {
            program: msl::write(&lowered.module, lowered.programs)?,
            exchanges_words: lowered.exchanges_words,
            plan: lowered.plan,
            lane: lowered.module.to_string(),
        })
    }

    /// The program, and how it is launched.
    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// Whether the program accesses whole words at both ends of tensors.
    pub(super) fn exchanges_words(&self) -> bool {
        self.exchanges_words
    }

    /// The text of this name in [`LISTINGS`].
    pub fn listing(&self, name: &str) -> Option<&str> {
        match name {
            "plan" => Some(&self.plan),
            "lane" => Some(&self.lane),
            "msl" => Some(&self.program.source),
            _ => None,
        }
    }
}

/// The figures that programs for a device are planned with: its chip's where the device's name tells the chip, otherwise the
/// figures that all chips share.
pub fn figures(limits: &Limits) -> GpuFigures {
    let shared = GpuFigures { tensors: limits.family >= Family::Apple10, ..GpuFigures::APPLE };
    GpuFigures {
        threads: limits.max_threads_per_threadgroup,
        threadgroup: limits.max_threadgroup_bytes as usize,
        ..GpuFigures::chip(&limits.name).unwrap_or(shared)
    }
}

/// The target that ops of models are lowered for.
pub fn target(limits: &Limits) -> Target {
    let figures = figures(limits);
    Target {
        block: figures.threads.clamp(32, 256) as usize,
        vector: figures.vector,
        // M1: 2.6 TFLOP/s and 68 GB/s; M1 Max: 10.4 and 400; M2: 3.6 and 100; M4: 4.3 and 120.
        flops_per_byte: 32,
        // Fills any GPU with work, and is a 64th of the memory of the smallest machine.
        scratch: 128 << 20,
        matrix_unit: figures.tensors,
    }
}

/// Declines the first op on 64-bit floats, which Metal lacks. Here the op still has its place in the source.
fn native(module: &Module) -> Result<(), Declined> {
    let mut found = None;
    for func in &module.funcs {
        func.body.walk(&mut |op| {
            let is_wide = |id| match func.ty(id) {
                Type::Pointer(to) => to.to == DType::F64,
                ty => ty.dtype() == Some(DType::F64),
            };
            if op.used().chain(op.defined()).any(is_wide) {
                let reason = "Metal has no element type f64".to_owned();
                found.get_or_insert(Declined::op(op, reason));
            }
        });
    }
    found.map_or(Ok(()), Err)
}
