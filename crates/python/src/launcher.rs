//! What Triton calls at every launch.

use crate::kernel::{Kernel, Memory, Param, grid_size, named};
use crate::scalar::Kind;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// One entry of a kernel's signature.
enum Slot {
    /// Known to the compiler; not an argument of the compiled kernel.
    Constant,
    /// A number or a pointer.
    Value,
    /// A descriptor made on the host.
    Descriptor,
    /// A tuple of entries.
    Tuple(Vec<Slot>),
}

impl Slot {
    fn parse(ty: &Bound<'_, PyAny>) -> PyResult<Slot> {
        if let Ok(items) = ty.cast::<PyTuple>() {
            return Ok(Slot::Tuple(
                items.iter().map(|t| Slot::parse(&t)).collect::<PyResult<_>>()?,
            ));
        }
        let name = ty.str()?.to_string();
        Ok(match name.as_str() {
            "constexpr" => Slot::Constant,
            name if name.starts_with("tensordesc") => Slot::Descriptor,
            _ => Slot::Value,
        })
    }
}

/// A kernel's launch function: takes what Triton's JIT passes and hands a compiled kernel its arguments.
#[pyclass(frozen, module = "trident._trident")]
pub(crate) struct Launcher {
    names: Vec<String>,
    slots: Vec<Slot>,
}

/// Arguments before the kernel's own: three of the grid, stream, function, metadata of the kernel and of the launch,
/// and two hooks.
const LEADING: usize = 9;

#[pymethods]
impl Launcher {
    /// `signature` has names with their types: strings, or tuples of types for parameters that are tuples.
    #[new]
    fn new(signature: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Launcher> {
        let slots = signature.iter().map(|(_, ty)| Slot::parse(ty)).collect::<PyResult<_>>()?;
        Ok(Launcher { names: signature.into_iter().map(|(name, _)| name).collect(), slots })
    }

    #[pyo3(signature = (*args))]
    fn __call__(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<()> {
        let given = args.len().checked_sub(LEADING).filter(|n| *n == self.slots.len());
        if given.is_none() {
            let (expected, actual) = (self.slots.len(), args.len().saturating_sub(LEADING));
            let text = format!("the kernel takes {expected} arguments, not {actual}");
            return Err(PyTypeError::new_err(text));
        }
        let mut grid = [0; 3];
        for (i, size) in grid.iter_mut().enumerate() {
            *size = grid_size(&args.get_item(i)?)?;
        }
        let function = args.get_item(4)?;
        let kernel = function.cast::<Kernel>()?.get();
        let mut packer = Packer {
            params: kernel.parameters(),
            bits: Vec::with_capacity(kernel.parameters().len()),
            memory: kernel.checks().then(Vec::new),
        };
        for (i, slot) in self.slots.iter().enumerate() {
            if !matches!(slot, Slot::Constant) {
                let arg = args.get_item(LEADING + i)?;
                packer.add(slot, &arg, &self.names[i])?;
            }
        }
        let metadata = args.get_item(6)?;
        hook(&args.get_item(7)?, &metadata)?;
        kernel.run(py, grid, &packer.bits, &packer.memory.unwrap_or_default())?;
        hook(&args.get_item(8)?, &metadata)
    }
}

/// Calls a chain of hooks unless it is empty.
fn hook(chain: &Bound<'_, PyAny>, metadata: &Bound<'_, PyAny>) -> PyResult<()> {
    if chain.is_none() {
        return Ok(());
    }
    if let Ok(calls) = chain.getattr(intern!(chain.py(), "calls"))
        && calls.cast::<PyList>().is_ok_and(|calls| calls.is_empty())
    {
        return Ok(());
    }
    chain.call1((metadata,)).map(drop)
}

/// Collects the arguments of one launch.
struct Packer<'k> {
    params: &'k [Param],
    bits: Vec<u64>,
    /// Wanted for checked launches only.
    memory: Option<Vec<Memory>>,
}

impl Packer<'_> {
    fn add(&mut self, slot: &Slot, arg: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        match slot {
            Slot::Constant => Ok(()),
            Slot::Value => self.value(arg, name),
            Slot::Descriptor => self.descriptor(arg, name),
            Slot::Tuple(slots) => {
                for (i, (slot, item)) in slots.iter().zip(arg.cast::<PyTuple>()?.iter()).enumerate()
                {
                    self.add(slot, &item, &format!("{name}[{i}]"))?;
                }
                Ok(())
            }
        }
    }

    fn value(&mut self, arg: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let place = self.bits.len();
        let param = self.params.get(place).copied().ok_or_else(too_many)?;
        self.bits.push(param.pack(arg).map_err(|e| named(arg.py(), e, name))?);
        if let (Kind::Pointer(_), Some(memory)) = (param.kind, &mut self.memory) {
            memory.extend(Memory::of(name, place, arg)?);
        }
        Ok(())
    }

    /// A descriptor in the form that Triton's pass gives it: base, shape, strides, whether padding is NaN, whether to
    /// round to tf32, and shape and strides once more.
    fn descriptor(&mut self, arg: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let py = arg.py();
        let shape = arg.getattr(intern!(py, "shape"))?;
        let strides = arg.getattr(intern!(py, "strides"))?;
        self.value(&arg.getattr(intern!(py, "base"))?, name)?;
        self.items(&shape, name)?;
        self.items(&strides, name)?;
        let nan = arg.getattr(intern!(py, "padding"))?.eq(intern!(py, "nan"))?;
        self.bits.push(u64::from(nan));
        self.value(&arg.getattr(intern!(py, "round_f32_to_tf32"))?, name)?;
        self.items(&shape, name)?;
        self.items(&strides, name)
    }

    fn items(&mut self, items: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        for item in items.try_iter()? {
            self.value(&item?, name)?;
        }
        Ok(())
    }
}

fn too_many() -> PyErr {
    PyTypeError::new_err("the compiled kernel has fewer parameters than the signature")
}
