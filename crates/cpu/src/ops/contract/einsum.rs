//! Einstein's notation: operands are contracted two by two, each pair as a batch of matrix products.

use crate::kernel::{Call, Compile, Last, Made, Prepared};
use crate::ops::convert::{cast, compute_dtype};
use crate::ops::moves::{diagonal, transposed};
use trident_ir::geometry::{Equation, GeometryError, Label, extent};
use trident_ir::literal::checked_len;
use trident_ir::ops::Einsum;
use trident_ir::{DType, Element};
use trident_kernels::gemm::{self, Epilogue, GemmShape, Lhs, Rhs, Scalar, Strided, gemm_batch};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

fn bad(reason: String) -> KernelError {
    KernelError::attr("equation", reason)
}

/// A dense tensor with a different label for each axis.
struct Operand {
    labels: Vec<Label>,
    tensor: Tensor,
}

impl Operand {
    fn size(&self, label: Label) -> Option<usize> {
        self.labels.iter().position(|&l| l == label).map(|i| self.tensor.dims()[i])
    }

    /// The axes in this order; they are all of the operand's.
    fn ordered(&self, call: &Call<'_, '_>, order: &[Label]) -> Result<Tensor, KernelError> {
        if self.labels == order {
            return Ok(self.tensor.clone());
        }
        let place = |l: &Label| {
            self.labels.iter().position(|m| m == l).ok_or_else(|| bad(format!("misses {l:?}")))
        };
        let perm: Vec<usize> = order.iter().map(place).collect::<Result<_, _>>()?;
        transposed(call, &self.tensor, &perm)
    }

    /// Without the axes whose label does not stay, summed over.
    fn summed(
        self,
        call: &Call<'_, '_>,
        stays: impl Fn(Label) -> bool,
    ) -> Result<Operand, KernelError> {
        let (kept, gone): (Vec<Label>, Vec<Label>) = self.labels.iter().partition(|&&l| stays(l));
        if gone.is_empty() {
            return Ok(self);
        }
        let size = |l: &Label| self.size(*l).unwrap_or(1);
        let dims: Vec<usize> = kept.iter().map(size).collect();
        let n = extent(&gone.iter().map(size).collect::<Vec<_>>());
        let order: Vec<Label> = kept.iter().chain(&gone).copied().collect();
        let x = self.ordered(call, &order)?;
        let mut y = call.temp(x.dtype(), &dims)?;
        macro_rules! sum {
            ($t:ty, $a:ty, $add:expr) => {{
                let x = x.slice::<$t>()?;
                for (i, y) in y.slice_mut::<$t>()?.iter_mut().enumerate() {
                    let start = 0 as $a;
                    *y = if n == 0 {
                        0 as $t
                    } else {
                        x[i * n..(i + 1) * n].iter().fold(start, $add) as $t
                    };
                }
            }};
        }
        match x.dtype() {
            DType::F32 => sum!(f32, f64, |a, &v| a + f64::from(v)),
            DType::F64 => sum!(f64, f64, |a, &v| a + v),
            _ => sum!(i64, i64, |a, &v| a.wrapping_add(v)),
        }
        Ok(Operand { labels: kept, tensor: y })
    }

    /// Without axes of length 1 that `other` has longer: they broadcast.
    fn narrowed(self, other: &[(Label, usize)]) -> Result<Operand, KernelError> {
        let broad = |l: Label, d: usize| d == 1 && other.iter().any(|&(m, n)| m == l && n != 1);
        let keep: Vec<(Label, usize)> = self
            .labels
            .iter()
            .copied()
            .zip(self.tensor.dims().iter().copied())
            .filter(|&(l, d)| !broad(l, d))
            .collect();
        let dims: Vec<usize> = keep.iter().map(|k| k.1).collect();
        Ok(Operand {
            labels: keep.iter().map(|k| k.0).collect(),
            tensor: self.tensor.reshaped(&dims)?,
        })
    }

    fn axes(&self) -> Vec<(Label, usize)> {
        self.labels.iter().copied().zip(self.tensor.dims().iter().copied()).collect()
    }
}

pub(super) fn einsum(cx: &Compile<'_>) -> Made {
    let text = cx.view(Einsum::of)?.equation().to_owned();
    let (first, last) = (cx.element(Einsum::AT.xs)?, Last::default());
    // Integers wrap alike in 64 bits, signed or not.
    let compute = match compute_dtype(first) {
        DType::I32 | DType::U64 => DType::I64,
        wide @ (DType::F32 | DType::F64 | DType::I64) => wide,
        other => return Err(cx.refused(KernelError::Unsupported(other))),
    };
    Prepared::boxed(cx, move |call| {
        let xs = (0..call.inputs()).map(|i| call.tensor(i)).collect::<Result<Vec<_>, _>>()?;
        let dims: Vec<&[usize]> = xs.iter().map(Tensor::dims).collect();
        let equation = last.of(&dims, || {
            let ranks: Vec<usize> = dims.iter().map(|d| d.len()).collect();
            let equation = Equation::parse(&text, &ranks)?;
            equation.sizes(&dims)?;
            Ok::<_, KernelError>(equation)
        })?;
        run(call, xs, &equation, compute)
    })
}

fn run(
    call: &mut Call<'_, '_>,
    xs: Vec<Tensor>,
    equation: &Equation,
    compute: DType,
) -> Result<(), KernelError> {
    let Some(dtype) = xs.first().map(Tensor::dtype) else {
        return Err(KernelError::Missing(Einsum::AT.xs));
    };
    let mut operands = vec![];
    for (index, (x, term)) in xs.into_iter().zip(&equation.terms).enumerate() {
        if x.dtype() != dtype {
            return Err(KernelError::DType {
                index,
                actual: x.dtype(),
                expected: dtype.to_string(),
            });
        }
        let tensor = cast(call.threads, call.pool(), &x, compute)?;
        operands.push(diagonalised(call, tensor, term)?);
    }
    let mut rest = operands.into_iter();
    let mut acc = rest.next().ok_or(KernelError::Missing(Einsum::AT.xs))?;
    while let Some(next) = rest.next() {
        let later: Vec<Label> = rest
            .as_slice()
            .iter()
            .flat_map(|o| o.labels.clone())
            .chain(equation.result.clone())
            .collect();
        acc = contract(call, acc, next, &later)?;
    }
    let acc = acc.summed(call, |l| equation.result.contains(&l))?;
    let y = acc.ordered(call, &equation.result)?;
    let y = cast(call.threads, call.pool(), &y, dtype)?;
    call.set(Einsum::AT.y, y);
    Ok(())
}

/// The operand with every label once: an axis named again is walked along the diagonal.
fn diagonalised(call: &Call<'_, '_>, x: Tensor, term: &[Label]) -> Result<Operand, KernelError> {
    let mut labels: Vec<Label> = vec![];
    let mut groups: Vec<Vec<usize>> = vec![];
    for (axis, &l) in term.iter().enumerate() {
        match labels.iter().position(|&m| m == l) {
            Some(i) => groups[i].push(axis),
            None => {
                labels.push(l);
                groups.push(vec![axis]);
            }
        }
    }
    let tensor = if labels.len() == term.len() { x } else { diagonal(call, &x, &groups)? };
    Ok(Operand { labels, tensor })
}

/// The product of two operands, summed over the labels that are not needed later.
fn contract(
    call: &Call<'_, '_>,
    a: Operand,
    b: Operand,
    later: &[Label],
) -> Result<Operand, KernelError> {
    let (axes_a, axes_b) = (a.axes(), b.axes());
    let (a, b) = (a.narrowed(&axes_b)?, b.narrowed(&axes_a)?);
    let (of_a, of_b) = (a.labels.clone(), b.labels.clone());
    let a = a.summed(call, |l| later.contains(&l) || of_b.contains(&l))?;
    let b = b.summed(call, |l| later.contains(&l) || of_a.contains(&l))?;
    let both = |l: &&Label| b.labels.contains(l);
    let (shared, rows): (Vec<Label>, Vec<Label>) = a.labels.iter().partition(both);
    let (batch, inner): (Vec<Label>, Vec<Label>) =
        shared.iter().partition(|&&l| later.contains(&l));
    let columns: Vec<Label> = b.labels.iter().copied().filter(|l| !a.labels.contains(l)).collect();
    let size = |ls: &[Label]| {
        let dims: Vec<usize> =
            ls.iter().map(|&l| a.size(l).or_else(|| b.size(l)).unwrap_or(1)).collect();
        checked_len(&dims).map(|n| (n, dims)).ok_or(GeometryError::TooLarge)
    };
    let ((batches, _), (m, _), (n, _), (k, _)) =
        (size(&batch)?, size(&rows)?, size(&columns)?, size(&inner)?);
    let labels = [&batch[..], &rows, &columns].concat();
    let mut out = call.temp(a.tensor.dtype(), &size(&labels)?.1)?;
    let left = a.ordered(call, &[&batch[..], &rows, &inner].concat())?;
    let right = b.ordered(call, &[&batch[..], &inner, &columns].concat())?;
    if !out.is_empty() {
        match out.dtype() {
            DType::F32 => {
                products::<f32>(call, batches, GemmShape { m, n, k }, &left, &right, &mut out)?
            }
            DType::F64 => {
                products::<f64>(call, batches, GemmShape { m, n, k }, &left, &right, &mut out)?
            }
            _ => {
                let (x, y) = (left.slice::<i64>()?, right.slice::<i64>()?);
                for (i, o) in out.slice_mut::<i64>()?.iter_mut().enumerate() {
                    let (batch, row, column) = (i / (m * n), i / n % m, i % n);
                    let terms = (0..k).map(|p| {
                        x[(batch * m + row) * k + p].wrapping_mul(y[(batch * k + p) * n + column])
                    });
                    *o = terms.fold(0, i64::wrapping_add);
                }
            }
        }
    }
    Ok(Operand { labels, tensor: out })
}

fn products<T: Scalar + Element + gemm::StoredElement<T>>(
    call: &Call<'_, '_>,
    batches: usize,
    shape: GemmShape,
    a: &Tensor,
    b: &Tensor,
    out: &mut Tensor,
) -> Result<(), KernelError> {
    let (x, y, out) = (a.slice::<T>()?, b.slice::<T>()?, out.slice_mut::<T>()?);
    let GemmShape { m, n, k } = shape;
    if k == 0 {
        out.fill(T::default());
        return Ok(());
    }
    let lefts: Vec<_> =
        (0..batches).map(|i| Strided::rows(&x[i * m * k..(i + 1) * m * k], k)).collect();
    let rights: Vec<_> =
        (0..batches).map(|i| Strided::columns(&y[i * k * n..(i + 1) * k * n], n)).collect();
    let items: Vec<(Lhs<'_, T>, Rhs<'_, T>)> = lefts
        .iter()
        .zip(&rights)
        .map(|(l, r)| (Lhs::Source(l as _), Rhs::Source(r as _)))
        .collect();
    gemm_batch(call.threads, Isa::detect(), shape, &items, &Epilogue::default(), out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::test_data::Random;
    use crate::testing::{elements, run, run_in_turn, tensor};
    use trident_ir::{Attr, OpKind};
    use trident_runtime::{KernelError, Value};

    fn einsum(equation: &str, xs: Vec<Value>) -> Result<Value, KernelError> {
        run(OpKind::Einsum, &[("equation", Attr::Str(equation.into()))], xs)
    }

    #[test]
    fn products_of_three_operands() {
        let mut random = Random::new(9);
        let (a, b, c) = (random.f32s(2 * 3 * 4), random.f32s(4 * 5), random.f32s(3 * 5));
        let xs = vec![tensor(&[2, 3, 4], &a), tensor(&[4, 5], &b), tensor(&[3, 5], &c)];
        let got = elements::<f32>(&einsum("bij, jk, ik -> kb", xs).unwrap());
        for k in 0..5 {
            for n in 0..2 {
                let terms = (0..12).map(|ij| {
                    let (i, j) = (ij / 4, ij % 4);
                    f64::from(a[(n * 3 + i) * 4 + j])
                        * f64::from(b[j * 5 + k])
                        * f64::from(c[i * 5 + k])
                });
                let want: f64 = terms.sum();
                assert!((f64::from(got[k * 2 + n]) - want).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn diagonals_sums_and_ellipses() {
        let x = || tensor(&[2, 2], &[1i32, 2, 3, 4]);
        assert_eq!(elements::<i32>(&einsum("ii", vec![x()]).unwrap()), [5]);
        assert_eq!(elements::<i32>(&einsum("ii->i", vec![x()]).unwrap()), [1, 4]);
        assert_eq!(elements::<i32>(&einsum("ba", vec![x()]).unwrap()), [1, 3, 2, 4]);
        assert_eq!(elements::<i32>(&einsum("...i->...", vec![x()]).unwrap()), [3, 7]);
        let wide = tensor(&[3, 1, 2], &[1i32, 1, 2, 2, 3, 3]);
        let y = einsum("...i,...i->...", vec![wide, x()]).unwrap();
        assert_eq!(y.as_tensor().unwrap().dims(), [3, 2]);
        assert_eq!(elements::<i32>(&y), [3, 7, 6, 14, 9, 21]);
        assert_eq!(
            elements::<i32>(
                &einsum(",->", vec![tensor(&[], &[3i32]), tensor(&[], &[4i32])]).unwrap()
            ),
            [12]
        );
        for wrong in ["i", "ijk", "ij->k", "ij->ii", "i1", "ij,jk", "->"] {
            assert!(einsum(wrong, vec![x()]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_kernel_takes_operands_of_any_rank_and_size() {
        let ones = |dims: &[usize]| tensor(dims, &vec![1i32; dims.iter().product()]);
        let calls = [&[2, 3][..], &[4], &[2, 2, 5], &[2, 3]];
        let calls = calls.map(|dims| vec![ones(dims), ones(&dims[dims.len() - 1..])]).to_vec();
        let attrs = [("equation", Attr::Str("...i,i->...".into()))];
        let y = run_in_turn(OpKind::Einsum, &attrs, calls).unwrap();
        let y: Vec<Vec<i32>> = y.iter().map(elements).collect();
        assert_eq!(y, [vec![3; 2], vec![4], vec![5; 4], vec![3; 2]]);
    }
}
