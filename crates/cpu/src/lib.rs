//! The CPU device: kernels for graph ops.
