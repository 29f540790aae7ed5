//! Buffers, tensors, the device interface and statistics.
