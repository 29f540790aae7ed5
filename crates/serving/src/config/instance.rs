//! Instances.

use crate::schema::{enumeration, message};

message! {
    /// Instances of a model on one kind of device.
    pub struct ModelInstanceGroup {
        /// Its name.
        name: String = 1,
        /// The kind of device.
        kind: InstanceKind = 4,
        /// The number of instances; for GPUs, on each GPU.
        count: i32 = 2,
        /// The limited resources that an execution takes.
        rate_limiter: Option<ModelRateLimiter> = 6,
        /// The GPUs.
        gpus: Vec<i32> = 3,
        /// Further devices of each instance.
        secondary_devices: Vec<SecondaryDevice> = 8,
        /// Optimisation profiles (TensorRT).
        profile: Vec<String> = 5,
        /// Whether the instances get no requests from the scheduler.
        passive: bool = 7,
        /// Name of the server's policy for processors and memory.
        host_policy: String = 9,
    }
}

enumeration! {
    /// A kind of device.
    pub enum InstanceKind {
        /// GPUs if there are any, else CPUs.
        Auto = "KIND_AUTO",
        /// GPUs.
        Gpu = "KIND_GPU",
        /// CPUs.
        Cpu = "KIND_CPU",
        /// The kind that the model or its backend chooses.
        Model = "KIND_MODEL",
    }
}

message! {
    /// The limited resources that an execution takes.
    pub struct ModelRateLimiter {
        /// The resources.
        resources: Vec<RateLimiterResource> = 1,
        /// Weight among the models that wait; 0 counts as 1.
        priority: u32 = 2,
    }
}

message! {
    /// A limited resource.
    pub struct RateLimiterResource {
        /// Its name.
        name: String = 1,
        /// Whether all devices share it.
        global: bool = 2,
        /// The amount that an execution takes.
        count: u32 = 3,
    }
}

enumeration! {
    /// A kind of further device.
    pub enum SecondaryDeviceKind {
        /// A deep learning accelerator of NVIDIA.
        Nvdla = "KIND_NVDLA",
    }
}

message! {
    /// A further device of an instance.
    pub struct SecondaryDevice {
        /// Its kind.
        kind: SecondaryDeviceKind = 1,
        /// Its number.
        device_id: i64 = 2,
    }
}
