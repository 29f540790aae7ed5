//! Products of matrices of any size by Metal 4's tensor operations, on an emulated M5, against sums in f64. What chips before it run
//! has none.

use std::sync::Arc;

use trident_apple::device::GpuCompiler;
use trident_apple::metal::Family;
use trident_emulator::{Check, Emulator, EmulatorOptions};
use trident_ir::{DType, Module};
use trident_runtime::{Arguments, Checks, Kernel, KernelCompiler, KernelOptions};

/// A compiler for a generation of chips, with checks.
fn compiler(family: Family) -> GpuCompiler {
    let mut options =
        EmulatorOptions { check: Some(Check::default()), ..EmulatorOptions::default() };
    options.limits.family = family;
    let emulator = Arc::new(Emulator::new(options).unwrap_or_else(|e| panic!("{e}")));
    GpuCompiler::new(emulator.clone(), Some(emulator))
}

/// c = a·b of m × k and k × n elements, by blocks of which the edges are masked; each sum begins with `begin`. What is transposed
/// lies in memory by columns.
#[derive(Clone, Copy, Debug)]
struct Case {
    dtype: DType,
    /// Rows and columns of a block, and how much of k is loaded at a time.
    block: [usize; 3],
    transposed: [bool; 2],
    /// m, n and k.
    dims: [usize; 3],
    begin: f32,
}

impl Case {
    fn module(self) -> Module {
        let ([m, n, k], t) = (self.block, self.dtype);
        // The pointers to a block whose rows and columns have these numbers, and which of them are in the matrix.
        let block = |name: &str,
                     base: &str,
                     to: DType,
                     dims: [usize; 2],
                     [row, rows, column, columns]: [&str; 4],
                     transposed: bool| {
            let [x, y] = dims;
            let (stride, far, near) =
                if transposed { (rows, column, row) } else { (columns, row, column) };
            format!(
                "%{name}s = splat(%{stride}) : i32[{x}, {y}]
                 %{name}f = broadcast(%{far}) : i32[{x}, {y}]
                 %{name}n = broadcast(%{near}) : i32[{x}, {y}]
                 %{name}o = mul(%{name}f, %{name}s)
                 %{name}p = add(%{name}o, %{name}n)
                 %{name}b = splat(%{base}) : ptr<{to}>[{x}, {y}]
                 %{name} = ptr_add(%{name}b, %{name}p)
                 %{name}r = broadcast(%{row}) : i32[{x}, {y}]
                 %{name}c = broadcast(%{column}) : i32[{x}, {y}]
                 %{name}h = splat(%{rows}) : i32[{x}, {y}]
                 %{name}w = splat(%{columns}) : i32[{x}, {y}]
                 %{name}i = less(%{name}r, %{name}h)
                 %{name}j = less(%{name}c, %{name}w)
                 %{name}m = and(%{name}i, %{name}j)\n"
            )
        };
        // Numbers of rows from a multiple of the block's on, as a column, or of columns, as a row.
        let numbers = |name: &str, first: &str, size: usize, axes: &[u8]| {
            let each = axes
                .iter()
                .map(|axis| format!("%{name}{axis} = expand_dims(%{name}v) {{axis = {axis}}}\n"));
            format!(
                "%{name}g = splat(%{first}) : i32[{size}]
                 %{name}a = arange {{start = 0, end = {size}}}
                 %{name}v = add(%{name}g, %{name}a)\n{}",
                each.collect::<String>()
            )
        };
        let [left, right] = self.transposed;
        let text = format!(
            "func @matmul tile (%a: ptr<{t}>[], %b: ptr<{t}>[], %c: ptr<f32>[], %m: i32[], %n: i32[], %k: i32[]) {{
             %y = program_id {{axis = 0}}
             %x = program_id {{axis = 1}}
             %bm = constant {{value = i32[]({m})}}
             %bn = constant {{value = i32[]({n})}}
             %bk = constant {{value = i32[]({k})}}
             %zero = constant {{value = i32[](0)}}
             %none = constant {{value = {t}[](0)}}
             %as = splat(%none) : {t}[{m}, {k}]
             %bs = splat(%none) : {t}[{k}, {n}]
             %begin = constant {{value = f32[]({:?})}}
             %first = splat(%begin) : f32[{m}, {n}]
             %y0 = mul(%y, %bm)
             %x0 = mul(%x, %bn)
             {}{}
             %sum = for(%zero, %k, %bk, %first) region (%i: i32[], %s: f32[{m}, {n}]) {{
             {}{}{}
             %u = load(%p, %pm, %as)
             %v = load(%q, %qm, %bs)
             %d = dot(%u, %v, %s)
             yield %d
             }}
             {}
             store(%o, %sum, %om)
             return
             }}",
            self.begin,
            numbers("row", "y0", m, &[1]),
            numbers("col", "x0", n, &[0]),
            numbers("deep", "i", k, &[0, 1]),
            block("p", "a", t, [m, k], ["row1", "m", "deep0", "k"], left),
            block("q", "b", t, [k, n], ["deep1", "k", "col0", "n"], right),
            block("o", "c", DType::F32, [m, n], ["row1", "m", "col0", "n"], false),
        );
        let module: Module = text.parse().unwrap_or_else(|e| panic!("{self:?}: {e}\n{text}"));
        module.verify().unwrap_or_else(|e| panic!("{self:?}: {e}\n{text}"));
        module
    }

    /// Small numbers with fractions, which f16 and bf16 have.
    fn numbers(len: usize, seed: u32) -> Vec<f32> {
        let each = |i: u32| (i.wrapping_mul(0x9e37_79b1).wrapping_add(seed) >> 26) as f32;
        (0..len as u32).map(|i| (each(i ^ seed) - 31.5) / 16.0).collect()
    }

    fn bytes(self, numbers: &[f32]) -> Vec<u8> {
        let bits = |&x: &f32| match self.dtype {
            DType::BF16 => half::bf16::from_f32(x).to_bits(),
            _ => half::f16::from_f32(x).to_bits(),
        };
        numbers.iter().flat_map(|x| bits(x).to_le_bytes()).collect()
    }

    /// Compares what this case's own kernel computes with sums in f64.
    fn check(self, kernel: &dyn Kernel) {
        let [m, n, _] = self.dims;
        let grid = [m.div_ceil(self.block[0]) as u32, n.div_ceil(self.block[1]) as u32, 1];
        self.launched(kernel, grid, &self.dims);
    }

    /// Compares what a kernel of three arrays and these sizes computes with sums in f64.
    fn launched(self, kernel: &dyn Kernel, grid: [u32; 3], sizes: &[usize]) {
        let ([m, n, k], [left, right]) = (self.dims, self.transposed);
        let (a, b) = (Case::numbers(m * k, 7), Case::numbers(k * n, 3));
        let (mut x, mut y) = (self.bytes(&a), self.bytes(&b));
        // Nothing is written behind the result.
        let mut out = f32::MAX.to_le_bytes().repeat(m * n + 5);
        let mut arguments = Arguments::new().write("a", &mut x).write("b", &mut y);
        arguments = arguments.write("c", &mut out);
        for &size in sizes {
            arguments = arguments.scalar(size as u64);
        }
        let msl = || kernel.listing("msl").unwrap_or_default();
        let done = kernel.launch(&arguments.launch(grid));
        done.unwrap_or_else(|e| panic!("{self:?}: {e}\n{}", msl()));
        let found: Vec<f32> =
            out.chunks_exact(4).map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect();
        for (at, &found) in found[..m * n].iter().enumerate() {
            let (i, j) = (at / n, at % n);
            let product = |p: usize| {
                let x = if left { a[p * m + i] } else { a[i * k + p] };
                let y = if right { b[j * k + p] } else { b[p * n + j] };
                f64::from(x) * f64::from(y)
            };
            let sum = f64::from(self.begin) + (0..k).map(product).sum::<f64>();
            let error = (f64::from(found) - sum).abs();
            let fine = error <= 1e-5 * (1.0 + sum.abs());
            assert!(fine, "{self:?} [{i}, {j}]: {found} not {sum}\n{}", msl());
        }
        assert!(found[m * n..].iter().all(|&x| x == f32::MAX), "{self:?}");
    }
}

const CASE: Case = Case {
    dtype: DType::F16,
    block: [64, 64, 32],
    transposed: [false; 2],
    dims: [64, 64, 32],
    begin: 0.0,
};

fn compiled(family: Family, case: Case) -> Arc<dyn Kernel> {
    let options = KernelOptions { checks: Checks::Bounds };
    let kernel = compiler(family).compile_kernel(&case.module(), &options);
    kernel.unwrap_or_else(|e| panic!("{case:?}: {e}"))
}

#[test]
fn an_m5_multiplies_by_tensor_operations() {
    for (dtype, transposed) in [
        (DType::F16, [false, false]),
        (DType::F16, [false, true]),
        (DType::BF16, [true, false]),
        (DType::BF16, [true, true]),
    ] {
        let case = Case { dtype, transposed, ..CASE };
        let kernel = compiled(Family::Apple10, case);
        let plan = kernel.listing("plan").unwrap_or_default();
        assert!(plan.contains(", tensor operations:"), "{case:?}\n{plan}");
        for dims in [[64, 64, 32], [65, 33, 67], [1, 130, 1], [3, 5, 0]] {
            Case { dims, ..case }.check(&*kernel);
        }
    }
}

/// The kernel of `examples/triton/matmul.py` for tiles of 64 × 64, 32 of k at a time, in groups of four rows.
#[test]
fn a_triton_kernel_multiplies_by_tensor_operations() {
    let module = trident_triton::parse(include_str!("../kernels/matmul.ttir"));
    let module = module.unwrap_or_else(|e| panic!("{e}"));
    let options = KernelOptions { checks: Checks::Bounds };
    let kernel = compiler(Family::Apple10).compile_kernel(&module, &options);
    let kernel = kernel.unwrap_or_else(|e| panic!("{e}"));
    let plan = kernel.listing("plan").unwrap_or_default();
    assert!(plan.contains(", tensor operations:"), "{plan}");
    for dims in [[16, 16, 16], [65, 130, 77], [129, 1, 33]] {
        let [m, n, k]: [usize; 3] = dims;
        let grid = [(m.div_ceil(64) * n.div_ceil(64)) as u32, 1, 1];
        Case { dims, ..CASE }.launched(&*kernel, grid, &[m, n, k, k, 1, n, 1, n, 1]);
    }
}

#[test]
fn sums_begin_with_what_they_add_to() {
    for block in [[32, 32, 32], [64, 32, 64], [128, 64, 32]] {
        let case = Case { block, dims: [70, 45, 71], begin: 1.5, ..CASE };
        let kernel = compiled(Family::Apple10, case);
        let plan = kernel.listing("plan").unwrap_or_default();
        assert!(plan.contains(", tensor operations:"), "{case:?}\n{plan}");
        case.check(&*kernel);
    }
}

#[test]
fn blocks_that_are_small_are_multiplied_by_matrices() {
    for block in [[16, 64, 32], [64, 16, 32], [64, 64, 16]] {
        let case = Case { block, dims: [33, 20, 37], ..CASE };
        let kernel = compiled(Family::Apple10, case);
        let plan = kernel.listing("plan").unwrap_or_default();
        assert!(plan.contains(", matrices:"), "{case:?}\n{plan}");
        case.check(&*kernel);
    }
}

#[test]
fn chips_before_the_m5_have_no_tensor_operations() {
    for family in [Family::Apple7, Family::Apple8, Family::Apple9] {
        let kernel = compiled(family, CASE);
        let plan = kernel.listing("plan").unwrap_or_default();
        assert!(plan.contains(", matrices:") && !plan.contains("tensor"), "{family:?}\n{plan}");
        let msl = kernel.listing("msl").unwrap_or_default();
        assert!(!msl.contains("mpp::"), "{family:?}\n{msl}");
    }
}
