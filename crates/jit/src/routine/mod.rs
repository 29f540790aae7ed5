//! Routines that compiled kernels call: C functions over spans, which are contiguous elements.
//!
//! A kernel names a [`Routine`], calls the address in its [slot](Routine::slot) of the [`table`] of the instruction set
//! it runs on, and passes the arguments that the variant documents. Spans have any length and the alignment of their
//! elements. An output may be one of the inputs of the same size, but must not otherwise overlap it. Truth values are
//! bytes (0 or 1), and masks are truth values or a null pointer for "all". A routine that does not exist for a type has
//! no slot.
//!
//! Results do not depend on an element's position in a span.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use trident_ir::DType;
use trident_simd::{Isa, IsaToken};

mod atomic;
mod convert;
pub mod dot;
pub mod function;
mod memory;
mod narrow;
mod print;
mod reduce;

pub use crate::reduction::Reduction;
pub use dot::{
    Dot, DotScaled, Factor, Format, ScaledFactor, dot_scaled_scratch_bytes, dot_scratch_bytes,
};
pub use function::Function;
pub use print::Print;
pub use trident_simd::narrow::Rounding;

/// The operation of an atomic read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rmw {
    /// Adds; integers wrap around.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The greater; for floats, a NaN loses to a number.
    Max,
    /// The lesser; for floats, a NaN loses to a number.
    Min,
    /// Replaces the value.
    Exchange,
}

/// A function is shown by its name, others as in Debug.
impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Routine::Function(function) => f.write_str(function.name),
            other => write!(f, "{other:?}"),
        }
    }
}

/// A routine. Each variant states its C signature; `T` is the Rust type of the `dtype`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Routine {
    /// `fn(out: *mut Out, x0: *const In0, …, n: usize)`: a function of 1 to 4 operands, for each position.
    Function(&'static Function),
    /// `fn(out: *mut To, x: *const From, n: usize)`: converts between floats, rounding once as [`Rounding`] says, and
    /// between floats and integers (toward zero; out of range or NaN gives any value). A value that exceeds the range
    /// of an 8-bit float becomes its greatest finite value with `saturate` (infinities too), else the format's
    /// representation of infinity. `rounding` and `saturate` are [`Rounding::NearestEven`] and `false` where they do
    /// not matter.
    Convert {
        /// Element type of the input.
        from: DType,
        /// Element type of the output.
        to: DType,
        /// How to round.
        rounding: Rounding,
        /// Whether overflow saturates.
        saturate: bool,
    },
    /// `fn(args: *const Dot)`: c += a · b. See [`Dot`].
    Dot {
        /// Type that the product is computed in: `f32` or `f64`.
        wide: DType,
    },
    /// `fn(args: *const DotScaled)`: c += (a scaled) · (b scaled) for `f32` c. See [`DotScaled`].
    DotScaled,
    /// `fn(out: *mut T, x: *const T, rows: usize, n: usize, stride: usize)`: `out[r]` is the reduction of
    /// `x[r * stride..][..n]`, or the neutral element if `n` is 0. The tree of operations depends on `n` only.
    Reduce {
        /// The reduction.
        op: Reduction,
        /// Element type.
        dtype: DType,
    },
    /// `fn(former: *mut T, addresses: *const u64, values: *const T, mask: *const u8, n: usize)`: one atomic operation
    /// for each position where the mask holds, in order; `former` may be null, and is not written where the mask does
    /// not hold. All are sequentially consistent.
    AtomicRmw {
        /// The operation.
        op: Rmw,
        /// Element type.
        dtype: DType,
    },
    /// `fn(former: *mut T, addresses: *const u64, expected: *const T, values: *const T, mask: *const u8, n: usize)`:
    /// compares bits; else as [`Routine::AtomicRmw`]. `bytes` is the size of `T`: 1, 2, 4 or 8.
    AtomicCas {
        /// Size of an element in bytes.
        bytes: u8,
    },
    /// `fn(out: *mut T, addresses: *const u64, mask: *const u8, n: usize)`.
    AtomicLoad {
        /// Size of an element in bytes.
        bytes: u8,
    },
    /// `fn(addresses: *const u64, values: *const T, mask: *const u8, n: usize)`.
    AtomicStore {
        /// Size of an element in bytes.
        bytes: u8,
    },
    /// `fn(done: *mut u8, addresses: *const u64, expected: *const T, timeout: i64, n: usize)`: reads each position at
    /// least once, until it has the expected bits or `timeout` nanoseconds (negative: no limit) have passed; `done`
    /// records which positions had them.
    AtomicPoll {
        /// Size of an element in bytes.
        bytes: u8,
    },
    /// `fn(out: *mut T, addresses: *const u64, mask: *const u8, n: usize)`: reads where the mask holds and leaves the
    /// other positions of `out` unchanged.
    Gather {
        /// Size of an element in bytes.
        bytes: u8,
    },
    /// `fn(addresses: *const u64, values: *const T, mask: *const u8, n: usize)`: writes where the mask holds, in order.
    Scatter {
        /// Size of an element in bytes.
        bytes: u8,
    },
    /// `fn(out: *mut T, x: *const T, mask: *const u8, n: usize)`: copies where the mask holds; other positions of `x`
    /// are not read, and those of `out` not written. It implements both masked loads and masked stores of contiguous
    /// elements.
    CopyMasked {
        /// Size of an element in bytes.
        bytes: u8,
    },
    /// `fn(bins: *mut i32, bin_count: usize, x: *const T, mask: *const u8, n: usize)`: adds 1 to `bins[x[i]]` where the
    /// mask holds and the bin exists.
    Histogram {
        /// Element type of x, an integer.
        dtype: DType,
    },
    /// `fn(args: *const Print)`: see [`Print`].
    Print,
}

/// One entry of the table: the addresses for the instruction sets, best first, indexed by [`index`].
type Addresses = [usize; ISAS];
const ISAS: usize = 3;

fn index(isa: Isa) -> usize {
    match isa.kind() {
        #[cfg(target_arch = "x86_64")]
        IsaToken::Avx512(_) => 0,
        #[cfg(target_arch = "x86_64")]
        IsaToken::Avx2(_) => 1,
        IsaToken::Portable(_) => 2,
    }
}

struct Table {
    slots: HashMap<Routine, usize>,
    addresses: [Vec<usize>; ISAS],
}

/// Collects routines and their addresses.
struct Registry(Vec<(Routine, Addresses)>);

impl Registry {
    fn add(&mut self, routine: Routine, addresses: Addresses) {
        debug_assert!(self.0.iter().all(|(r, _)| *r != routine), "{routine:?} is there twice");
        self.0.push((routine, addresses));
    }
}

/// The addresses of a C function compiled for each instruction set:
/// `each_isa!(|s| fn(out: *mut f32, n: usize) { body })`. In the body, `s` is the token and `S` its type. The body
/// should not use closures, which might not be compiled for the instruction set.
macro_rules! each_isa {
    (fn($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        $crate::routine::each_isa!(|_s| fn($($arg: $ty),*) $body)
    };
    (|$s:ident| fn($($arg:ident: $ty:ty),* $(,)?) $body:block) => {{
        #[cfg(target_arch = "x86_64")]
        trident_simd::avx512! {
            unsafe extern "C" fn avx512($($arg: $ty),*) {
                $crate::routine::each_isa!(@body $s, trident_simd::Avx512, $body)
            }
        }
        #[cfg(target_arch = "x86_64")]
        trident_simd::avx2! {
            unsafe extern "C" fn avx2($($arg: $ty),*) {
                $crate::routine::each_isa!(@body $s, trident_simd::Avx2, $body)
            }
        }
        unsafe extern "C" fn portable($($arg: $ty),*) {
            $crate::routine::each_isa!(@body $s, trident_simd::Portable, $body)
        }
        #[cfg(target_arch = "x86_64")]
        let addresses = [avx512 as *const () as usize, avx2 as *const () as usize, portable as *const () as usize];
        #[cfg(not(target_arch = "x86_64"))]
        let addresses = [0, 0, portable as *const () as usize];
        addresses
    }};
    (@body $s:ident, $isa:ty, $body:block) => {{
        #[allow(dead_code)]
        type S = $isa;
        // SAFETY: an address from the table of an instruction set is called only where the machine has it.
        let $s = unsafe { <$isa as trident_simd::Simd>::assume() };
        $body
    }};
}
use each_isa;

/// The addresses of a C function that is compiled once; syntax as in `each_isa!`.
macro_rules! any_isa {
    (fn($($arg:ident: $ty:ty),* $(,)?) $body:block) => {{
        unsafe extern "C" fn any($($arg: $ty),*) $body
        [any as *const () as usize; 3]
    }};
}
use any_isa;

/// Casts an address of the table to the C function that its routine documents: `c_function!(address; *mut f32, usize)`.
#[cfg(test)]
macro_rules! c_function {
    ($address:expr; $($arg:ty),*) => {{
        let address: usize = $address;
        // SAFETY: the table holds addresses of C functions; calling one stays unsafe.
        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn($($arg),*)>(address) }
    }};
}
#[cfg(test)]
use c_function;

fn registry() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut found = Registry(Vec::new());
        function::register(&mut found);
        convert::register(&mut found);
        dot::register(&mut found);
        reduce::register(&mut found);
        memory::register(&mut found);
        atomic::register(&mut found);
        print::register(&mut found);
        let slots = found.0.iter().enumerate().map(|(slot, (r, _))| (*r, slot)).collect();
        let column = |i: usize| found.0.iter().map(|(_, a)| a[i]).collect();
        Table { slots, addresses: std::array::from_fn(column) }
    })
}

impl Routine {
    /// The routine's position in the [`table`], the same for every instruction set; `None` if there is no such routine.
    pub fn slot(self) -> Option<usize> {
        registry().slots.get(&self).copied()
    }
}

/// The addresses of all routines for an instruction set.
pub fn table(isa: Isa) -> &'static [usize] {
    &registry().addresses[index(isa)]
}

/// Changes whenever routines move to other slots: code that contains slots is valid for one fingerprint only.
pub fn fingerprint() -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    registry().slots.iter().map(|entry| hasher.hash_one(entry)).fold(0, u64::wrapping_add)
}
