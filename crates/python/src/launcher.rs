//! The object that Triton calls at every launch.

use crate::host::Holds;
use crate::kernel::{Kernel, Memory, Param, grid_size};
use crate::scalar::Kind;
use crate::unfit::Unfit;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use trident_ir::counted;

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
        if args.len() < LEADING {
            return Err(self.miscounted(0));
        }
        let grid = grid_sizes(|i| args.get_item(i))?;
        let function = args.get_item(4)?;
        let kernel = function.cast::<Kernel>()?.get();
        let packer = self.pack(kernel, args, LEADING)?;
        let metadata = args.get_item(6)?;
        hook(&args.get_item(7)?, &metadata)?;
        packer.run(py, kernel, grid)?;
        hook(&args.get_item(8)?, &metadata)
    }
}

impl Launcher {
    /// The kernel's arguments: the arguments of the call from `first` on.
    fn pack<'k>(
        &self,
        kernel: &'k Kernel,
        args: &Bound<'_, PyTuple>,
        first: usize,
    ) -> PyResult<Packer<'k>> {
        if args.len() != first + self.slots.len() {
            return Err(self.miscounted(args.len() - first));
        }
        let mut packer = Packer {
            params: kernel.parameters(),
            bits: Vec::with_capacity(kernel.parameters().len()),
            memory: kernel.needs_memory().then(Vec::new),
            holds: Holds::default(),
        };
        for (i, slot) in self.slots.iter().enumerate() {
            if !matches!(slot, Slot::Constant) {
                let arg = args.get_borrowed_item(first + i)?;
                packer.add(slot, &arg, &self.names[i])?;
            }
        }
        Ok(packer)
    }

    fn miscounted(&self, actual: usize) -> PyErr {
        let expected = self.slots.len();
        PyTypeError::new_err(format!(
            "the kernel takes {}, not {actual}",
            counted(expected, "argument")
        ))
    }
}

/// The launches of a compiled kernel with one grid: what `kernel[grid]` gives.
#[pyclass(frozen, module = "trident._trident")]
pub(crate) struct BoundLaunch {
    launcher: Py<Launcher>,
    kernel: Py<Kernel>,
    grid: [u32; 3],
    /// Triton's settings of launches, which have the hooks.
    settings: Py<PyAny>,
    /// Triton's own function, for launches with hooks.
    hooked: Py<PyAny>,
}

#[pymethods]
impl BoundLaunch {
    #[new]
    fn new(
        launcher: Py<Launcher>,
        kernel: Py<Kernel>,
        grid: &Bound<'_, PyAny>,
        settings: Py<PyAny>,
        hooked: Py<PyAny>,
    ) -> PyResult<BoundLaunch> {
        if !grid.len().is_ok_and(|n| n == 3) {
            let text = "a compiled kernel takes a grid of three sizes, such as (n, 1, 1)";
            return Err(PyTypeError::new_err(text));
        }
        let grid = grid_sizes(|i| grid.get_item(i))?;
        Ok(BoundLaunch { launcher, kernel, grid, settings, hooked })
    }

    /// Runs every program of the grid. All parameters count, constants included.
    #[pyo3(signature = (*args, **named))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        if named.is_some() || hooked(self.settings.bind(py))? {
            return self.hooked.call(py, args, named).map(drop);
        }
        let kernel = self.kernel.get();
        let packer = self.launcher.get().pack(kernel, args, 0)?;
        packer.run(py, kernel, self.grid)
    }
}

/// The three sizes of a grid.
fn grid_sizes<'py>(axis: impl Fn(usize) -> PyResult<Bound<'py, PyAny>>) -> PyResult<[u32; 3]> {
    let mut grid = [0; 3];
    for (i, size) in grid.iter_mut().enumerate() {
        *size = grid_size(&axis(i)?)?;
    }
    Ok(grid)
}

/// Whether Triton's settings of launches have hooks that call anything.
#[pyfunction]
pub(crate) fn hooked(settings: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = settings.py();
    let enter = settings.getattr(intern!(py, "launch_enter_hook"))?;
    let leave = settings.getattr(intern!(py, "launch_exit_hook"))?;
    Ok(!idle(&enter) || !idle(&leave))
}

/// Whether a chain of hooks is empty.
fn idle(chain: &Bound<'_, PyAny>) -> bool {
    chain.is_none()
        || chain
            .getattr(intern!(chain.py(), "calls"))
            .is_ok_and(|calls| calls.cast::<PyList>().is_ok_and(|calls| calls.is_empty()))
}

/// Calls a chain of hooks unless it is empty.
fn hook(chain: &Bound<'_, PyAny>, metadata: &Bound<'_, PyAny>) -> PyResult<()> {
    if idle(chain) {
        return Ok(());
    }
    chain.call1((metadata,)).map(drop)
}

/// Collects the arguments of one launch.
struct Packer<'k> {
    params: &'k [Param],
    bits: Vec<u64>,
    /// Where launches need it.
    memory: Option<Vec<Memory>>,
    holds: Holds,
}

impl Packer<'_> {
    fn run(&self, py: Python<'_>, kernel: &Kernel, grid: [u32; 3]) -> PyResult<()> {
        kernel.run(py, grid, &self.bits, self.memory.as_deref().unwrap_or_default(), false)
    }

    fn add(&mut self, slot: &Slot, arg: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        match slot {
            Slot::Constant => Ok(()),
            Slot::Value => self.value(arg, name),
            Slot::Descriptor => self.descriptor(arg, name),
            Slot::Tuple(slots) => {
                let named = |refused: Unfit| refused.about(arg.py(), name);
                let mismatch = |_| named(Unfit::mismatch(arg, "a tuple"));
                let items = arg.cast::<PyTuple>().map_err(mismatch)?;
                let (expected, actual) = (slots.len(), items.len());
                if actual != expected {
                    return Err(named(Unfit::Type(format!(
                        "is a tuple of {actual}, and the kernel takes one of {expected}"
                    ))));
                }
                for (i, (slot, item)) in slots.iter().zip(items.iter()).enumerate() {
                    self.add(slot, &item, &format!("{name}[{i}]"))?;
                }
                Ok(())
            }
        }
    }

    fn value(&mut self, arg: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let place = self.bits.len();
        let param = self.params.get(place).copied().ok_or_else(too_many)?;
        let named = |refused: Unfit| refused.about(arg.py(), name);
        self.bits.push(param.pack(arg, &mut self.holds).map_err(named)?);
        if let (Kind::Pointer(_), Some(memory)) = (param.kind, &mut self.memory) {
            memory.extend(Memory::of(name, place, arg, &mut self.holds).map_err(named)?);
        }
        Ok(())
    }

    /// A descriptor in the form that Triton's pass gives it: base, shape, strides, whether padding is NaN, whether to
    /// round to tf32, and shape and strides once more.
    fn descriptor(&mut self, arg: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let py = arg.py();
        if !arg.hasattr(intern!(py, "base"))? || !arg.hasattr(intern!(py, "padding"))? {
            return Err(Unfit::mismatch(arg, "a `TensorDescriptor`").about(py, name));
        }
        let shape = arg.getattr(intern!(py, "shape"))?;
        let strides = arg.getattr(intern!(py, "strides"))?;
        self.value(&arg.getattr(intern!(py, "base"))?, &format!("{name}.base"))?;
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
