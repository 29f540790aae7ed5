//! Atomic updates, descriptors and histograms.

use super::{compare, floats, ints, noise, scalar, tensor};

#[test]
fn atomic_updates_of_many_programs() {
    let text = |dtype: &str, op: &str| {
        format!(
            "func @k tile (%x: ptr<{dtype}>[], %z: ptr<{dtype}>[]) {{
               %pid = program_id {{axis = 0}} %size = constant {{value = i32[](16)}} %start = mul(%pid, %size)
               %starts = splat(%start) : i32[16] %r = arange {{start = 0, end = 16}} %at = add(%starts, %r)
               %xs = splat(%x) : ptr<{dtype}>[16] %px = ptr_add(%xs, %at) %v = load(%px)
               %five = constant {{value = i32[16](0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0)}}
               %zs = splat(%z) : ptr<{dtype}>[16] %pz = ptr_add(%zs, %five)
               %limit = constant {{value = i32[](120)}} %limits = splat(%limit) : i32[16] %m = less(%at, %limits)
               %former = atomic_rmw(%pz, %v, %m) {{op = \"{op}\"}} return
             }}"
        )
    };
    for op in ["add", "and", "or", "xor", "max", "min", "umax", "umin"] {
        let x = ints(128, 30);
        let args = [tensor("x", &x), tensor("z", &ints(5, 31))];
        compare(&text("i32", op), [8, 1, 1], &args);
        let wide: Vec<i64> = x.iter().map(|&v| i64::from(v) << 20 ^ 0x5555).collect();
        compare(
            &text("i64", op),
            [8, 1, 1],
            &[tensor("x", &wide), tensor("z", &[1i64, -2, i64::MAX, i64::MIN, 0])],
        );
    }
    // Sums of small integers are exact in any order.
    let x: Vec<f32> = noise(128, 32).into_iter().map(|v| (v % 15) as f32 - 7.0).collect();
    compare(&text("f32", "fadd"), [8, 1, 1], &[tensor("x", &x), tensor("z", &[0f32; 5])]);
    let wide: Vec<f64> = x.iter().map(|&v| v.into()).collect();
    compare(&text("f64", "fadd"), [8, 1, 1], &[tensor("x", &wide), tensor("z", &[0f64; 5])]);
    let narrow: Vec<half::f16> = x.iter().map(|&v| half::f16::from_f32(v)).collect();
    let zeros = [half::f16::ZERO; 5];
    compare(&text("f16", "fadd"), [8, 1, 1], &[tensor("x", &narrow), tensor("z", &zeros)]);
}

#[test]
fn atomic_updates_give_former_elements() {
    let text = "func @k tile (%x: ptr<i32>[], %z: ptr<i32>[]) {
       %r = arange {start = 0, end = 32} %xs = splat(%x) : ptr<i32>[32] %px = ptr_add(%xs, %r)
       %one = constant {value = i32[](1)} %ones = splat(%one) : i32[32] %e = bitwise_and(%r, %ones)
       %a = atomic_cas(%px, %e, %r) %b = atomic_rmw(%px, %r) {op = \"exchange\"} %c = atomic_load(%px)
       %d = add(%a, %b) %o = add(%d, %c)
       %zs = splat(%z) : ptr<i32>[32] %pz = ptr_add(%zs, %r) atomic_store(%pz, %o) return
     }";
    let x: Vec<i32> = noise(32, 33).into_iter().map(|v| (v % 2) as i32).collect();
    compare(text, [1, 1, 1], &[tensor("x", &x), tensor("z", &[9i32; 32])]);
}

/// A function of a descriptor `%d` of a 3×5 tensor with rows 8 apart, in blocks of `block`; `%v` is such a block.
fn described(padding: &str, block: &str, rest: &str) -> String {
    format!(
        "func @k tile (%x: ptr<f32>[], %z: ptr<f32>[], %i: i32[], %j: i32[]) {{
           %m = constant {{value = i32[](3)}} %n = constant {{value = i32[](5)}}
           %s = constant {{value = i64[](8)}} %one = constant {{value = i64[](1)}}
           %d = make_descriptor(%x, %m, %n, %s, %one) {{padding = \"{padding}\"}} : desc<f32>{block}
           %r = arange {{start = 0, end = 16}} %f = cast(%r) {{to = f32}} %v = view(%f) : f32[4, 4]
           %rows = constant {{value = i32[4](2, -1, 0, 3)}}
           %zs = splat(%z) : ptr<f32>[16] %pz = ptr_add(%zs, %r)
           {rest} return
         }}"
    )
}

#[test]
fn descriptors_pad_reads_and_drop_writes() {
    let keep = "%f2 = view(%o) : f32[16] store(%pz, %f2)";
    let cases = [
        ("[4, 4]", format!("%o = descriptor_load(%d, %i, %j) : f32[4, 4] {keep}")),
        ("[1, 4]", format!("%o = descriptor_gather(%d, %rows, %j) : f32[4, 4] {keep}")),
        ("[4, 4]", "descriptor_store(%d, %v, %i, %j)".into()),
        ("[4, 4]", "descriptor_reduce(%d, %v, %i, %j) {op = \"add\"}".into()),
        ("[4, 4]", "descriptor_reduce(%d, %v, %i, %j) {op = \"max\"}".into()),
        ("[1, 4]", "descriptor_scatter(%d, %v, %rows, %j)".into()),
    ];
    for (block, rest) in cases {
        for padding in ["zero", "nan"] {
            for (i, j) in [(0, 0), (-1, 2), (2, -3), (1, 4), (-4, 0), (0, 5), (i32::MAX, i32::MIN)]
            {
                let args =
                    [tensor("x", &floats(24, 34)), tensor("z", &[1f32; 16]), scalar(i), scalar(j)];
                compare(&described(padding, block, &rest), [1, 1, 1], &args);
            }
        }
    }
}

#[test]
fn histograms_leave_out_what_is_masked_or_out_of_range() {
    for mask in ["", ", %m"] {
        let text = format!(
            "func @k tile (%x: ptr<i32>[], %z: ptr<i32>[]) {{
               %r = arange {{start = 0, end = 256}} %xs = splat(%x) : ptr<i32>[256] %px = ptr_add(%xs, %r) %a = load(%px)
               %limit = constant {{value = i32[](201)}} %limits = splat(%limit) : i32[256] %m = less(%r, %limits)
               %h = histogram(%a{mask}) : i32[16]
               %q = arange {{start = 0, end = 16}} %zs = splat(%z) : ptr<i32>[16] %pz = ptr_add(%zs, %q) store(%pz, %h) return
             }}"
        );
        let x: Vec<i32> = noise(256, 35).into_iter().map(|v| (v % 20) as i32 - 2).collect();
        compare(&text, [1, 1, 1], &[tensor("x", &x), tensor("z", &[9i32; 16])]);
    }
}
