//! Products whose slices along k follow each other in a loop, which reads the factors' elements: the same bits as at level tile,
//! and no race where memory is written before or after.

use trident_ir::Module;
use trident_tile_to_lane::{self as lane, GpuFigures};

use super::generate::Tensor;
use super::run;

/// A product of an [m, k] and a [k, n] matrix, which are loaded for it.
#[derive(Clone, Copy, Debug)]
struct Case {
    own: &'static str,
    dims: [usize; 3],
    /// Whether the right factor lies in memory by columns.
    transposed: bool,
    /// Whether the rows of the left factor are multiplied by numbers of another load.
    scaled: bool,
    /// The writes to the left factor's memory: none, or zeros before or after the product.
    writes: Option<bool>,
}

impl Case {
    fn sum(self) -> &'static str {
        if self.own.starts_with('i') { "i32" } else { "f32" }
    }

    /// Numbers below 8 at these places of a tensor, if they are inside, as a matrix.
    fn factor(self, name: &str, [rows, columns]: [usize; 2]) -> String {
        let (own, len) = (self.own, rows * columns);
        format!(
            "    %{name}n = arange {{start = 0, end = {len}}}\n    %{name}i = splat(%i) : i32[{len}]\n\
             %{name}at = add(%{name}n, %{name}i)\n    %{name}s = splat(%{name}) : ptr<i32>[{len}]\n\
             %{name}p = ptr_add(%{name}s, %{name}at)\n    %{name}b = splat(%most) : i32[{len}]\n\
             %{name}in = less(%{name}n, %{name}b)\n    %{name}o = splat(%three) : i32[{len}]\n\
             %{name}l = load(%{name}p, %{name}in, %{name}o)\n\
             %{name}7 = splat(%seven) : i32[{len}]\n    %{name}and = bitwise_and(%{name}l, %{name}7)\n\
             %{name}f = cast(%{name}and) {{to = f32}}\n    %{name}x = cast(%{name}f) {{to = {own}}}\n\
             %{name}v = view(%{name}x) : {own}[{rows}, {columns}]\n"
        )
    }

    /// Three such products are added up, each of other elements.
    fn text(self) -> String {
        let Case { own, dims: [m, n, k], .. } = self;
        let sum = self.sum();
        let mut body = self.factor("a", [m, k]);
        let (mut left, mut right) = ("%av", "%bv");
        let zeros =
            format!("    %none = splat(%zero) : i32[{0}]\n    store(%ap, %none, %ain)\n", m * k);
        if self.scaled {
            body += &self.factor("s", [m, 1]);
            body += &format!(
                "    %rows = broadcast(%sv) : {own}[{m}, {k}]\n    %scaled = mul(%av, %rows)\n"
            );
            left = "%scaled";
        }
        if self.transposed {
            body += &self.factor("b", [n, k]);
            body += "    %bt = permute(%bv) {order = [1, 0]}\n";
            right = "%bt";
        } else {
            body += &self.factor("b", [k, n]);
        }
        if self.writes == Some(false) {
            body += &zeros;
        }
        body += &format!("    %d = dot({left}, {right}, %t)\n");
        if self.writes == Some(true) {
            body += &zeros;
        }
        format!(
            "func @f tile (%a: ptr<i32>[], %b: ptr<i32>[], %s: ptr<i32>[], %c: ptr<i32>[], %bound: i32[]) {{\n\
             %zero = constant {{value = i32[](0)}}\n  %three = constant {{value = i32[](3)}}\n\
             %one = constant {{value = i32[](1)}}\n  %seven = constant {{value = i32[](7)}}\n  %most = mul(%bound, %seven)\n\
             %begin = constant {{value = {sum}[](2)}}\n  %begins = splat(%begin) : {sum}[{m}, {n}]\n\
             %total = for(%zero, %three, %one, %begins) region (%i: i32[], %t: {sum}[{m}, {n}]) {{\n{body}    yield %d\n  }}\n\
             %whole = cast(%total) {{to = i32}}\n  %flat = view(%whole) : i32[{0}]\n\
             %cn = arange {{start = 0, end = {0}}}\n  %cs = splat(%c) : ptr<i32>[{0}]\n\
             %cp = ptr_add(%cs, %cn)\n  store(%cp, %flat)\n  return\n}}\n",
            m * n
        )
    }

    fn tensors(self) -> Vec<Tensor> {
        let [m, n, k] = self.dims;
        let tensor = |(name, len): (&str, usize)| Tensor {
            name: name.to_owned(),
            elements: (0..len + 4).map(|i| (i * 7 + i / 5 + len) as i32).collect(),
        };
        [("a", m * k), ("b", k * n), ("s", m), ("c", m * n)].map(tensor).into()
    }

    /// Compares both levels; whether slices follow each other in a loop.
    fn check(self, figures: &GpuFigures) -> bool {
        let text = self.text();
        let module: Module = text.parse().unwrap_or_else(|e| panic!("{self:?}: {e}\n{text}"));
        module.verify().unwrap_or_else(|e| panic!("{self:?}: {e}\n{text}"));
        let lowered = lane::lower(&module, figures).unwrap_or_else(|e| panic!("{self:?}: {e}"));
        let tensors = self.tensors();
        let expected =
            run(&module, &tensors, [1, 1, 1]).unwrap_or_else(|e| panic!("{self:?}: {e}\n{text}"));
        let found = run(&lowered.module, &tensors, [1, 1, 1])
            .unwrap_or_else(|e| panic!("{self:?}: {e}\n{}{}", lowered.plan, lowered.module));
        let differs = (0..expected.len()).find(|&i| found[i] != expected[i]);
        assert!(
            differs.is_none(),
            "{self:?}: {differs:?}\n{text}\n{}{}",
            lowered.plan,
            lowered.module
        );
        lowered.plan.contains("of k") && lowered.plan.contains("by a loop")
    }
}

#[test]
fn slices_in_a_loop_give_the_same_bits() {
    let figures = GpuFigures { threadgroup: 4 << 10, named: 4, ..GpuFigures::APPLE };
    let scalars = GpuFigures { matrices: false, ..figures };
    for (own, dims) in [("f32", [16, 16, 64]), ("bf16", [8, 16, 128]), ("i32", [1, 8, 256])] {
        for (transposed, scaled) in [(false, false), (true, false), (true, true)] {
            let case = Case { own, dims, transposed, scaled, writes: None };
            assert!(case.check(&figures), "{case:?}");
            assert!(transposed || case.check(&scalars), "{case:?}");
        }
    }
}

#[test]
fn tensor_operations_give_the_same_bits() {
    // With little memory or few registers a loop reads the factors' elements.
    let figures = GpuFigures { tensors: true, ..GpuFigures::APPLE };
    let little = GpuFigures { threadgroup: 14 << 10, named: 4, ..figures };
    for (own, dims) in [("f16", [32, 64, 32]), ("bf16", [64, 32, 128]), ("i8", [32, 32, 64])] {
        for (transposed, scaled) in [(false, false), (true, false), (true, true)] {
            let case = Case { own, dims, transposed, scaled, writes: None };
            let module: Module = case.text().parse().unwrap_or_else(|e| panic!("{case:?}: {e}"));
            for figures in [figures, little] {
                let plan = lane::lower(&module, &figures).map(|lowered| lowered.plan);
                let plan = plan.unwrap_or_else(|e| panic!("{case:?}: {e}"));
                assert!(plan.contains(", tensor operations:"), "{case:?}\n{plan}");
                case.check(&figures);
            }
        }
    }
}

#[test]
fn what_is_loaded_before_a_store_is_read_before_it() {
    let figures = GpuFigures { threadgroup: 4 << 10, named: 4, ..GpuFigures::APPLE };
    for own in ["f32", "i32"] {
        let dims = [8, 16, 128];
        let case = Case { own, dims, transposed: true, scaled: false, writes: Some(false) };
        assert!(!case.check(&figures), "{case:?}");
        let case = Case { writes: Some(true), ..case };
        assert!(case.check(&figures), "{case:?}");
    }
}

#[test]
fn sums_that_exceed_a_cores_registers_do_not_fit() {
    let case =
        Case { own: "f32", dims: [256, 256, 16], transposed: false, scaled: false, writes: None };
    let module: Module = case.text().parse().unwrap_or_else(|e| panic!("{e}"));
    let error = lane::lower(&module, &GpuFigures::APPLE).map(|lowered| lowered.plan).unwrap_err();
    let text = error.to_string();
    assert!(text.ends_with("take 262144 bytes of registers, and a core has 212992"), "{text}");
}
