//! Properties of this machine.

use trident_simd::has;

/// The processor's brand string, or its architecture if it has none.
pub(crate) fn name() -> String {
    brand().filter(|b| !b.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The brand string from leaves 0x8000_0002 … 4 of `cpuid`.
#[cfg(target_arch = "x86_64")]
fn brand() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    let leaf = |n: u32| __cpuid(n);
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

/// Vector instruction sets that code may use, by their Linux names.
pub(crate) fn features() -> Vec<String> {
    let known: &[(&str, &str)] = match std::env::consts::ARCH {
        "x86_64" => &[
            ("avx2", "avx2"),
            ("fma", "fma"),
            ("f16c", "f16c"),
            ("avx512f", "avx512f"),
            ("avx512bw", "avx512bw"),
            ("avx512_vnni", "avx512vnni"),
            ("avx512_bf16", "avx512bf16"),
        ],
        "aarch64" => {
            &[("neon", "neon"), ("asimddp", "dotprod"), ("i8mm", "i8mm"), ("bf16", "bf16")]
        }
        _ => &[],
    };
    known.iter().filter(|(_, feature)| has(feature)).map(|(name, _)| (*name).to_owned()).collect()
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
