//! What this machine is and roughly does.

/// Operations a second of one thread, for estimates: what products of matrices reach with 256-bit vectors.
pub(crate) const FLOPS: f64 = 40e9;
/// Bytes a second from memory, for estimates.
pub(crate) const BANDWIDTH: f64 = 15e9;
/// Nanoseconds from one op to the next, for estimates.
pub(crate) const LAUNCH_NANOS: f64 = 500.0;

/// What the processor calls itself; its architecture where it does not tell.
pub(crate) fn name() -> String {
    brand().filter(|b| !b.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The brand string of the leaves 0x8000_0002 … 4 of `cpuid`.
#[cfg(target_arch = "x86_64")]
fn brand() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    #[allow(unused_unsafe)] // newer toolchains call it safe
    // SAFETY: every x86-64 processor has `cpuid`.
    let leaf = |n: u32| unsafe { __cpuid(n) };
    if leaf(0x8000_0000).eax < 0x8000_0004 {
        return None;
    }
    let words = (0x8000_0002..=0x8000_0004).flat_map(|n| {
        let r = leaf(n);
        [r.eax, r.ebx, r.ecx, r.edx]
    });
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).take_while(|b| *b != 0).collect();
    Some(String::from_utf8_lossy(&bytes).trim().to_owned())
}

#[cfg(not(target_arch = "x86_64"))]
fn brand() -> Option<String> {
    None
}

/// Vector instruction sets of the processor, by the names that Linux gives them.
pub(crate) fn features() -> Vec<String> {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("f16c", is_x86_feature_detected!("f16c")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512bw", is_x86_feature_detected!("avx512bw")),
        ("avx512_vnni", is_x86_feature_detected!("avx512vnni")),
        ("avx512_bf16", is_x86_feature_detected!("avx512bf16")),
    ];
    #[cfg(target_arch = "aarch64")]
    let found = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("asimddp", std::arch::is_aarch64_feature_detected!("dotprod")),
        ("i8mm", std::arch::is_aarch64_feature_detected!("i8mm")),
        ("bf16", std::arch::is_aarch64_feature_detected!("bf16")),
    ];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let found: [(&str, bool); 0] = [];
    found.into_iter().filter(|(_, has)| *has).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_a_name() {
        assert!(!name().is_empty() && !name().contains('\0'));
        assert!(features().iter().all(|f| !f.is_empty()));
    }
}
