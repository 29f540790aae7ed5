//! The base shared by engine and devices: buffers and their pool, tensors and other values, the device interface,
//! kernels with their launches and stored images, errors.

pub mod buffer;
pub mod cost;
mod declined;
pub mod device;
pub mod device_entry;
pub mod error;
pub mod fence;
pub mod foreign;
#[cfg(not(all(test, feature = "models")))]
pub mod fork;
pub mod kernel;
pub mod pending;
pub mod queued;
pub mod seal;
pub mod shapes;
pub mod shared;
mod shared_mapping;
pub mod stream;
mod strings;
pub mod switch;
mod sync;
pub mod tensor;
pub mod value;
pub mod vault;
mod view;

pub use buffer::{
    Arena, Buffer, Charge, GivenBack, HostMemory, MemoryProvider, MemoryStats, PAGE, Pages, Pool,
    PoolSettings, PoolSettingsError, PoolStats, Segment, buffer_size,
};
pub use cost::{Cost, Rates};
pub use declined::Declined;
pub use device::{
    Admission, AdmissionRequest, Claim, Device, DeviceInfo, Executable, Handover, Launch,
    LaunchLimits, StopCheck, Unit,
};
pub use device_entry::{
    Ability, DeviceEntry, DeviceError, DeviceSettings, ForKernels, GpuLimits, ModelChoice,
    OpenKernels, OpenModels,
};
pub use error::{KernelError, caught};
pub use fence::{Fence, Timeline};
pub use foreign::{AliasGroup, ByteSource, ForeignBytes, ForeignMemory, Owner};
#[cfg(not(all(test, feature = "models")))]
pub use fork::ForkMutex;
pub use kernel::{
    Arguments, Checks, CompileError, Extent, Kernel, KernelCompiler, KernelLaunch, KernelOptions,
    LaunchError, Listing, ProgramPoint, UNWRITTEN, Watch,
};
pub use pending::{Later, Promise};
pub use queued::{Queued, QueuedOptions};
pub use seal::{KernelImage, Key, SealError, UnsealedKernel};
pub use shapes::{OpShapes, OutputShape};
pub use shared::{HeldBuffer, LaunchMark, OwnBuffer, ReachedMemory, SharedGpu, SharedGpuError};
pub use shared_mapping::SharedMapping;
pub use stream::{Immediate, Outputs, Stream, Submitted};
pub use strings::StringWriter;
pub use switch::{SwitchError, switch};
pub use tensor::{Recall, Tensor};
pub use value::{MapValue, Value};
pub use vault::{Vault, VaultClaim, VaultError};
pub use view::{TensorView, TensorViewMut};
