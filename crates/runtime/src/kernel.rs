//! Kernels: `tile` functions that a device has compiled, and their launches over a grid of programs.
// A launch on addresses that nobody checks is `unsafe` to make.
#![allow(unsafe_code)]

use crate::{Declined, KernelImage};
use std::marker::PhantomData;
use std::sync::Arc;
use trident_ir::{Module, Type};

/// How a kernel is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KernelOptions {
    /// What its launches look at.
    pub checks: Checks,
}

/// What launches of a kernel look at before they touch memory. The first wrong access ends a launch and does not take
/// place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checks {
    /// Nothing: a wrong access corrupts memory.
    #[default]
    None,
    /// That accesses stay inside of the known [`Extent`]s. Nearly as fast as without.
    Bounds,
    /// Bounds, alignment, reads of memory that was never written, and races between programs. Slow.
    All,
}

/// Compiles `tile` modules.
pub trait KernelCompiler: Send + Sync {
    /// Compiles the entry function of a module of level `tile`.
    fn compile_kernel(
        &self,
        module: &Module,
        options: &KernelOptions,
    ) -> Result<Arc<dyn Kernel>, Declined>;

    /// Makes a kernel from what [`Kernel::image`] gave. Devices that cannot, or find that the image is of another
    /// version or machine, refuse; the module has to be compiled then.
    fn load_kernel(&self, image: &KernelImage) -> Result<Arc<dyn Kernel>, Declined> {
        let reason = format!("{} bytes of compiled code cannot be loaded", image.bytes().len());
        Err(Declined { op: "kernel".into(), reason })
    }
}

/// A text that the compiled kernels of a device can show of themselves: which ones there are is the device's affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// What it is asked for by, such as `asm`.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
}

/// A compiled kernel.
pub trait Kernel: Send + Sync {
    /// Name of the entry function.
    fn name(&self) -> &str;

    /// Types of the entry's parameters: scalars, pointers and descriptors.
    fn params(&self) -> &[Type];

    /// For each parameter, whether the kernel may write to the memory that it points to; `None` if that is not known.
    fn written(&self) -> Option<&[bool]> {
        None
    }

    /// Bytes of temporary memory that a launch of so many programs takes, those of all threads together.
    fn temporary_bytes(&self, _programs: usize) -> usize {
        0
    }

    /// Runs every program of the grid and returns when all are done. A grid with a zero does nothing.
    fn launch(&self, launch: &KernelLaunch<'_>) -> Result<(), LaunchError>;

    /// The texts that there are.
    fn listings(&self) -> &'static [Listing] {
        &[]
    }

    /// The text of this name, where the device has one. It may compile again to make it.
    fn listing(&self, _name: &str) -> Option<String> {
        None
    }

    /// Compiled code in a form that can be kept on disk; see [`KernelCompiler::load_kernel`].
    fn image(&self) -> Option<KernelImage> {
        None
    }
}

/// One launch: a grid and an argument for each parameter.
///
/// Those of [`Arguments::launch`] hold typed memory, and a kernel that does not check its accesses refuses them. Those of
/// addresses are `unsafe` to make.
#[derive(Clone, Copy, Debug)]
pub struct KernelLaunch<'a> {
    grid: [u32; 3],
    args: &'a [u64],
    extents: &'a [Extent<'a>],
    bounded: bool,
}

impl<'a> KernelLaunch<'a> {
    /// A launch on scalars and addresses, `args` having one word for each parameter. `extents` is the memory that the
    /// kernel may touch, as far as the caller knows it; kernels that check their accesses hold to it.
    ///
    /// # Safety
    /// Whatever the kernels that get the launch touch is theirs to touch meanwhile: memory in the extents, and for kernels
    /// without checks, parameters without an extent and pointers that the kernel reads or computes, wherever they go.
    pub unsafe fn of_addresses(
        grid: [u32; 3],
        args: &'a [u64],
        extents: &'a [Extent<'a>],
    ) -> KernelLaunch<'a> {
        KernelLaunch { grid, args, extents, bounded: false }
    }

    /// The same, where the extents are all memory that the kernel may touch.
    #[must_use]
    pub fn bounded(self) -> KernelLaunch<'a> {
        KernelLaunch { bounded: true, ..self }
    }

    /// Number of programs along x, y, z.
    pub fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// One per parameter: the bits of a scalar in its type's width (upper bits are ignored), or an address.
    pub fn args(&self) -> &'a [u64] {
        self.args
    }

    /// Memory that the kernel may touch, where the caller knows it.
    pub fn extents(&self) -> &'a [Extent<'a>] {
        self.extents
    }

    /// Whether the extents are all memory that the kernel may touch: one for each pointer among the parameters, and pointers
    /// that it reads from memory or computes from integers may go nowhere else. Devices refuse such launches of kernels that
    /// do not check accesses.
    pub fn is_bounded(&self) -> bool {
        self.bounded
    }
}

/// Arguments of a launch that hold the memory which the kernel works on, in the order of its parameters.
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

    /// A number: its bits in the parameter's type.
    #[must_use]
    pub fn scalar(mut self, bits: u64) -> Arguments<'a> {
        self.words.push(bits);
        self
    }

    /// A pointer to memory that the kernel may read; errors call it `name`.
    #[must_use]
    pub fn read(self, name: &'a str, memory: &'a [u8]) -> Arguments<'a> {
        let address = memory.as_ptr().expose_provenance();
        self.array(name, address, memory.len(), false)
    }

    /// A pointer to memory that the kernel may read and write.
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
        KernelLaunch { grid, args: &self.words, extents: &self.extents, bounded: true }
    }

    /// A launch for any kernel.
    ///
    /// # Safety
    /// As for [`KernelLaunch::of_addresses`].
    pub unsafe fn launch_unchecked(&mut self, grid: [u32; 3]) -> KernelLaunch<'_> {
        KernelLaunch { grid, args: &self.words, extents: &self.extents, bounded: false }
    }
}

/// What memory that nobody has written is filled with by those who want reads of it to be found: the byte at an address
/// is that at the address modulo the length. As a float of any width it is NaN.
pub const UNWRITTEN: [u8; 8] = 0x7ff5_7ff9_7ffa_7ff6_u64.to_le_bytes();

/// A stretch of memory that a kernel may touch: what one of its parameters points into.
#[derive(Clone, Copy, Debug)]
pub struct Extent<'a> {
    /// How errors name it: the parameter or tensor.
    pub name: &'a str,
    /// Number of the parameter.
    pub param: usize,
    /// Address of the first byte.
    pub address: usize,
    /// Length.
    pub bytes: usize,
    /// Whether it may be written.
    pub writable: bool,
}

/// The place in a grid and in the source that an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPoint {
    /// Program id along x, y, z.
    pub program: [u32; 3],
    /// `file:line:column` of the source, where known.
    pub loc: Option<Arc<str>>,
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
    /// Not as many arguments as parameters.
    #[error("kernel `{kernel}` takes {expected} arguments, not {actual}")]
    Arguments {
        /// Kernel name.
        kernel: String,
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        actual: usize,
    },
    /// An argument that does not suit its parameter.
    #[error("kernel `{kernel}`: argument {index} {reason}")]
    Argument {
        /// Kernel name.
        kernel: String,
        /// Number of the parameter.
        index: usize,
        /// What is wrong.
        reason: String,
    },
    /// The launch's arguments are memory that only kernels with checks may be given.
    #[error(
        "kernel `{kernel}` was compiled without checks of its accesses, so it cannot be held to the memory of its arguments"
    )]
    Unchecked {
        /// Kernel name.
        kernel: String,
    },
    /// More programs than can be counted.
    #[error("kernel `{kernel}`: a grid of {} × {} × {} programs is too large", .grid[0], .grid[1], .grid[2])]
    Grid {
        /// Kernel name.
        kernel: String,
        /// Programs along x, y, z.
        grid: [u32; 3],
    },
    /// A condition of the kernel's own did not hold.
    #[error("{at}: assertion failed: {message}")]
    Assert {
        /// Where.
        at: ProgramPoint,
        /// What the kernel says.
        message: String,
    },
    /// A checked launch found a wrong access.
    #[error("{at}: {access}")]
    Access {
        /// Where.
        at: ProgramPoint,
        /// What was wrong: kind, tensor and offset.
        access: String,
    },
    /// Memory for temporaries is lacking.
    #[error("kernel `{kernel}` needs {bytes} bytes of temporary memory for each thread")]
    Memory {
        /// Kernel name.
        kernel: String,
        /// How much.
        bytes: usize,
    },
}
