//! Kernels: `tile` functions compiled by a device, and their launches over a grid of programs.
// Creating a launch on unchecked addresses is `unsafe`.
#![allow(unsafe_code)]

use crate::{Declined, KernelImage};
use std::marker::PhantomData;
use std::sync::Arc;
use trident_ir::{Loc, Module, Type, counted};

/// How a kernel is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KernelOptions {
    /// The checks of the kernel's launches.
    pub checks: Checks,
}

/// Checks of a kernel's launches before they access memory. The first invalid access ends a launch and is not
/// performed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checks {
    /// Nothing: an invalid access corrupts memory.
    #[default]
    None,
    /// Checks that accesses stay inside the known [`Extent`]s. Nearly as fast as no checks.
    Bounds,
    /// Bounds, alignment, reads of memory that was never written, and races between programs. Slow.
    All,
}

/// Why a kernel cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The device lacks something that the kernel uses.
    #[error(transparent)]
    Declined(#[from] Declined),
    /// A program of the kernel needs more of something than the device has.
    #[error(
        "kernel `{kernel}` needs {needed} {what} for a program, and the device has {most}; use smaller blocks"
    )]
    Resources {
        /// The kernel's name.
        kernel: String,
        /// The kind of resource, such as `bytes of threadgroup memory`.
        what: &'static str,
        /// The amount that it needs.
        needed: usize,
        /// The amount that there is.
        most: usize,
    },
}

impl CompileError {
    /// The error as a refusal of the kernel.
    pub fn declined(self) -> Declined {
        match self {
            CompileError::Declined(declined) => declined,
            CompileError::Resources { ref kernel, .. } => {
                Declined::kernel(kernel, self.to_string())
            }
        }
    }
}

/// Compiles `tile` modules.
pub trait KernelCompiler: Send + Sync {
    /// Compiles the entry function of a module of level `tile`.
    fn compile_kernel(
        &self,
        module: &Module,
        options: &KernelOptions,
    ) -> Result<Arc<dyn Kernel>, CompileError>;

    /// Loads a kernel from the result of [`Kernel::image`]. A device declines if it cannot load kernels, or if the
    /// image is from another version or machine. Then the module must be compiled.
    fn load_kernel(&self, image: &KernelImage) -> Result<Arc<dyn Kernel>, Declined> {
        let reason =
            format!("compiled code of {} cannot be loaded", counted(image.bytes().len(), "byte"));
        Err(Declined::Image { reason })
    }
}

/// A text that describes a device's compiled kernels; each device defines which ones it offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Its identifier, such as `asm`.
    pub name: &'static str,
    /// Its subject.
    pub about: &'static str,
}

/// A compiled kernel.
pub trait Kernel: Send + Sync {
    /// Name of the entry function.
    fn name(&self) -> &str;

    /// Types of the entry's parameters: scalars, pointers and descriptors.
    fn params(&self) -> &[Type];

    /// For each parameter, whether the kernel may write to the memory it points to; `None` if unknown.
    fn written(&self) -> Option<&[bool]> {
        None
    }

    /// Bytes of temporary memory that a launch of this many programs needs, summed over all threads.
    fn temporary_bytes(&self, _programs: usize) -> usize {
        0
    }

    /// Runs every program of the grid and returns when all are done. A grid with a zero dimension runs nothing.
    fn launch(&self, launch: &KernelLaunch<'_>) -> Result<(), LaunchError>;

    /// The available listings.
    fn listings(&self) -> &'static [Listing] {
        &[]
    }

    /// The listing of this name, if the device offers it. Generating it may recompile the kernel.
    fn listing(&self, _name: &str) -> Option<String> {
        None
    }

    /// Compiled code in a form that can be stored on disk; see [`KernelCompiler::load_kernel`].
    fn image(&self) -> Option<KernelImage> {
        None
    }
}

/// One launch: a grid and one argument per parameter.
///
/// Launches created by [`Arguments::launch`] hold typed memory, and kernels that do not check accesses refuse them.
/// Creating launches on addresses is `unsafe`.
#[derive(Clone, Copy, Debug)]
pub struct KernelLaunch<'a> {
    grid: [u32; 3],
    args: &'a [u64],
    extents: &'a [Extent<'a>],
    bounded: bool,
    watch: Option<Watch<'a>>,
}

/// A function that tells whether a launch is to stop.
#[derive(Clone, Copy)]
pub struct Watch<'a>(&'a (dyn Fn() -> bool + Sync));

impl Watch<'_> {
    /// Whether the launch is to stop.
    pub fn asks_to_stop(&self) -> bool {
        (self.0)()
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

impl<'a> KernelLaunch<'a> {
    /// A launch on scalars and addresses; `args` has one word per parameter. `extents` is the memory that the kernel
    /// may access, as far as the caller knows; kernels that check accesses enforce it.
    ///
    /// # Safety
    /// The kernels given this launch may access, for its duration, all memory that they do access: the extents and,
    /// without checks, also parameters without an extent and any pointers that the kernel reads or computes.
    pub unsafe fn of_addresses(
        grid: [u32; 3],
        args: &'a [u64],
        extents: &'a [Extent<'a>],
    ) -> KernelLaunch<'a> {
        KernelLaunch { grid, args, extents, bounded: false, watch: None }
    }

    /// The same launch, which stops with [`LaunchError::Stopped`] once `asks_to_stop` returns true. The CPU calls it on the
    /// launching thread, about every 20 ms while programs run. On a GPU, launches run to their end.
    #[must_use]
    pub fn watched(self, asks_to_stop: &'a (dyn Fn() -> bool + Sync)) -> KernelLaunch<'a> {
        KernelLaunch { watch: Some(Watch(asks_to_stop)), ..self }
    }

    /// The function that tells whether the launch is to stop.
    pub fn watch(&self) -> Option<Watch<'a>> {
        self.watch
    }

    /// The same launch, with the extents being all memory that the kernel may access.
    #[must_use]
    pub fn bounded(self) -> KernelLaunch<'a> {
        KernelLaunch { bounded: true, ..self }
    }

    /// Number of programs along x, y, z.
    pub fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// One word per parameter: the bits of a scalar in its type's width (upper bits are ignored), or an address.
    pub fn args(&self) -> &'a [u64] {
        self.args
    }

    /// Memory that the kernel may access, as far as the caller knows.
    pub fn extents(&self) -> &'a [Extent<'a>] {
        self.extents
    }

    /// Whether the extents are all the memory that the kernel may access. Then there is one for each pointer parameter,
    /// and pointers that the kernel reads from memory or computes from integers must stay inside them too. Devices
    /// refuse such launches for kernels that do not check accesses.
    pub fn is_bounded(&self) -> bool {
        self.bounded
    }
}

/// Arguments of a launch, in parameter order; they hold the memory that the kernel accesses.
#[derive(Debug, Default)]
pub struct Arguments<'a> {
    words: Vec<u64>,
    extents: Vec<Extent<'a>>,
    memory: PhantomData<&'a mut [u8]>,
}

impl<'a> Arguments<'a> {
    /// No arguments.
    pub fn new() -> Arguments<'a> {
        Arguments::default()
    }

    /// Adds a scalar: its bits in the parameter's type.
    #[must_use]
    pub fn scalar(mut self, bits: u64) -> Arguments<'a> {
        self.words.push(bits);
        self
    }

    /// Adds a pointer to memory that the kernel may read; errors refer to it as `name`.
    #[must_use]
    pub fn read(self, name: &'a str, memory: &'a [u8]) -> Arguments<'a> {
        let address = memory.as_ptr().expose_provenance();
        self.array(name, address, memory.len(), false)
    }

    /// Adds a pointer to memory that the kernel may read and write; errors refer to it as `name`.
    #[must_use]
    pub fn write(self, name: &'a str, memory: &'a mut [u8]) -> Arguments<'a> {
        let address = memory.as_mut_ptr().expose_provenance();
        self.array(name, address, memory.len(), true)
    }

    fn array(
        mut self,
        name: &'a str,
        address: usize,
        bytes: usize,
        writable: bool,
    ) -> Arguments<'a> {
        let param = self.words.len();
        self.words.push(address as u64);
        self.extents.push(Extent { name, param, address, bytes, writable });
        self
    }

    /// A launch for kernels that check their accesses.
    pub fn launch(&mut self, grid: [u32; 3]) -> KernelLaunch<'_> {
        KernelLaunch { grid, args: &self.words, extents: &self.extents, bounded: true, watch: None }
    }

    /// A launch for any kernel.
    ///
    /// # Safety
    /// As for [`KernelLaunch::of_addresses`].
    pub unsafe fn launch_unchecked(&mut self, grid: [u32; 3]) -> KernelLaunch<'_> {
        KernelLaunch {
            grid,
            args: &self.words,
            extents: &self.extents,
            bounded: false,
            watch: None,
        }
    }
}

/// Fill pattern for unwritten memory, which makes reads of it detectable: the byte at an address is the pattern's byte
/// at that address modulo its length. As a float of any width it is NaN.
pub const UNWRITTEN: [u8; 8] = 0x7ff5_7ff9_7ffa_7ff6_u64.to_le_bytes();

/// A range of memory that a kernel may access: what one of its parameters points into.
#[derive(Clone, Copy, Debug)]
pub struct Extent<'a> {
    /// Its name in errors: the parameter or tensor.
    pub name: &'a str,
    /// Index of the parameter.
    pub param: usize,
    /// Address of the first byte.
    pub address: usize,
    /// Length in bytes.
    pub bytes: usize,
    /// Whether it may be written.
    pub writable: bool,
}

/// The program and source location that an error refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPoint {
    /// Program id along x, y, z.
    pub program: [u32; 3],
    /// The place in the source, where known.
    pub loc: Option<Loc>,
}

impl std::fmt::Display for ProgramPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.program;
        write!(f, "program ({x}, {y}, {z})")?;
        match &self.loc {
            Some(loc) => write!(f, " at {loc}"),
            None => Ok(()),
        }
    }
}

/// Why a launch failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The number of arguments differs from the number of parameters.
    #[error("kernel `{kernel}` takes {}, not {actual}", counted(*expected, "argument"))]
    Arguments {
        /// Kernel name.
        kernel: String,
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        actual: usize,
    },
    /// An argument that does not match its parameter.
    #[error("kernel `{kernel}`: argument {index} {reason}")]
    Argument {
        /// Kernel name.
        kernel: String,
        /// Index of the parameter.
        index: usize,
        /// The reason.
        reason: String,
    },
    /// The launch's arguments require a kernel that checks accesses.
    #[error(
        "kernel `{kernel}` was compiled without checks of its accesses; compile it with checks to have them checked"
    )]
    Unchecked {
        /// Kernel name.
        kernel: String,
    },
    /// The number of programs overflows.
    #[error("kernel `{kernel}`: a grid of {} × {} × {} programs is too large", .grid[0], .grid[1], .grid[2])]
    Grid {
        /// Kernel name.
        kernel: String,
        /// Programs along x, y, z.
        grid: [u32; 3],
    },
    /// An assertion in the kernel failed.
    #[error("{at}: assertion failed: {message}")]
    Assert {
        /// Where.
        at: ProgramPoint,
        /// The assertion's message.
        message: String,
    },
    /// A checked launch found an invalid access.
    #[error("{at}: {access}")]
    Access {
        /// Where.
        at: ProgramPoint,
        /// The fault: kind, tensor and offset.
        access: String,
    },
    /// A condition that the kernel promises (`tl.assume`) does not hold. Found by checked launches.
    #[error("{at}: the assumption does not hold")]
    Assume {
        /// Where.
        at: ProgramPoint,
    },
    /// A loop's step is zero or negative. Found by every launch.
    #[error("{at}: the step of the loop is {step}, expected a positive number")]
    Step {
        /// Where.
        at: ProgramPoint,
        /// The step.
        step: i128,
    },
    /// A gather's index is outside of its axis. Found by checked launches.
    #[error("{at}: index {index} is outside of an axis of length {length}")]
    Index {
        /// Where.
        at: ProgramPoint,
        /// The index.
        index: i128,
        /// Length of the axis.
        length: usize,
    },
    /// A program waits for a value in memory, and no other program is left to write it. Found by launches that run programs
    /// one after another.
    #[error(
        "{at}: it would wait forever for the value {expected:#x}, because programs run one after another"
    )]
    Wait {
        /// Where.
        at: ProgramPoint,
        /// The bits that the program waits for.
        expected: u64,
    },
    /// Regions and calls are nested too deeply. Found by the interpreter; compilers refuse such kernels.
    #[error("{at}: loops, branches and calls are nested deeper than {most}")]
    Nesting {
        /// Where.
        at: ProgramPoint,
        /// The depth that is possible.
        most: usize,
    },
    /// The interpreter lacks an op, or a function for some types.
    #[error("{at}: {reason}")]
    Unsupported {
        /// Where.
        at: ProgramPoint,
        /// The op or function.
        reason: String,
    },
    /// The launch's watch asked it to stop. Some programs may have run, others in part.
    #[error("kernel `{kernel}` was stopped")]
    Stopped {
        /// Kernel name.
        kernel: String,
    },
    /// The device could not run the kernel.
    #[error("kernel `{kernel}`: {reason}")]
    Device {
        /// Kernel name.
        kernel: String,
        /// The device's reason.
        reason: String,
    },
    /// There is not enough memory for temporaries.
    #[error(
        "kernel `{kernel}` needs {} of temporary memory for each thread",
        counted(*bytes, "byte")
    )]
    Memory {
        /// Kernel name.
        kernel: String,
        /// Bytes per thread.
        bytes: usize,
    },
}
