//! The plan of a matrix product, on figures of each chip: what simdgroups load for their products, how much threadgroup memory
//! they take, and whether accesses of it wait for each other.

use std::collections::{BTreeMap, HashMap};

use trident_ir::lane::threadgroup_bytes;
use trident_ir::literal::LiteralData;
use trident_ir::op::words::ShiftDirection;
use trident_ir::types::ACCUMULATOR;
use trident_ir::{DType, Func, Module, Op, OpKind as K, Space, Type, ValueId, ops};
use trident_tile_to_lane::{self as lane, GpuFigures};

/// 8×8 matrices along a side of what a tensor operation multiplies.
const PIECES: usize = ACCUMULATOR / 8;

/// Banks of threadgroup memory, and bytes of their words.
const BANKS: i64 = 32;
const WORD: i64 = 4;

/// A product of f16 matrices with f32 sums by blocks of m × n, k of which are loaded at a time; all extents are multiples.
fn matmul(m: usize, n: usize, k: usize) -> Module {
    let block = |name: &str,
                 row: &str,
                 column: &str,
                 stride: &str,
                 rows: usize,
                 columns: usize,
                 to: &str| {
        format!(
            "  %{name}0 = splat({stride}) : i32[{rows}, 1]\n  %{name}1 = mul({row}, %{name}0)\n\
             %{name}2 = broadcast(%{name}1) : i32[{rows}, {columns}]\n  %{name}3 = broadcast({column}) : i32[{rows}, {columns}]\n\
             %{name}4 = add(%{name}2, %{name}3)\n  %{name}5 = hint(%{name}) {{divisibility = [16]}}\n\
             %{name}6 = splat(%{name}5) : ptr<{to}>[{rows}, {columns}]\n  %{name}7 = ptr_add(%{name}6, %{name}4)\n"
        )
    };
    let range = |name: &str, of: &str, size: usize| {
        format!(
            "  %{name}0 = constant {{value = i32[]({size})}}\n  %{name}1 = mul({of}, %{name}0)\n  %{name}2 = splat(%{name}1) : i32[{size}]\n\
             %{name}3 = arange {{start = 0, end = {size}}}\n  %{name}4 = add(%{name}2, %{name}3)\n"
        )
    };
    let text = format!(
        "func @matmul tile (%a: ptr<f16>[], %b: ptr<f16>[], %c: ptr<f32>[], %depth: i32[], %astride: i32[], %bstride: i32[], %cstride: i32[]) {{\n\
         %as = hint(%astride) {{divisibility = [16]}}\n  %bs = hint(%bstride) {{divisibility = [16]}}\n  %cs = hint(%cstride) {{divisibility = [16]}}\n\
         %y = program_id {{axis = 0}}\n  %x = program_id {{axis = 1}}\n  %zero = constant {{value = i32[](0)}}\n{}{}{}\
         %row = expand_dims(%r4) {{axis = 1}}\n  %column = expand_dims(%q4) {{axis = 0}}\n\
         %across = expand_dims(%k3) {{axis = 0}}\n  %down = expand_dims(%k3) {{axis = 1}}\n{}{}{}\
         %step = constant {{value = i32[]({k})}}\n  %astep = splat(%step) : i32[{m}, {k}]\n  %rows = mul(%bs, %step)\n  %bstep = splat(%rows) : i32[{k}, {n}]\n\
         %none = constant {{value = f32[](0)}}\n  %begin = splat(%none) : f32[{m}, {n}]\n\
         %sum, %pa, %pb = for(%zero, %depth, %step, %begin, %a7, %b7) region (%i: i32[], %s: f32[{m}, {n}], %p: ptr<f16>[{m}, {k}], %q: ptr<f16>[{k}, {n}]) {{\n\
         %u = load(%p)\n  %v = load(%q)\n  %d = dot(%u, %v, %s)\n  %pn = ptr_add(%p, %astep)\n  %qn = ptr_add(%q, %bstep)\n  yield %d, %pn, %qn\n  }}\n\
         store(%c7, %sum)\n  return\n}}",
        range("r", "%y", m),
        range("q", "%x", n),
        range("k", "%zero", k),
        block("a", "%row", "%across", "%as", m, k, "f16"),
        block("b", "%down", "%column", "%bs", k, n, "f16"),
        block("c", "%row", "%column", "%cs", m, n, "f32"),
    );
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Integers and places in threadgroup memory, in bytes, of each thread.
struct Places<'a> {
    func: &'a Func,
    makers: HashMap<ValueId, &'a Op>,
}

impl<'a> Places<'a> {
    fn of(func: &'a Func) -> Self {
        let mut makers = HashMap::new();
        func.body.walk(&mut |op| makers.extend(op.defined().map(|id| (id, op))));
        Places { func, makers }
    }

    fn value(&self, id: ValueId, thread: i64) -> i64 {
        let op = self.makers.get(&id).unwrap_or_else(|| panic!("{}", self.func.info(id).name));
        let of = |i: usize| self.value(op.input(i).unwrap_or(id), thread);
        match op.kind {
            K::ThreadIndex => thread,
            K::Constant => match ops::Constant::of(op).map(|op| op.value().data()) {
                Some(LiteralData::Bytes(bytes)) => {
                    bytes.iter().rev().fold(0, |value, &byte| value << 8 | i64::from(byte))
                }
                _ => 0,
            },
            K::BitwiseAnd => of(0) & of(1),
            K::BitShift => match ops::BitShift::of(op).map(|op| op.direction()) {
                Some(ShiftDirection::Left) => of(0) << of(1),
                Some(ShiftDirection::Right) => of(0) >> of(1),
                None => panic!("a shift without a direction"),
            },
            K::Add => of(0) + of(1),
            K::Mul => of(0) * of(1),
            K::Alloc => 0,
            K::PtrCast => of(0),
            K::PtrAdd => of(0) + of(1) * self.pointee(id).size() as i64,
            kind => panic!("`{}` in a place", kind.decl().name),
        }
    }

    fn pointee(&self, ptr: ValueId) -> DType {
        match self.func.ty(ptr) {
            Type::Pointer(ty) => ty.to,
            other => panic!("{other} is not a pointer"),
        }
    }

    /// Whether the op accesses threadgroup memory; its pointer, and bytes of each thread's access.
    fn shared(&self, op: &Op) -> Option<(ValueId, i64)> {
        let ptr = op.input(0)?;
        let is_shared =
            matches!(self.func.ty(ptr), Type::Pointer(ty) if ty.space == Space::Threadgroup);
        let size = self.pointee_of(ptr)?.size() as i64;
        let elements = match op.kind {
            K::Load => ops::Load::of(op)?.width(),
            K::Store => self.func.ty(op.input(1)?).dims()?.iter().product::<usize>() as i64,
            K::MatrixLoad | K::MatrixStore => 1,
            _ => return None,
        };
        is_shared.then_some((ptr, size * elements))
    }

    fn pointee_of(&self, ptr: ValueId) -> Option<DType> {
        matches!(self.func.ty(ptr), Type::Pointer(_)).then(|| self.pointee(ptr))
    }
}

/// Turns that these accesses of so many bytes take beyond those that their words need.
fn conflicts(places: &[i64], bytes: i64) -> usize {
    let mut words: Vec<i64> =
        places.iter().flat_map(|at| at / WORD..=(at + bytes - 1) / WORD).collect();
    words.sort_unstable();
    words.dedup();
    let mut turns = BTreeMap::<i64, usize>::new();
    words.iter().for_each(|word| *turns.entry(word % BANKS).or_default() += 1);
    turns.values().max().copied().unwrap_or(0) - words.len().div_ceil(BANKS as usize)
}

#[test]
fn simdgroups_load_little_for_their_products() {
    for chip in GpuFigures::CHIPS {
        let figures = GpuFigures::chip(chip).unwrap_or_else(|| panic!("{chip} has no figures"));
        for (m, n, k) in [(64, 64, 16), (64, 64, 32), (64, 64, 64), (128, 64, 32), (128, 128, 32)] {
            let lowered = lane::lower(&matmul(m, n, k), &figures).unwrap_or_else(|e| panic!("{e}"));
            let func = lowered.module.entry().unwrap_or_else(|| panic!("no kernel"));
            let what = format!("{chip} {m}×{n}×{k}\n{}", lowered.plan);
            let threads = func.threads.unwrap_or(0);
            assert!(threads <= 1024 && threadgroup_bytes(func) <= 32 << 10, "{what}");
            let places = Places::of(func);
            let mut tensors = false;
            func.body.walk(&mut |op| tensors |= op.kind == K::AccumulatorMultiplyAdd);
            assert_eq!(tensors, chip == "m5" && k >= 32, "{what}");
            let (mut products, mut loads, mut widths) = (0usize, 0usize, vec![]);
            func.body.walk(&mut |op| {
                products += usize::from(op.kind == K::MatrixMultiplyAdd);
                loads += usize::from(op.kind == K::MatrixLoad);
                if op.kind == K::AccumulatorMultiplyAdd {
                    products += PIECES * PIECES * PIECES;
                    loads += 2 * PIECES * PIECES;
                }
                let Some((ptr, bytes)) = places.shared(op) else { return };
                match op.kind {
                    K::MatrixLoad | K::MatrixStore => {
                        let stride =
                            op.input(op.inputs.len() - 1).map_or(0, |id| places.value(id, 0));
                        let size = places.pointee(ptr).size() as i64;
                        for simdgroup in 0..threads / 32 {
                            let first = places.value(ptr, i64::from(simdgroup * 32));
                            let at = |n: i64| first + (n / 8 * stride + n % 8) * size;
                            let all: Vec<i64> = (0..64).map(at).collect();
                            assert_eq!(conflicts(&all, size), 0, "{what}");
                        }
                    }
                    _ => {
                        widths.push(bytes);
                        let all: Vec<i64> =
                            (0..threads).map(|thread| places.value(ptr, thread.into())).collect();
                        // Accesses of several words take as many turns, in each of which some threads are served.
                        for turn in all.chunks((BANKS * WORD / bytes).min(32) as usize) {
                            assert_eq!(conflicts(turn, bytes), 0, "{what}");
                        }
                    }
                }
            });
            let least = if threads <= 128 || m * n > 64 * 64 { 2.0 } else { 1.33 };
            assert!(products as f64 / loads as f64 >= least, "{what}{products} of {loads}");
            assert!(threads <= 512, "{what}");
            assert!(widths.iter().all(|&bytes| bytes >= 8), "{what}{widths:?}");
        }
    }
}
