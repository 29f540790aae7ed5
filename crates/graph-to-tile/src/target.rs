//! Figures of the device that a lowering is for.

/// Figures that decide on the blocks and algorithms of tile functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Vectors that a program of an elementwise op computes at once, a power of two: on a GPU, one for each of its threads.
    pub block: usize,
    /// Bytes of the longest access of memory.
    pub vector: usize,
    /// Floating-point operations in the time that a byte takes from or to memory.
    pub flops_per_byte: u32,
    /// Most bytes of memory that an op may take besides its operands and results, where it can do with less.
    pub scratch: usize,
    /// Whether a unit of its own multiplies matrices of 16-bit floats, 32 factors of each sum at once.
    pub matrix_unit: bool,
}
