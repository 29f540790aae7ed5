//! Kernels: `tile` functions that a device has compiled, and their launches over a grid of programs.

use crate::{Declined, KernelImage};
use std::sync::Arc;
use trident_ir::{Module, Type};

/// How a kernel is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KernelOptions {
    /// Stop a launch at the first access outside the known [`Extent`]s, misaligned access, read of memory that was never
    /// written or write race between programs. Slow.
    pub check: bool,
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

/// Texts that a compiled kernel can show of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// The code generator's own intermediate form.
    Clif,
    /// Machine code, disassembled.
    Assembly,
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

    /// Runs every program of the grid and returns when all are done. A grid with a zero does nothing.
    fn launch(&self, launch: &KernelLaunch<'_>) -> Result<(), LaunchError>;

    /// The text of this kind, where the device has one. It may compile again to make it.
    fn listing(&self, _kind: Listing) -> Option<String> {
        None
    }

    /// Compiled code in a form that can be kept on disk; see [`KernelCompiler::load_kernel`].
    fn image(&self) -> Option<KernelImage> {
        None
    }
}

/// One launch.
#[derive(Clone, Copy, Debug)]
pub struct KernelLaunch<'a> {
    /// Number of programs along x, y, z.
    pub grid: [u32; 3],
    /// One per parameter: the bits of a scalar in its type's width (upper bits are ignored), or an address.
    pub args: &'a [u64],
    /// Memory that the kernel may touch, where the caller knows it; checked launches need it.
    pub extents: &'a [Extent<'a>],
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
