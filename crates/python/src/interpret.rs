//! Kernels run by the reference interpreter: slow, on a copy of the arguments' memory, and every access is checked.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trident_ir::interp::{Block, InterpError, InterpValue, InterpWatch, Interpreter, Memory, Trap};
use trident_ir::tile::Origins;
use trident_ir::{DType, Module, Type};
use trident_runtime::{Extent, Kernel, KernelLaunch, LaunchError, ProgramPoint};

/// A kernel that is never compiled.
pub(crate) struct Interpreted {
    module: Module,
    name: String,
    params: Vec<Type>,
    /// For each parameter, whether the kernel may write through it.
    written: Vec<bool>,
}

impl Interpreted {
    /// `None` for a module without functions.
    pub(crate) fn new(module: Module) -> Option<Interpreted> {
        let entry = module.entry()?;
        let params = entry.body.params.iter().map(|&p| entry.ty(p).clone()).collect();
        let (name, written) = (entry.name.clone(), Origins::new(&module).written());
        Some(Interpreted { name, params, written, module })
    }

    fn fail(&self, reason: String) -> LaunchError {
        LaunchError::Device { kernel: self.name.clone(), reason }
    }

    fn run(&self, launch: &KernelLaunch<'_>, copies: &mut Copies<'_>) -> Result<(), LaunchError> {
        if launch.args().len() != self.params.len() {
            let (expected, actual) = (self.params.len(), launch.args().len());
            return Err(LaunchError::Arguments { kernel: self.name.clone(), expected, actual });
        }
        let args: Vec<InterpValue> = self
            .params
            .iter()
            .zip(launch.args())
            .map(|(ty, &bits)| match ty {
                Type::Pointer(_) => InterpValue::address(copies.translate(bits)),
                _ => scalar(ty.dtype().unwrap_or(DType::I64), bits),
            })
            .collect();
        let mut interpreter =
            Interpreter::new(&self.module).map_err(|e| self.fail(e.to_string()))?;
        // A kernel that runs forever is stopped from outside, as native code is.
        interpreter.max_steps = u64::MAX;
        let asks_to_stop = || launch.watch().is_some_and(|watch| watch.asks_to_stop());
        interpreter.watch = Some(InterpWatch(&asks_to_stop));
        let outcome = interpreter.launch(launch.grid(), &args, &mut copies.memory);
        for line in &interpreter.printed {
            println!("{line}");
        }
        outcome.map_err(|e| self.located(e))
    }

    fn located(&self, error: InterpError) -> LaunchError {
        match error {
            InterpError::Op { op, program, fault, .. } => {
                let at = ProgramPoint { program, loc: op.and_then(|op| op.loc) };
                match *fault {
                    Trap::Assert(message) => LaunchError::Assert { at, message },
                    Trap::Assume => LaunchError::Assume { at },
                    Trap::Step(step) => LaunchError::Step { at, step },
                    Trap::Index { index, length } => LaunchError::Index { at, index, length },
                    Trap::Wait(expected) => LaunchError::Wait { at, expected },
                    Trap::TooDeep(most) => LaunchError::Nesting { at, most },
                    Trap::Stopped => LaunchError::Stopped { kernel: self.name.clone() },
                    fault @ (Trap::Access(_) | Trap::Local { .. } | Trap::Race { .. }) => {
                        LaunchError::Access { at, access: fault.to_string() }
                    }
                    fault @ (Trap::Libm { .. }
                    | Trap::NoMeaning { .. }
                    | Trap::Unknown
                    | Trap::NoValue(_)
                    | Trap::Steps(_)
                    | Trap::Divergent { .. }
                    | Trap::NotUniform { .. }
                    | Trap::PartialSimdgroup(_)
                    | Trap::NoLane { .. }) => {
                        LaunchError::Unsupported { at, reason: fault.to_string() }
                    }
                }
            }
            other => self.fail(other.to_string()),
        }
    }
}

fn scalar(dtype: DType, bits: u64) -> InterpValue {
    let width = 8 * dtype.size().min(8) as u32;
    let bits = if width < 64 { bits & ((1 << width) - 1) } else { bits };
    InterpValue::Block(Block { dtype, dims: [].into(), bits: [bits].into() })
}

impl Kernel for Interpreted {
    fn name(&self) -> &str {
        &self.name
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn written(&self) -> Option<&[bool]> {
        Some(&self.written)
    }

    fn launch(&self, launch: &KernelLaunch<'_>) -> Result<(), LaunchError> {
        let wrong = |e: PyErr| self.fail(e.to_string());
        let mut copies = Python::attach(|py| Copies::new(py, launch.extents())).map_err(wrong)?;
        let outcome = self.run(launch, &mut copies);
        Python::attach(|py| copies.write_back(py)).map_err(wrong)?;
        outcome
    }
}

/// The arguments' memory, copied to where the interpreter sees it.
struct Copies<'e> {
    memory: Memory,
    /// The first extent of each stretch, with its name and address in the interpreter's memory.
    stretches: Vec<(&'e Extent<'e>, String, u64)>,
}

impl<'e> Copies<'e> {
    fn new(py: Python<'_>, extents: &'e [Extent<'e>]) -> PyResult<Copies<'e>> {
        let mut copies = Copies { memory: Memory::default(), stretches: Vec::new() };
        let read = py.import("ctypes")?.getattr(intern!(py, "string_at"))?;
        for extent in extents {
            let same = |(e, ..): &(&Extent<'_>, String, u64)| e.address == extent.address;
            if copies.stretches.iter().any(same) {
                continue;
            }
            let bytes = read.call1((extent.address, extent.bytes))?;
            let bytes = bytes.cast::<PyBytes>()?.as_bytes();
            let taken = copies.stretches.iter().any(|(_, name, _)| name == extent.name);
            let name = match taken {
                true => format!("{} {}", extent.name, copies.stretches.len()),
                false => extent.name.to_owned(),
            };
            let address = copies.memory.add(&name, bytes);
            copies.stretches.push((extent, name, address));
        }
        Ok(copies)
    }

    /// The interpreter's address for an address of this process. Unknown addresses are unchanged, and are errors when
    /// they are used.
    fn translate(&self, address: u64) -> u64 {
        let with_room = |room: u64| {
            self.stretches.iter().find_map(|(extent, _, start)| {
                let offset = address.checked_sub(extent.address as u64)?;
                (offset + room <= extent.bytes as u64).then_some(start + offset)
            })
        };
        // One stretch may begin right after another, so being inside takes precedence.
        with_room(1).or_else(|| with_room(0)).unwrap_or(address)
    }

    fn write_back(&self, py: Python<'_>) -> PyResult<()> {
        let write = py.import("ctypes")?.getattr(intern!(py, "memmove"))?;
        for (extent, name, _) in self.stretches.iter().filter(|(extent, ..)| extent.writable) {
            if let Some(bytes) = self.memory.bytes(name) {
                write.call1((extent.address, PyBytes::new(py, bytes), bytes.len()))?;
            }
        }
        Ok(())
    }
}
