//! Products of models on devices with tensor operations, which take 32 factors at once.

use super::run::{Case, TARGET, agree, floats};
use trident_graph_to_tile::Target;
use trident_ir::{Attr, DType, Module, OpKind as K};
use trident_runtime::Tensor;
use trident_tile_to_lane::{self as lane, GpuFigures};

/// Numbers between −2 and 2 of this type, the same on each run.
pub(crate) fn numbers(dtype: DType, dims: &[usize], seed: u32) -> Option<Tensor> {
    let attrs = [("to", Attr::DType(dtype))];
    Case::new(K::Cast, &attrs, vec![floats(dims, seed)], 1).kernel().pop()
}

#[test]
fn products_of_short_floats_are_computed_by_tensor_operations() {
    let m5 = GpuFigures::chip("M5").unwrap();
    let matmul = (K::MatMul, [vec![70, 45], vec![45, 90]]);
    let conv = (K::Conv, [vec![2, 5, 9, 11], vec![20, 5, 3, 3]]);
    let einsum = (K::Einsum, [vec![70, 45], vec![45, 90]]);
    for (dtype, figures, expected) in [
        (DType::F16, m5, true),
        (DType::BF16, m5, true),
        (DType::F32, m5, false),
        (DType::F16, GpuFigures::APPLE, false),
    ] {
        for (kind, [a, b]) in [&matmul, &conv, &einsum] {
            let attrs = [("equation", Attr::Str("ij,jk->ik".into()))];
            let attrs = if *kind == K::Einsum { &attrs[..] } else { &[] };
            let operands = vec![numbers(dtype, a, 1), numbers(dtype, b, 2)];
            let case = Case::new(*kind, attrs, operands, 1);
            let like = case.kernel();
            let target = Target { matrix_unit: figures.tensors, ..TARGET };
            let lowering = case.lowering(&like, &target, &|_| false).unwrap();
            let func = lowering.steps[0].func.clone();
            let module = Module { funcs: vec![func], ..Module::default() };
            let plan = lane::lower(&module, &figures).unwrap().plan;
            assert_eq!(plan.contains(", tensor operations:"), expected, "{kind:?} {dtype}\n{plan}");
            agree(&like[0], &case.run(&lowering, &like).unwrap()[0]).unwrap();
        }
    }
}
