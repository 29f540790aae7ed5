//! The device `mps` of PaddlePaddle: a plug-in that Paddle loads, and that links nothing of Paddle.
//!
//! Paddle loads the library from the folder `CUSTOM_DEVICE_ROOT` and calls `InitPlugin` (module `abi::plugin`), which fills in the
//! callbacks of the device and registers the kernels of `kernels.txt`. A kernel call selects a compiled function by the kernel,
//! its element types, ranks and attributes (module `compiled`), and runs it on Paddle's tensors in place (module `launch`).
//! Moves of elements that know strides and types without arithmetic are in module `moves`, random numbers in module
//! `random`, tensors that are made from numbers in module `makes`, and complex numbers in module `complex`.
//!
//! All unsafe code is in `abi`, which wraps Paddle's pointers.

mod abi;
mod argument;
mod compiled;
mod complex;
mod device;
mod element;
mod extents;
mod failure;
mod indexed;
mod inferred;
mod kernel;
mod launch;
mod makes;
mod moves;
mod named;
mod numbers;
mod random;
