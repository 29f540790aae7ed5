//! The machine that code is generated for, and the invocation of Cranelift.

use std::sync::{Arc, OnceLock};

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Function, Signature, UserFuncName, types};
use cranelift_codegen::isa::{self, TargetFrontendConfig, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use trident_ir::{Module, decompose};
use trident_runtime::{Checks, Declined, Listing};
use trident_simd::{Isa, has};

use super::emit::{self, Emitted};

/// Machine code with its metadata.
pub(super) struct Compiled {
    pub(super) code: Vec<u8>,
    pub(super) emitted: Emitted,
    pub(super) listing: Option<String>,
}

/// The refusal of a module's kernel.
fn declined(module: &Module, reason: impl ToString) -> Declined {
    let kernel = module.entry().map_or("", |entry| &entry.name);
    Declined::kernel(kernel, reason.to_string())
}

/// The error of code that cannot be generated for a valid kernel.
fn internal(module: &Module, reason: &dyn std::fmt::Display) -> Declined {
    declined(module, format!("internal error: {reason}; please report it with the kernel"))
}

/// Cranelift's name of the machine's architecture.
const ARCH: &str = std::env::consts::ARCH;

/// 64-bit x86 features that code uses, by Cranelift's name and the processor manual's.
const FEATURES: [(&str, &str); 11] = [
    ("has_sse3", "sse3"),
    ("has_ssse3", "ssse3"),
    ("has_sse41", "sse4.1"),
    ("has_sse42", "sse4.2"),
    ("has_popcnt", "popcnt"),
    ("has_avx", "avx"),
    ("has_avx2", "avx2"),
    ("has_fma", "fma"),
    ("has_bmi1", "bmi1"),
    ("has_bmi2", "bmi2"),
    ("has_lzcnt", "lzcnt"),
];

/// The features that the processor has.
fn features() -> Vec<&'static str> {
    let used = FEATURES.into_iter().filter(|(_, feature)| ARCH == "x86_64" && has(feature));
    used.map(|(name, _)| name).collect()
}

/// A key of everything that code depends on: code runs on every machine with the same key.
pub(super) fn key(level: Isa) -> String {
    let version = concat!(env!("CARGO_PKG_VERSION"), " ", env!("TRIDENT_TILE_SOURCES"));
    format!("{ARCH} {} {} {version}", level.name(), features().join(" "))
}

/// Cranelift's target for this machine; an error unless it has instructions for operations that would otherwise be
/// calls of a C library: rounding and, with `fma`, the fused product.
fn isa() -> Result<Arc<dyn TargetIsa>, String> {
    static ISA: OnceLock<Result<Arc<dyn TargetIsa>, String>> = OnceLock::new();
    let built = ISA.get_or_init(|| {
        let features = features();
        if ARCH == "x86_64" && !features.contains(&"has_sse41") {
            return Err("the processor lacks SSE 4.1".into());
        }
        isa_with(&features)
    });
    built.clone()
}

fn isa_with(features: &[&str]) -> Result<Arc<dyn TargetIsa>, String> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("enable_probestack", "false"),
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).map_err(|e| e.to_string())?;
    }
    let mut builder = isa::lookup_by_name(ARCH).map_err(|e| e.to_string())?;
    for feature in features {
        builder.enable(feature).map_err(|e| e.to_string())?;
    }
    builder.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
}

const CLIF: Listing = Listing { name: "clif", about: "The code generator's own intermediate form" };
const ASSEMBLY: Listing = Listing { name: "asm", about: "Machine code, disassembled" };

/// Listings that compiled kernels can show.
pub(super) const LISTINGS: &[Listing] = &[CLIF, ASSEMBLY];

/// The entry function of a kernel, without its code.
fn entry(config: TargetFrontendConfig) -> Function {
    let mut signature = Signature::new(config.default_call_conv);
    signature.params.extend([AbiParam::new(types::I64); 5]);
    signature.returns.push(AbiParam::new(types::I64));
    Function::with_name_signature(UserFuncName::user(0, 0), signature)
}

/// Whether [`loops`](super::loops) can generate code for the instruction set.
fn has_loops(level: Isa) -> bool {
    level.name() == "avx512"
}

/// Generates the machine code of a module's entry.
pub(super) fn compile(
    module: &Module,
    level: Isa,
    checks: Checks,
    listing: Option<Listing>,
) -> Result<Compiled, Declined> {
    let isa = isa().map_err(|reason| declined(module, reason))?;
    let config = isa.frontend_config();
    let mut context = cranelift_codegen::Context::for_function(entry(config));
    let wanted = listing.is_some();
    let lowered =
        decompose::lower(module, &|_| false).map_err(|reason| declined(module, reason))?;
    let module = lowered.as_ref().unwrap_or(module);
    let (emitted, loops) =
        emit::emit(module, has_loops(level), checks, wanted, config, &mut context.func)?;
    if listing == Some(CLIF) {
        let listing = Some(format!("{}{}", emitted.loops, context.func.display()));
        return Ok(Compiled { code: vec![], emitted, listing });
    }
    context.set_disasm(listing == Some(ASSEMBLY));
    let compiled = context
        .compile(&*isa, &mut ControlPlane::default())
        .map_err(|e| internal(module, &e.inner))?;
    if let Some(reloc) = compiled.buffer.relocs().first() {
        return Err(internal(module, &format!("code is not self-contained: {reloc:?}")));
    }
    let code = [&loops, compiled.code_buffer()].concat();
    let listing = compiled.vcode.as_ref().map(|text| format!("{}{text}", emitted.loops));
    Ok(Compiled { code, emitted, listing })
}

/// The decisions of code generation for a module's entry, as in [`Emitted::decisions`], with or without loops in the
/// widest vectors, and the stack that its code uses for spilled and saved registers. The result does not depend on this
/// machine.
#[cfg(all(test, target_arch = "x86_64"))]
pub(super) fn decisions(module: &Module, loops: bool) -> Result<Vec<String>, Declined> {
    let isa =
        isa_with(&FEATURES.map(|(name, _)| name)).map_err(|reason| declined(module, reason))?;
    let lowered =
        decompose::lower(module, &|_| false).map_err(|reason| declined(module, reason))?;
    let module = lowered.as_ref().unwrap_or(module);
    let config = isa.frontend_config();
    let mut context = cranelift_codegen::Context::for_function(entry(config));
    let function = &mut context.func;
    let (emitted, _) = emit::emit(module, loops, Checks::Bounds, true, config, function)?;
    let slots: u32 = function.sized_stack_slots.values().map(|slot| slot.size).sum();
    let compiled = context.compile(&*isa, &mut ControlPlane::default());
    let compiled = compiled.map_err(|e| internal(module, &e.inner))?;
    let frame = compiled.buffer.frame_layout().map_or(0, |frame| frame.frame_to_fp_offset);
    let mut decisions = emitted.decisions;
    decisions.push(format!("stack: {} bytes of spilled and saved registers", frame - slots));
    Ok(decisions)
}
