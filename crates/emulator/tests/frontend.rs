//! Texts that the compiler refuses, by rule and line; the right form beside each compiles.
#![allow(unsafe_code)] // shared helpers commit batches

mod common;

use common::Rig;
use trident_apple::metal::{CompileOptions, Diagnostic, LanguageVersion, Metal, MetalError};
use trident_emulator::{Emulator, RULES, lint};

const O: &str = "device float* o [[buffer(0)]]";
const G: &str = "uint g [[thread_position_in_grid]]";

/// A kernel with `before` on line 3, its head on line 4 and its body on line 5.
fn text(before: &str, parameters: &str, body: &str) -> String {
    format!(
        "#include <metal_stdlib>\nusing namespace metal;\n{before}\nkernel void t({parameters}) {{\n{body}\n}}\n"
    )
}

fn body(body: &str) -> String {
    text("", &format!("{O}, {G}"), body)
}

fn before(before: &str, line: &str) -> String {
    text(before, &format!("{O}, {G}"), line)
}

fn parameters(more: &str, body: &str) -> String {
    text("", &format!("{O}, {more}"), body)
}

fn errors(source: &str) -> Vec<Diagnostic> {
    match Rig::new(source, false) {
        Ok(_) => Vec::new(),
        Err(MetalError::Compile(found)) => found,
        Err(error) => panic!("{error}\n{source}"),
    }
}

/// The wrong text is refused on a line, by a rule or with a message; the right one compiles.
#[track_caller]
fn pair(rule: &str, wrong: &str, line: u32, right: &str) {
    let found = errors(wrong);
    let hit = |d: &Diagnostic| d.line == line && (d.rule == Some(rule) || d.message.contains(rule));
    assert!(found.iter().any(hit), "{rule}, line {line}: {found:#?}\n{wrong}");
    assert_eq!(errors(right), [], "{right}");
}

#[test]
fn address_spaces() {
    let rule = "address-space";
    pair(rule, &body("float* p = o;\np[0] = 1;"), 5, &body("device float* p = o;\np[0] = 1;"));
    pair(
        rule,
        &before("void f(float* p) { p[0] = 1; }", "f(o);"),
        3,
        &before("void f(device float* p) { p[0] = 1; }", "f(o);"),
    );
    let right = body("float x = 0;\nthread float& r = x;\no[0] = r;");
    pair(rule, &body("float x = 0;\nfloat& r = x;\no[0] = r;"), 6, &right);
    pair(rule, &body("o[0] = *((float*)(o + 1));"), 5, &body("o[0] = *((device float*)(o + 1));"));
    pair(
        rule,
        &body("o[0] = *reinterpret_cast<const uint*>(o);"),
        5,
        &body("o[0] = *reinterpret_cast<device const uint*>(o) * g & g;"),
    );
    pair(
        rule,
        &before("struct S {\nfloat* p; };", "o[0] = 1;"),
        4,
        &before("struct S {\ndevice float* p; };", "o[0] = 1;"),
    );
    pair(
        rule,
        &before("float f(float (&a)[2]) { return a[0]; }", "float a[2] = {1, 2};\no[0] = f(a);"),
        3,
        &before(
            "float f(thread float (&a)[2]) { return a[0]; }",
            "float a[2] = {1, 2};\no[0] = f(a);",
        ),
    );
    // Conversions, which clang refuses.
    let c = "constant float* c [[buffer(1)]]";
    pair(
        "cannot initialize",
        &body("thread float* p = o;\np[0] = 1;"),
        5,
        &body("float x;\nthread float* p = &x;\np[0] = 1;"),
    );
    pair(
        "cannot initialize",
        &parameters(c, "device const float* p = c;\no[0] = p[0];"),
        5,
        &parameters(c, "constant float* p = c;\no[0] = p[0];"),
    );
    pair(
        "cannot initialize",
        &body("constant float* p = o;\no[1] = p[0];"),
        5,
        &body("device const float* p = o;\no[1] = p[0];"),
    );
    for wrong in [
        "threadgroup float* p = o;\np[0] = 1;",
        "threadgroup float s[4];\ndevice float* p = s;\np[0] = 1;",
        "float x;\ndevice float* p = &x;\np[0] = 1;",
        "float x;\nthreadgroup float* p = &x;\np[0] = 1;",
    ] {
        assert!(!errors(&body(wrong)).is_empty(), "{wrong}");
    }
    assert!(!errors(&text("", "float* o [[buffer(0)]]", "o[0] = 1;")).is_empty());
    assert!(!errors(&parameters("constant float* c [[buffer(1)]]", "c[0] = 1;")).is_empty());
    let helper = "void f(device float* p) { threadgroup float s[4]; s[0] = 1; p[0] = s[0]; }";
    assert!(!errors(&before(helper, "f(o);")).is_empty());
}

#[test]
fn declarations_and_words() {
    let one = "o[0] = 1;";
    pair(
        "program-variable",
        &before("float x;", "x = 1; o[0] = x;"),
        3,
        &before("constant float x = 1;", "o[0] = x;"),
    );
    pair(
        "program-variable",
        &before("constant float x;", "o[0] = x;"),
        3,
        &before("constant constexpr float x = 2;", "o[0] = x;"),
    );
    pair("long-long", &body("long long x = 0;\no[0] = x;"), 5, &body("long x = 0;\no[0] = x;"));
    pair("goto", &body("goto e;\ne: o[1] = 2;"), 5, &body("if (g > 1) return;\no[1] = 2;"));
    pair(
        "derived-class",
        &before("struct S { float x; };struct B : S {};", one),
        3,
        &before("struct S { float x; };struct B { S s; };enum E : uint { a };", one),
    );
    pair(
        "lambda",
        &body("auto f = [](float x) { return x; };\no[0] = f(1);"),
        5,
        &body("float f[2] = {1, 2};\no[0] = f[1];"),
    );
    let lambda = body("auto f = [](float x) { return x; };\no[0] = f(1);");
    assert_eq!(lint(&lambda, LanguageVersion::V3_2), []);
    let tensors = "#include <metal_stdlib>\n#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n\
                   using namespace mpp;";
    let rules = |version| -> Vec<_> {
        let found = lint(tensors, version).into_iter().filter_map(|found| found.rule);
        found.collect()
    };
    assert_eq!(rules(LanguageVersion::V3_2), ["tensor"]);
    assert_eq!(rules(LanguageVersion::V4_0), [""; 0]);
    pair("include", &body("using namespace mpp;"), 5, &body(one));
    pair("include", "kernel void t() {}", 1, &body(one));
    pair(
        "include",
        "#include <metal_stdlib>\n#include <vector>\nkernel void t() {}",
        2,
        &body(one),
    );
    pair("reserved-word", &body("throw 1;"), 5, &body(one));
    for wrong in [
        body("float* p = new float; *p = 1;"),
        before("struct S { virtual void f(); };", one),
        before("thread_local float x;", one),
        body("double x = o[0];\no[0] = x;"),
        body("int2 a; a.x = 1; uint2 b = a; o[0] = b.x;"),
        body("float4 a = float4(1.0f); a.xx = float2(1, 2); o[0] = a.x;"),
    ] {
        assert!(!errors(&wrong).is_empty(), "{wrong}");
    }
}

#[test]
fn vectors_of_another_language() {
    let literal = |list: &str| body(&format!("float4 v = {list};\no[0] = v.x;"));
    pair(
        "vector-literal",
        &literal("(float4)(1, 2, 3, 4)"),
        5,
        &literal("(float4)(float4(1, 2, 3, 4))"),
    );
    let component = |name: &str| body(&format!("float4 v = float4(o[0]);\no[0] = v.{name};"));
    pair("vector-component", &component("s0"), 6, &component("x"));
    let member = before("struct S { float s1; };", "S s; s.s1 = 1;\no[0] = s.s1;");
    assert_eq!(errors(&member), []);
    let truth = |e: &str| {
        body(&format!(
            "float4 v = float4(o[0]);\nv = {e};\no[0] = v.x + float4(g >> 1u).x + float4(g << 1u).y;"
        ))
    };
    pair(
        "vector-comparison",
        &truth("float4(v < 1.0f)"),
        6,
        &truth("select(float4(0), float4(1), v < 1.0f)"),
    );
    pair(
        "vector-comparison",
        &truth("float4(v != 0.0f)"),
        6,
        &truth("float4(v.x > 0.0f ? 1.0f : 0.0f)"),
    );
    pair(
        "static-variable",
        &body("static float x;\no[0] = x;"),
        5,
        &before("constant float x = 1;", "o[0] = x;"),
    );
}

#[test]
fn signatures_of_kernels() {
    let one = "o[0] = 1;";
    let n = |ty: &str| parameters(&format!("constant {ty}& n [[buffer(1)]]"), "o[0] = n;");
    pair("size-argument", &n("size_t"), 4, &n("ulong"));
    let s = |ty: &str| {
        text(
            &format!("struct S {{ {ty} n; }};"),
            &format!("{O}, constant S& s [[buffer(1)]]"),
            "o[0] = s.n;",
        )
    };
    pair("size-argument", &s("ptrdiff_t"), 4, &s("long"));
    let p =
        |index: u32| parameters(&format!("device float* p [[buffer({index})]]"), "o[0] = p[0];");
    pair("buffer-index", &p(0), 4, &p(1));
    pair("buffer-index", &p(31), 4, &p(30));
    let types = |a: &str, b: &str| {
        let more =
            format!("{a} a [[thread_position_in_threadgroup]], {b} b [[threads_per_threadgroup]]");
        parameters(&more, one)
    };
    pair("position-type", &types("ushort", "uint"), 4, &types("ushort", "ushort"));
    pair("position-type", &types("int", "int"), 4, &types("uint3", "uint3"));
    let widths = |a: &str, b: &str| {
        let more =
            format!("{a} a [[thread_position_in_grid]], {b} b [[threadgroup_position_in_grid]]");
        parameters(&more, one)
    };
    pair("position-width", &widths("uint2", "uint3"), 4, &widths("uint2", "uint2"));
    pair("position-width", &widths("uint", "uint3"), 4, &widths("uint", "uint"));
    let simd = |a: &str, b: &str| {
        let more = format!(
            "{a} a [[thread_index_in_simdgroup]], {b} b [[simdgroup_index_in_threadgroup]]"
        );
        parameters(&more, one)
    };
    pair("simdgroup-type", &simd("ushort", "uint"), 4, &simd("ushort", "ushort"));
    pair("kernel-result", &body(one).replace("kernel void", "kernel int"), 4, &body(one));
    let overload = "kernel void t(device int* o [[buffer(0)]]) { o[0] = 1; }";
    pair("kernel-name", &before(overload, one), 4, &before(&overload.replace("t(", "u("), one));
    pair(
        "kernel-argument",
        &parameters("thread float* p [[buffer(1)]]", one),
        4,
        &parameters("device float* p [[buffer(1)]]", one),
    );
    pair(
        "kernel-argument",
        &parameters("uint n [[buffer(1)]]", one),
        4,
        &parameters("constant uint& n [[buffer(1)]]", one),
    );
    pair(
        "no attribute",
        &parameters("uint n", one),
        4,
        &parameters("uint n [[threads_per_simdgroup]]", one),
    );
}

#[test]
fn types_of_library_functions() {
    let vector = |list: &str| body(&format!("float4 a = float4({list});\no[0] = a.w;"));
    pair(
        "exactly as many components",
        &vector("1.0f, 2.0f"),
        5,
        &vector("1.0f, float2(2.0f), 3.0f"),
    );
    pair(
        "exactly as many components",
        &body("float2 a = float2(1.0f, 2.0f, 3.0f); o[0] = a.x;"),
        5,
        &body("float2 a = float2(1.0f); o[0] = a.x;"),
    );
    let simd = "functions of a simdgroup take";
    let broadcast = |ty: &str| body(&format!("{ty} b = ({ty})g;\no[0] = simd_broadcast(b, 1);"));
    pair(simd, &broadcast("bool"), 6, &broadcast("ushort"));
    let sum = |ty: &str| body(&format!("{ty} b = g;\no[0] = simd_sum(b);"));
    pair(simd, &sum("ulong"), 6, &sum("uint"));
    let shuffle = |ty: &str| body(&format!("{ty} b = g;\no[0] = simd_shuffle(b, 1);"));
    pair(simd, &shuffle("long"), 6, &shuffle("int"));
    pair(simd, &shuffle("bfloat"), 6, &shuffle("half"));
    assert!(!errors(&shuffle("bool")).is_empty());
    let max = |ty: &str| body(&format!("{ty} b = {ty}(o[0]);\no[0] = max(b, b);"));
    pair("max takes half", &max("bfloat"), 6, &max("half"));
    let exp = |ty: &str| body(&format!("{ty} b = {ty}(o[0]);\no[0] = exp(b);"));
    pair("no matching function", &exp("bfloat"), 6, &exp("half"));
    let matrix = |ty: &str| {
        body(&format!(
            "auto m = make_filled_simdgroup_matrix<{ty}, 8, 8>(0);\nsimdgroup_store(m, (device {ty}*)o);"
        ))
    };
    pair("elements of half, bfloat or float", &matrix("int"), 5, &matrix("float"));
    let size = |n: u32| {
        body(&format!(
            "simdgroup_matrix<float, {n}, {n}> m = simdgroup_matrix<float, {n}, {n}>(1);\nsimdgroup_store(m, o);"
        ))
    };
    pair("are 8x8", &size(16), 5, &size(8));
}

#[test]
fn atomics() {
    let add = "atomic_fetch_add_explicit(&s, 1, memory_order_relaxed);\no[0] = 1;";
    pair(
        "threadgroup-atomic-float",
        &body(&format!("threadgroup atomic_float s;\n{add}")),
        5,
        &body(&format!("threadgroup atomic_uint s;\n{add}")),
    );
    let max = |ty: &str| {
        text(
            "",
            &format!("device atomic_{ty}* p [[buffer(0)]]"),
            "atomic_fetch_max_explicit(p, 1, memory_order_relaxed);",
        )
    };
    pair("no atomic_fetch_max_explicit of this type", &max("float"), 5, &max("int"));
    pair("no atomic_fetch_max_explicit of this type", &max("ulong"), 5, &max("uint"));
    let add = |ty: &str, order: &str| {
        text(
            "",
            &format!("device {ty}* p [[buffer(0)]]"),
            &format!("atomic_fetch_add_explicit(p, 1u, memory_order_{order});"),
        )
    };
    assert_eq!(errors(&add("atomic_uint", "relaxed")), []);
    assert!(!errors(&add("uint", "relaxed")).is_empty());
    assert!(!errors(&add("atomic_uint", "seq_cst")).is_empty());
    assert!(!errors(&text("", "device atomic_uint* p [[buffer(0)]]", "p[0] = 1u;")).is_empty());
}

#[test]
fn lines_of_errors_are_those_of_the_python_source() {
    let found = errors(&body("#line 7 \"k.py\"\no[0] = y;"));
    assert_eq!((&*found[0].file, found[0].line), ("k.py", 7));
    let found = errors(&body("#line 7 \"k.py\"\ngoto e;\ne: o[0] = 1;"));
    assert_eq!(found[0].to_string(), "k.py:7: `goto` does not exist in Metal [goto]");
    let found = errors(&body("#line 9 \"k.py\"\no[0] = simd_sum(1ul);"));
    assert_eq!((&*found[0].file, found[0].line), ("k.py", 9), "{found:?}");
}

#[test]
fn each_rule_has_a_case() {
    let cases = include_str!("frontend.rs");
    for rule in RULES {
        let quoted = format!("\"{}\"", rule.name);
        assert!(cases.contains(&quoted), "{} has no case", rule.name);
        assert!(!rule.what.is_empty());
    }
}

#[test]
fn without_clang_the_device_says_what_is_missing() {
    // The variable is read when the device opens, so this test runs in a process of its own.
    if std::env::var_os("TRIDENT_TEST_WITHOUT_CLANG").is_some() {
        let error = Emulator::new(common::options(false)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("`/nowhere/clang` does not run"), "{text}");
        assert!(text.contains("hint: install clang 22"), "{text}");
        return;
    }
    let program = std::env::current_exe().unwrap();
    let mut test = std::process::Command::new(program);
    test.args(["--exact", "without_clang_the_device_says_what_is_missing"]);
    test.env("TRIDENT_CLANG", "/nowhere/clang").env("TRIDENT_TEST_WITHOUT_CLANG", "1");
    assert!(test.output().unwrap().status.success());
    let emulator = Emulator::new(common::options(false)).unwrap();
    assert!(emulator.library("", &CompileOptions::default()).is_err());
}
