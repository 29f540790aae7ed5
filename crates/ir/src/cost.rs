//! How much arithmetic an op does, from the shapes of its operands and results.

use crate::op::Group;
use crate::{Op, OpKind};

/// Floating-point or integer operations of one run, a multiply-add counted as two; 0 for ops that only move elements.
/// `operands` and `results` are dimensions by place, empty for what is absent or no tensor.
///
/// Contractions are exact; other ops count a few operations for each element, enough to rank them in reports.
pub fn flops(op: &Op, operands: &[Vec<usize>], results: &[Vec<usize>]) -> f64 {
    let operand = |i: usize| operands.get(i).map_or(&[][..], Vec::as_slice);
    let result = results.first().map_or(&[][..], Vec::as_slice);
    let elements = |dims: &[usize]| dims.iter().map(|&d| d as f64).product::<f64>();
    let out = elements(result);
    let last = |dims: &[usize], from_end: usize| {
        dims.len().checked_sub(from_end).map_or(1.0, |i| dims[i] as f64)
    };
    let product = |a: &[usize], trans_a: bool| {
        let depth = if trans_a && a.len() > 1 { 2 } else { 1 };
        2.0 * out * last(a, depth)
    };
    // Each result element of a convolution sums over the filter of one output channel.
    let filter = |w: &[usize]| elements(w.get(1..).unwrap_or_default());
    match op.kind {
        OpKind::Conv | OpKind::FusedConv | OpKind::ConvInteger => 2.0 * out * filter(operand(1)),
        OpKind::DeformConv | OpKind::CausalConvWithState => 2.0 * out * filter(operand(1)),
        OpKind::QLinearConv => 2.0 * out * filter(operand(3)),
        // The other way round: each operand element is spread over the filter.
        OpKind::ConvTranspose => 2.0 * elements(operand(0)) * filter(operand(1)),
        OpKind::MatMul | OpKind::MatMulInteger | OpKind::MatMulNBits | OpKind::QLinearMatMul => {
            product(operand(0), false)
        }
        OpKind::FusedMatMul | OpKind::Gemm => product(operand(0), op.flag("trans_a")),
        OpKind::Einsum => einsum(op.str("equation").unwrap_or(""), operands),
        OpKind::Attention => attention(operand(0), operand(1), operand(2), op),
        OpKind::LSTM | OpKind::GRU | OpKind::RNN => {
            // Both products of every step: x·w and h·r, for each sequence and batch entry.
            let steps = elements(operand(0).get(..2).unwrap_or_default());
            2.0 * steps * (elements(operand(1)) + elements(operand(2)))
        }
        OpKind::AveragePool | OpKind::MaxPool | OpKind::LpPool => {
            let window = op.ints("kernel_shape").unwrap_or_default();
            out * window.iter().map(|&k| k as f64).product::<f64>()
        }
        _ => match op.decl().group {
            Group::Elementwise => out,
            Group::Fused => out * op.regions.first().map_or(0.0, |region| region.ops.len() as f64),
            Group::Contract | Group::Quant | Group::Image | Group::Signal => {
                2.0 * out.max(elements(operand(0)))
            }
            Group::Pool | Group::Reduce => 4.0 * out.max(elements(operand(0))),
            _ => 0.0,
        },
    }
}

/// Every combination of all labels is one multiply-add for each operand after the first.
fn einsum(equation: &str, operands: &[Vec<usize>]) -> f64 {
    let inputs = equation.split("->").next().unwrap_or("");
    let mut sizes = std::collections::BTreeMap::new();
    for (term, dims) in inputs.split(',').zip(operands) {
        let labels: Vec<char> = term.chars().filter(|c| c.is_alphabetic()).collect();
        // Dimensions under an ellipsis have no label of their own.
        let (head, tail) = match term.split_once("...") {
            Some((head, _)) => {
                let before = head.chars().filter(|c| c.is_alphabetic()).count();
                (before, labels.len() - before)
            }
            None => (labels.len(), 0),
        };
        let rest = dims.len().saturating_sub(tail);
        for (&label, &d) in labels.iter().zip(dims.iter().take(head).chain(dims.iter().skip(rest)))
        {
            let size = sizes.entry(label).or_insert(1);
            *size = d.max(*size);
        }
    }
    let combinations: f64 = sizes.values().map(|&d| d as f64).product();
    2.0 * combinations * operands.len().saturating_sub(1).max(1) as f64
}

/// q·kᵀ and softmax·v, for rank 4 [batch, heads, length, size] and rank 3 [batch, length, heads·size].
fn attention(q: &[usize], k: &[usize], v: &[usize], op: &Op) -> f64 {
    let f = |n: usize| n as f64;
    match (q, k, v) {
        (&[b, h, m, d], &[_, _, n, _], &[_, _, _, e]) => {
            2.0 * f(b) * f(h) * f(m) * f(n) * (f(d) + f(e))
        }
        (&[b, m, d], &[_, n, _], &[_, _, e]) => {
            // Values of all query heads: grouped heads are used several times.
            let heads = |name| op.int(name).map_or(1.0, |n| n as f64).max(1.0);
            let repeat = heads("q_num_heads") / heads("kv_num_heads");
            2.0 * f(b) * f(m) * f(n) * (f(d) + f(e) * repeat)
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attr;

    fn count(
        kind: OpKind,
        attrs: &[(&'static str, Attr)],
        operands: &[&[usize]],
        y: &[usize],
    ) -> f64 {
        let mut op = Op::new(kind, vec![None; operands.len()], vec![None]);
        for (name, value) in attrs {
            op.attrs.set(name, value.clone());
        }
        let operands: Vec<Vec<usize>> = operands.iter().map(|d| d.to_vec()).collect();
        flops(&op, &operands, &[y.to_vec()])
    }

    #[test]
    fn contractions_are_exact() {
        // Batch 2, 4 to 8 channels in 2 groups, 3×3 filters, 5×5 results.
        let conv = [&[2, 4, 7, 7][..], &[8, 2, 3, 3]];
        assert_eq!(count(OpKind::Conv, &[], &conv, &[2, 8, 5, 5]), 2.0 * 400.0 * 18.0);
        assert_eq!(count(OpKind::MatMul, &[], &[&[3, 4], &[4, 5]], &[3, 5]), 120.0);
        assert_eq!(count(OpKind::MatMul, &[], &[&[4], &[4]], &[]), 8.0);
        let transposed = [("trans_a", Attr::Int(1))];
        assert_eq!(count(OpKind::Gemm, &transposed, &[&[4, 3], &[4, 5]], &[3, 5]), 120.0);
        let equation = [("equation", Attr::Str("...ij,...jk->...ik".into()))];
        assert_eq!(count(OpKind::Einsum, &equation, &[&[3, 4], &[4, 5]], &[3, 5]), 120.0);
        let qkv: [&[usize]; 3] = [&[1, 2, 3, 4], &[1, 2, 5, 4], &[1, 2, 5, 6]];
        assert_eq!(count(OpKind::Attention, &[], &qkv, &[1, 2, 3, 6]), 2.0 * 30.0 * 10.0);
    }

    #[test]
    fn moves_are_free_and_odd_shapes_do_no_harm() {
        assert_eq!(count(OpKind::Transpose, &[], &[&[3, 4]], &[4, 3]), 0.0);
        assert_eq!(count(OpKind::Add, &[], &[&[3, 4], &[4]], &[3, 4]), 12.0);
        for &kind in OpKind::ALL {
            assert!(count(kind, &[], &[], &[]) >= 0.0, "{kind:?}");
            assert!(count(kind, &[], &[&[], &[0], &[2]], &[0]) >= 0.0, "{kind:?}");
        }
    }
}
