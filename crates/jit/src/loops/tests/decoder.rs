//! Instructions as a decoder that is not ours reads them.

use super::*;

/// The mnemonics of the instruction between loads and store.
fn names(l: &Loop) -> Vec<String> {
    let code = l.compile().unwrap();
    let lines = disassembled(&code);
    lines.iter().filter_map(|l| l.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn a_decoder_reads_what_is_meant() {
    use Binary as B;
    use Width::{Eight, Four};
    for (op, four, eight) in [
        (B::Add, "vaddps", "vaddpd"),
        (B::Sub, "vsubps", "vsubpd"),
        (B::Mul, "vmulps", "vmulpd"),
        (B::Div, "vdivps", "vdivpd"),
        (B::Max, "vmaxps", "vmaxpd"),
        (B::Min, "vminps", "vminpd"),
        (B::MaxNum, "vrangeps", "vrangepd"),
        (B::Scale, "vscalefps", "vscalefpd"),
        (B::IntAdd, "vpaddd", "vpaddq"),
        (B::IntSub, "vpsubd", "vpsubq"),
        (B::IntMul, "vpmulld", "vpmullq"),
        (B::IntMax, "vpmaxsd", "vpmaxsq"),
        (B::IntMin, "vpminsd", "vpminsq"),
        (B::UintMax, "vpmaxud", "vpmaxuq"),
        (B::UintMin, "vpminud", "vpminuq"),
        (B::And, "vpandd", "vpandq"),
        (B::Or, "vpord", "vporq"),
        (B::Xor, "vpxord", "vpxorq"),
    ] {
        for (width, name) in [(Four, four), (Eight, eight)] {
            let names = names(&one(width, |v, x, y| v.add(Value::Binary(op, x, y))));
            assert!(names.iter().any(|n| n == name), "{op:?}: {names:?}");
        }
    }
    for (op, four, eight) in [
        (Unary::Sqrt, "vsqrtps", "vsqrtpd"),
        (Unary::Floor, "vrndscaleps", "vrndscalepd"),
        (Unary::FromInt, "vcvtdq2ps", "vcvtqq2pd"),
        (Unary::ToInt, "vcvttps2dq", "vcvttpd2qq"),
        (Unary::ShiftLeft(3), "vpslld", "vpsllq"),
        (Unary::ShiftRight(3), "vpsrld", "vpsrlq"),
        (Unary::ShiftArithmetic(3), "vpsrad", "vpsraq"),
    ] {
        for (width, name) in [(Four, four), (Eight, eight)] {
            let names = names(&one(width, |v, x, _| v.add(Value::Unary(op, x))));
            assert!(names.iter().any(|n| n == name), "{op:?}: {names:?}");
        }
    }
    let fused = one(Four, |v, x, y| v.add(Value::MulAdd(x, y, y)));
    let code = disassembled(&fused.compile().unwrap()).join("\n");
    for line in [
        "mov r8,[rdi]",
        "mov r9,[rdi+8]",
        "vmovups ymm0,[r8+rax*4]",
        "vinsertf64x4 zmm0,zmm0,[r8+rax*4+20h],1",
        "vmovups ymm0,[r8+rax*4+40h]",
        "vinsertf64x4 zmm0,zmm0,[r8+rax*4+60h],1",
        "vmovups zmm0{k2}{z},[r8+rax*4]",
        "vfmadd213ps zmm0,zmm1,zmm1",
        "vmovups [r10+rax*4]{k2},zmm0",
        "add rax,40h",
        "vpbroadcastd zmm31,ecx",
        "vzeroupper",
    ] {
        assert!(code.contains(line), "no {line} in\n{code}");
    }
}

#[test]
fn stores_past_the_caches_are_whole() {
    let l = one(Width::Four, |v, x, y| v.add(Value::Binary(Binary::Add, x, y)));
    let Sink::Store { values, .. } = l.sink.clone() else { unreachable!() };
    let l = Loop { sink: Sink::Store { values, streaming: true }, ..l };
    let code = disassembled(&l.compile().unwrap()).join("\n");
    assert!(code.contains("vmovntps [r10+rax*4+40h],zmm2"), "{code}");
    assert!(code.contains("vmovups [r10+rax*4]{k2},zmm2"), "{code}");
}
