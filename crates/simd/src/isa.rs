//! The instruction sets, and proofs that the machine has them. No other code detects the processor's features.

use std::fmt;
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use super::{F32x8, F32x16, F64x4, F64x8};
use super::{Float32, Float64, Lanes};

/// An instruction set that kernels are compiled for and that this machine has: a value comes from detection only.
///
/// They are `avx512` (AVX2 and AVX-512 F, BW, DQ, VL: 512-bit vectors), `avx2` (with FMA, F16C, LZCNT, POPCNT: 256-bit
/// vectors) and `portable`, what the target always has: SSE2 on x86-64 (products are rounded before they are added), NEON on
/// AArch64 (fused).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Isa(IsaToken);

/// An instruction set with the proof that the machine has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum IsaToken {
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// The instruction set that every machine has.
    Portable(Portable),
}

/// A token of an instruction set: whoever has one runs on a machine that has the instructions.
pub trait Simd: Copy + Send + Sync + 'static {
    /// Its vectors of `f32`.
    type F32: Float32<Isa = Self>;
    /// Its vectors of `f64`.
    type F64: Float64<Isa = Self>;

    /// The token, on the caller's word.
    ///
    /// # Safety
    /// The machine has the instruction set.
    unsafe fn assume() -> Self;

    /// A vector of equal lanes.
    #[inline(always)]
    fn splat(self, x: f32) -> Self::F32 {
        super::Vector::new(self, x)
    }

    /// A vector of the first elements; the slice must have enough.
    #[inline(always)]
    fn load(self, from: &[f32]) -> Self::F32 {
        super::Vector::load(self, from)
    }

    /// A vector of the first elements, with zeros where there are none.
    #[inline(always)]
    fn load_up_to(self, from: &[f32]) -> Self::F32 {
        super::Vector::load_up_to(self, from)
    }
}

macro_rules! token {
    ($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $name:ident, $f32:ty, $f64:ty) => {
        $(#[doc = $doc])*
        $(#[cfg($cfg)])?
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(());

        $(#[cfg($cfg)])?
        impl Simd for $name {
            type F32 = $f32;
            type F64 = $f64;

            #[inline(always)]
            unsafe fn assume() -> Self {
                Self(())
            }
        }
    };
}
token!(
    /// The token of AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    F32x16,
    F64x8
);
token!(
    /// The token of AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    F32x8,
    F64x4
);
token!(
    /// The token of what the target always has.
    Portable,
    Lanes<f32, 4>,
    Lanes<f64, 2>
);

impl Portable {
    /// Every machine has it.
    pub const TOKEN: Portable = Portable(());
}

/// The token of AVX-512 with its products of bytes.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Vnni(());

#[cfg(target_arch = "x86_64")]
impl Vnni {
    /// The token, on the caller's word.
    ///
    /// # Safety
    /// The machine has the instruction set.
    #[inline(always)]
    pub unsafe fn assume() -> Self {
        Self(())
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// Whether the machine has VNNI too.
    pub fn vnni(self) -> Option<Vnni> {
        has("avx512vnni").then_some(Vnni(()))
    }
}

impl Isa {
    /// The best instruction set of this machine.
    #[inline]
    pub fn detect() -> Self {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Self::available()[0])
    }

    /// Every instruction set that this machine can run, best first. In builds with debug assertions the environment
    /// variable `TRIDENT_ISA` removes the sets that are better than the one it names, so that tests on one machine
    /// cover them all.
    ///
    /// # Panics
    /// If `TRIDENT_ISA` is in effect and does not name an instruction set of the machine.
    pub fn available() -> Vec<Self> {
        let least = limit();
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            // Every processor with AVX2 that was made has the others too.
            let avx2 = ["avx2", "fma", "f16c", "lzcnt", "popcnt"].into_iter().all(has);
            let avx512 = ["avx512f", "avx512bw", "avx512dq", "avx512vl"].into_iter().all(has);
            if avx2 && avx512 {
                found.push(Isa(IsaToken::Avx512(Avx512(()))));
            }
            if avx2 {
                found.push(Isa(IsaToken::Avx2(Avx2(()))));
            }
        }
        found.push(Isa(IsaToken::Portable(Portable::TOKEN)));
        if let Some(wanted) = least {
            assert!(
                found[0].level() == wanted,
                "TRIDENT_ISA is \"{}\", which this machine lacks: set it to \"{}\" or less",
                wanted.name(),
                found[0].name()
            );
        }
        found
    }

    /// A short name for reports.
    pub fn name(self) -> &'static str {
        self.level().name()
    }

    /// The instruction set with its token.
    #[inline(always)]
    pub fn kind(self) -> IsaToken {
        self.0
    }

    /// The token of AVX2, if the instruction set includes it.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn avx2(self) -> Option<Avx2> {
        match self.0 {
            IsaToken::Avx512(_) => Some(Avx2(())),
            IsaToken::Avx2(token) => Some(token),
            IsaToken::Portable(_) => None,
        }
    }

    fn level(self) -> Level {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            IsaToken::Avx512(_) => Level::Avx512,
            #[cfg(target_arch = "x86_64")]
            IsaToken::Avx2(_) => Level::Avx2,
            IsaToken::Portable(_) => Level::Portable,
        }
    }
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The instruction sets by rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Portable,
    Avx2,
    Avx512,
}

impl Level {
    const ALL: [Level; 3] = [Level::Avx512, Level::Avx2, Level::Portable];

    fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// The level that a value of `TRIDENT_ISA` names.
    fn parse(name: &str) -> Result<Level, String> {
        Level::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| {
            let names = Level::ALL.map(Level::name).join(", ");
            format!("TRIDENT_ISA is \"{name}\", which is not an instruction set: it may be {names}")
        })
    }
}

/// The best level that may be used, if it is limited. A release is never limited: the environment must not change what a
/// product computes.
fn limit() -> Option<Level> {
    static LIMIT: OnceLock<Option<Level>> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        let name = std::env::var_os("TRIDENT_ISA").filter(|name| !name.is_empty())?;
        let level = || Level::parse(&name.to_string_lossy());
        cfg!(debug_assertions).then(|| level().unwrap_or_else(|message| panic!("{message}")))
    })
}

/// Defines `has(name)` by the names of features and the least level that each belongs to.
macro_rules! features {
    ($detected:ident; $($least:ident: [$($name:tt)*];)*) => {
        /// Whether code may use a feature of the processor, by Rust's name: the machine has it, and `TRIDENT_ISA` does not
        /// exclude it.
        pub fn has(feature: &str) -> bool {
            let (found, least) = match feature {
                $($($name => (std::arch::$detected!($name), Level::$least),)*)*
                _ => (false, Level::Portable),
            };
            found && limit().is_none_or(|limit| least <= limit)
        }
    };
}
// The features that generated code requires belong to the lowest level.
#[cfg(target_arch = "x86_64")]
features! { is_x86_feature_detected;
    Portable: ["sse3" "ssse3" "sse4.1"];
    Avx2: ["sse4.2" "popcnt" "avx" "avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt"];
    Avx512: ["avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vnni" "avx512bf16"];
}
#[cfg(target_arch = "aarch64")]
features! { is_aarch64_feature_detected;
    Portable: ["neon" "dotprod" "i8mm" "bf16"];
}
/// Whether code may use a feature of the processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn has(_: &str) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_comes_first() {
        let all = Isa::available();
        assert_eq!(all[0], Isa::detect());
        assert!(all.is_sorted_by_key(|isa| std::cmp::Reverse(isa.level())));
        assert_eq!(all[all.len() - 1].name(), "portable");
    }

    #[test]
    fn the_variable_limits_what_is_found() {
        let wanted = std::env::var("TRIDENT_ISA").ok().filter(|wanted| !wanted.is_empty());
        if let Some(wanted) = wanted.filter(|_| cfg!(debug_assertions)) {
            assert_eq!(Isa::detect().name(), wanted);
        }
        let avx2 = Isa::available().iter().any(|isa| isa.name() == "avx2");
        assert!(!avx2 || has("avx2") && has("fma"));
        assert!(Isa::detect().name() != "portable" || !has("avx") || limit().is_none());
    }

    #[test]
    fn unknown_names_are_refused() {
        assert_eq!(Level::parse("avx2"), Ok(Level::Avx2));
        let error = Level::parse("sse9").unwrap_err();
        assert!(error.contains("TRIDENT_ISA") && error.contains("sse9"), "{error}");
    }
}
