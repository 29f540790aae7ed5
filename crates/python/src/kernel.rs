//! Compiled kernels.

use crate::array::Access;
use crate::extent::{self, Stretch};
use crate::host::{self, Holds};
use crate::interpret::Interpreted;
use crate::scalar::Kind;
use crate::unfit::{self, Unfit};
use crate::{array, device, error, keep};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use trident_ir::{Module, counted};
use trident_runtime::{
    Checks, Extent, Kernel as RuntimeKernel, KernelImage, KernelLaunch, KernelOptions,
};

/// A compiled kernel.
#[pyclass(frozen, module = "trident")]
pub(crate) struct Kernel {
    kernel: Arc<dyn RuntimeKernel>,
    params: Vec<Param>,
    /// The Triton IR that it was compiled from.
    source: String,
    mode: Mode,
    /// Whether launches need to know the arguments' memory.
    needs_memory: bool,
    /// How the source calls the parameters, once a launch has asked.
    names: OnceLock<Vec<String>>,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub(crate) kind: Kind,
    /// Whether the kernel may write to where it points.
    pub(crate) written: bool,
}

impl Param {
    /// Packs an argument: the bits of a number, or an address, which may need a buffer to be held.
    pub(crate) fn pack(self, arg: &Bound<'_, PyAny>, holds: &mut Holds) -> unfit::Result<u64> {
        match self.kind {
            Kind::Pointer(to) => array::pointer(arg, to, self.written, holds),
            kind => kind.pack(arg),
        }
    }
}

/// How launches run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Plain,
    Check,
    Interpret,
    Bounds,
}

impl Mode {
    pub(crate) const ALL: [Mode; 4] = [Mode::Plain, Mode::Check, Mode::Interpret, Mode::Bounds];

    fn options(self) -> KernelOptions {
        let checks = match self {
            Mode::Plain => Checks::None,
            Mode::Bounds => Checks::Bounds,
            Mode::Check | Mode::Interpret => Checks::All,
        };
        KernelOptions { checks }
    }
}

/// An array argument of a checked launch.
pub(crate) struct Memory {
    pub(crate) name: String,
    pub(crate) param: usize,
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) writable: bool,
}

impl Memory {
    /// The memory of an array, as far as its library says.
    pub(crate) fn of(
        name: &str,
        param: usize,
        array: &Bound<'_, PyAny>,
        holds: &mut Holds,
    ) -> unfit::Result<Option<Memory>> {
        // A number is the address of an array of unknown extent; the number's own memory is not meant.
        if let Access::Scalar = Access::of(array)? {
            return Ok(None);
        }
        Ok(extent::memory(array, holds)?.map(|(Stretch { address, bytes }, writable)| Memory {
            name: name.to_owned(),
            param,
            address: address as usize,
            bytes: bytes as usize,
            writable,
        }))
    }
}

impl Kernel {
    pub(crate) fn new(
        py: Python<'_>,
        kernel: Arc<dyn RuntimeKernel>,
        source: String,
        mode: Mode,
    ) -> PyResult<Kernel> {
        let written = kernel.written();
        let params = kernel.params().iter().enumerate().map(|(i, ty)| {
            let kind = Kind::of(ty).ok_or_else(|| {
                let text = format!("parameter {i} of type {ty} cannot be given from Python");
                error::compile(py, &text, None)
            })?;
            // A kernel that cannot tell may write everywhere.
            let written = written.is_none_or(|w| w.get(i).copied().unwrap_or(true));
            Ok(Param { kind, written })
        });
        let params = params.collect::<PyResult<_>>()?;
        // A GPU sees no memory but what a launch shows it.
        let needs_memory = mode != Mode::Plain || host::is_gpu()?;
        Ok(Kernel { kernel, params, source, mode, needs_memory, names: OnceLock::new() })
    }

    /// How launches run.
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// The Triton IR that it was compiled from.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Machine code, where the device can give it.
    pub(crate) fn image(&self) -> Option<KernelImage> {
        self.kernel.image()
    }

    /// The kinds of the parameters.
    pub(crate) fn parameters(&self) -> &[Param] {
        &self.params
    }

    /// Whether launches need to know the arguments' memory: they look at accesses, or run on a GPU.
    pub(crate) fn needs_memory(&self) -> bool {
        self.needs_memory
    }

    /// The name of a parameter in errors: its name in the source, or else the expression of its argument.
    fn param_name(&self, py: Python<'_>, param: usize) -> String {
        let names = match self.names.get() {
            Some(names) => names,
            None => {
                // Parsing releases the interpreter, so it must not happen inside of `get_or_init`: a thread that waits there holds it.
                let module = parse(py, &self.source).ok();
                let entry = module.as_ref().and_then(Module::entry);
                let read = entry.map_or_else(Vec::new, |f| {
                    f.body.params.iter().map(|p| f.values[p.index()].name.clone()).collect()
                });
                self.names.get_or_init(|| read)
            }
        };
        let name = names.get(param).filter(|name| !name.is_empty()).cloned();
        name.unwrap_or_else(|| format!("args[{param}]"))
    }

    /// Runs the kernel without holding the interpreter. If it is `bounded`, `memory` is all that it may touch.
    pub(crate) fn run(
        &self,
        py: Python<'_>,
        grid: [u32; 3],
        args: &[u64],
        memory: &[Memory],
        bounded: bool,
    ) -> PyResult<()> {
        let extents: Vec<Extent<'_>> = memory
            .iter()
            .map(|m| Extent {
                name: &m.name,
                param: m.param,
                address: m.address,
                bytes: m.bytes,
                writable: m.writable,
            })
            .collect();
        #[allow(unsafe_code)]
        // SAFETY: the caller of Python holds the arrays. That kernels without checks stay inside of them, and that integers
        // which are given for pointers are addresses of memory, is the caller's word.
        let launch = unsafe { KernelLaunch::of_addresses(grid, args, &extents) };
        let launch = if bounded { launch.bounded() } else { launch };
        // Python runs signal handlers on its main thread only: elsewhere this finds nothing.
        let raised = Mutex::new(None);
        // An interpreter that ends has no more handlers to run.
        let interrupted = || match Python::try_attach(|py| py.check_signals()) {
            None | Some(Ok(())) => false,
            Some(Err(error)) => {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                true
            }
        };
        let outcome = py.detach(|| self.kernel.launch(&launch.watched(&interrupted)));
        match raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(raised) => Err(raised),
            None => outcome.map_err(|e| error::launch(py, &e)),
        }
    }
}

#[pymethods]
impl Kernel {
    /// Name of the entry function.
    #[getter]
    fn name(&self) -> &str {
        self.kernel.name()
    }

    /// Types of the parameters.
    #[getter]
    fn params(&self) -> Vec<String> {
        self.kernel.params().iter().map(ToString::to_string).collect()
    }

    /// Runs every program of the grid and returns when all are done.
    ///
    /// `grid` is a number of programs or up to three of them; `args` has a number or an array for each parameter.
    #[pyo3(signature = (grid, args = Vec::new()), text_signature = "($self, grid, args=())")]
    fn launch(
        &self,
        py: Python<'_>,
        grid: Bound<'_, PyAny>,
        args: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let sizes: Vec<Bound<'_, PyAny>> = match grid.cast::<PyTuple>() {
            Ok(sizes) => sizes.iter().collect(),
            Err(_) => match grid.extract() {
                Ok(sizes) => sizes,
                Err(_) => vec![grid],
            },
        };
        if sizes.is_empty() || sizes.len() > 3 {
            return Err(PyValueError::new_err("a grid has 1 to 3 dimensions"));
        }
        let mut shape = [1; 3];
        for (size, axis) in shape.iter_mut().zip(&sizes) {
            *size = grid_size(axis)?;
        }
        if args.len() != self.params.len() {
            let text = format!(
                "kernel `{}` takes {}, not {}: it has parameters ({})",
                self.kernel.name(),
                counted(self.params.len(), "argument"),
                args.len(),
                self.params().join(", ")
            );
            return Err(PyTypeError::new_err(text));
        }
        let mut bits = Vec::with_capacity(args.len());
        let (mut memory, mut holds) = (Vec::new(), Holds::default());
        let mut bounded = self.mode == Mode::Bounds;
        for (i, (param, arg)) in self.params.iter().zip(&args).enumerate() {
            let named = |refused: Unfit| refused.about(py, &self.param_name(py, i));
            bits.push(param.pack(arg, &mut holds).map_err(named)?);
            if self.needs_memory && matches!(param.kind, Kind::Pointer(_)) {
                let found =
                    Memory::of(&self.param_name(py, i), i, arg, &mut holds).map_err(named)?;
                bounded &= found.is_some();
                memory.extend(found);
            }
        }
        self.run(py, shape, &bits, &memory, bounded)
    }

    /// A text of the compilation: `ttir`, `tile` or one of the device's, on the CPU `clif` or `asm`.
    fn listing(&self, py: Python<'_>, kind: &str) -> PyResult<String> {
        match kind {
            "ttir" => return Ok(self.source.clone()),
            "tile" => return Ok(parse(py, &self.source)?.to_string()),
            _ => {}
        }
        py.detach(|| self.kernel.listing(kind)).ok_or_else(|| {
            let names = self.kernel.listings().iter().map(|listing| listing.name);
            let names = ["ttir", "tile"].into_iter().chain(names).collect::<Vec<_>>().join(", ");
            PyKeyError::new_err(format!("this kernel has no text `{kind}`; its texts are {names}"))
        })
    }

    /// The kernel as bytes that `load` takes: the Triton IR and, where the device can give it, machine code, sealed for
    /// this user. Bytes saved under a name are loaded under the same name.
    #[pyo3(signature = (name = ""))]
    fn save<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        keep::save(py, self, name)
    }

    fn __repr__(&self) -> String {
        format!("<trident.Kernel {}({})>", self.kernel.name(), self.params().join(", "))
    }
}

/// Compiles Triton IR. Launches stop at the first access outside of their arrays, unless they are `unchecked`; with
/// `check` they check more; with `interpret`, the reference interpreter runs them. The environment gives the defaults.
#[pyfunction]
#[pyo3(signature = (source, check = None, interpret = None, unchecked = false))]
pub(crate) fn compile(
    py: Python<'_>,
    source: String,
    check: Option<bool>,
    interpret: Option<bool>,
    unchecked: bool,
) -> PyResult<Kernel> {
    if unchecked && check == Some(true) {
        return Err(PyValueError::new_err(
            "a kernel cannot be compiled with and without checks at once: give one of the two options",
        ));
    }
    let check = match check {
        Some(check) => check,
        None => !unchecked && switch("TRIDENT_CHECK")?,
    };
    let interpret = match interpret {
        Some(interpret) => interpret,
        None => switch("TRIDENT_INTERPRET")?,
    };
    let module = parse(py, &source)?;
    if interpret {
        let empty = || error::compile(py, "the Triton IR has no functions", None);
        let kernel = Arc::new(Interpreted::new(module).ok_or_else(empty)?);
        return Kernel::new(py, kernel, source, Mode::Interpret);
    }
    let mode = match (check, unchecked) {
        (true, _) => Mode::Check,
        (false, true) => Mode::Plain,
        (false, false) => Mode::Bounds,
    };
    let compiler = device::current()?.compiler;
    let compiled = py.detach(|| compiler.compile_kernel(&module, &mode.options()));
    let kernel = compiled.map_err(|e| error::refused(py, &e))?;
    Kernel::new(py, kernel, source, mode)
}

/// Whether an environment variable asks for something.
#[pyfunction]
pub(crate) fn switch(variable: &str) -> PyResult<bool> {
    trident_runtime::switch(variable).map_err(|e| PyValueError::new_err(e.to_string()))
}

fn parse(py: Python<'_>, source: &str) -> PyResult<Module> {
    py.detach(|| trident_triton::parse(source))
        .map_err(|e| error::compile(py, &e.to_string(), e.source.as_ref()))
}

/// The size of a grid along one axis.
pub(crate) fn grid_size(size: &Bound<'_, PyAny>) -> PyResult<u32> {
    let number: i64 = size.extract()?;
    u32::try_from(number).map_err(|_| {
        PyValueError::new_err(format!("a grid of {number} programs along an axis is not possible"))
    })
}
