//! Instances.

use crate::schema::{enumeration, message};

message! {
    /// Instances of a model on one kind of device.
    pub struct ModelInstanceGroup {
        /// Its name.
        name: String,
        /// The kind of device.
        kind: InstanceKind,
        /// The number of instances; for GPUs, on each GPU.
        count: i32,
        /// The limited resources that an execution takes.
        rate_limiter: Option<ModelRateLimiter>,
        /// The GPUs.
        gpus: Vec<i32>,
        /// Further devices of each instance.
        secondary_devices: Vec<SecondaryDevice>,
        /// Optimisation profiles (TensorRT).
        profile: Vec<String>,
        /// Whether the instances get no requests from the scheduler.
        passive: bool,
        /// Name of the server's policy for processors and memory.
        host_policy: String,
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
        resources: Vec<RateLimiterResource>,
        /// Weight among the models that wait; 0 counts as 1.
        priority: u32,
    }
}

message! {
    /// A limited resource.
    pub struct RateLimiterResource {
        /// Its name.
        name: String,
        /// Whether all devices share it.
        global: bool,
        /// The amount that an execution takes.
        count: u32,
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
        kind: SecondaryDeviceKind,
        /// Its number.
        device_id: i64,
    }
}
