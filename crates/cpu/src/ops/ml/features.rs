//! Ops on tables of features.

use super::{Rows, list};
use crate::dispatch_width;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{produce, read};
use num_traits::{AsPrimitive, Zero};
use trident_ir::op::words::RowNorm;
use trident_ir::ops::{
    ArrayFeatureExtractor, Binarizer, FeatureVectorizer, Imputer, Normalizer, Scaler,
};
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

/// ArrayFeatureExtractor: columns of the last axis.
pub(super) fn extract(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = ArrayFeatureExtractor::AT;
    let (x, columns) = (call.tensor(at.x)?, call.tensor(at.y)?.to_i64s()?);
    let Some((&width, outer)) = x.dims().split_last() else {
        return Err(KernelError::shape("a scalar has no columns"));
    };
    let column = |&c: &i64| {
        let bad = || KernelError::domain(format!("column {c} is asked for, and there are {width}"));
        usize::try_from(c).ok().filter(|&c| c < width).ok_or_else(bad)
    };
    let columns: Vec<usize> = columns.iter().map(column).collect::<Result<_, _>>()?;
    let outer = if outer.is_empty() { &[1] } else { outer };
    let mut out = call.alloc(at.z, x.dtype(), &[outer, &[columns.len()]].concat())?;
    let n = columns.len().max(1);
    let from = |i: usize| i / n * width + columns[i % n];
    if x.dtype() == DType::Str {
        let x = x.strings()?;
        let count = out.len();
        out.write_strings()?.extend((0..count).map(|i| x[from(i)].as_str()))?;
    } else {
        dispatch_width!(x.dtype(), T => {
            let x: &[T] = bytemuck::cast_slice(x.bytes()?);
            let slots = bytemuck::cast_slice_mut::<u8, T>(out.bytes_mut()?).iter_mut().enumerate();
            slots.for_each(|(i, slot)| *slot = x[from(i)]);
        }, else => return Err(KernelError::Unsupported(x.dtype())));
    }
    call.set(at.z, out);
    Ok(())
}

/// Binarizer.
pub(super) fn binarizer(cx: &Compile<'_>) -> Made {
    let (threshold, at) = (f64::from(cx.view(Binarizer::of)?.threshold()), Binarizer::AT);
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let values = read::<f64>(&x)?;
        produce::<f64>(call, at.y, x.dtype(), x.dims(), |out| {
            let above = values.iter().map(|&v| f64::from(u8::from(v > threshold)));
            out.iter_mut().zip(above).for_each(|(slot, v)| *slot = v);
            Ok(())
        })
    })
}

/// FeatureVectorizer: the operands' columns, cut or filled with zeros to the lengths given.
pub(super) fn joiner(cx: &Compile<'_>) -> Made {
    let widths = cx.view(FeatureVectorizer::of)?.inputdimensions().map(<[i64]>::to_vec);
    Prepared::boxed(cx, move |call| join(call, widths.as_deref()))
}

fn join(call: &mut Call<'_, '_>, widths: Option<&[i64]>) -> Result<(), KernelError> {
    let at = FeatureVectorizer::AT;
    let mut parts = Vec::new();
    for i in at.xs..call.inputs() {
        let rows = Rows::of(&call.tensor(i)?)?;
        let wanted = match widths.map(|w| w.get(i)) {
            None => rows.width,
            Some(Some(&w)) if w >= 0 => w as usize,
            Some(w) => {
                return Err(KernelError::attr(
                    "inputdimensions",
                    format!("{w:?} are not the widths of the inputs"),
                ));
            }
        };
        parts.push((rows, wanted));
    }
    let count = parts.first().map_or(0, |(rows, _)| rows.count);
    if parts.iter().any(|(rows, _)| rows.count != count) {
        return Err(KernelError::shape("the inputs have different numbers of rows"));
    }
    let total = parts.iter().try_fold(0usize, |n, (_, wanted)| n.checked_add(*wanted));
    let total =
        total.ok_or_else(|| KernelError::shape("the inputs have too many columns in all"))?;
    produce::<f64>(call, at.y, DType::F32, &[count, total], |out| {
        for (r, row) in out.chunks_exact_mut(total.max(1)).enumerate() {
            let mut rest = row;
            for (rows, wanted) in &parts {
                let (slot, tail) = std::mem::take(&mut rest).split_at_mut(*wanted);
                let n = rows.width.min(*wanted);
                slot[..n].copy_from_slice(&rows.row(r)[..n]);
                slot[n..].fill(0.0);
                rest = tail;
            }
        }
        Ok(())
    })
}

/// Replacements for missing values, one per column or one for all.
struct Replaced {
    missing_float: f32,
    missing_int: i64,
    floats: Vec<f32>,
    ints: Vec<i64>,
}

/// Imputer.
pub(super) fn imputer(cx: &Compile<'_>) -> Made {
    let op = cx.view(Imputer::of)?;
    let replaced = Replaced {
        missing_float: op.replaced_value_float(),
        missing_int: op.replaced_value_int64(),
        floats: list(op.imputed_value_floats()),
        ints: op.imputed_value_int64s().unwrap_or_default().to_vec(),
    };
    let bytes = size_of_val(replaced.floats.as_slice()) + size_of_val(replaced.ints.as_slice());
    Prepared::holding(cx, bytes, move |call| replaced.run(call))
}

impl Replaced {
    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let at = Imputer::AT;
        let x = call.tensor(at.x)?;
        let width = x.dims().last().copied().unwrap_or(1);
        let fits = |n: usize| match n == 1 || n == width {
            true => Ok(()),
            false => {
                let (values, columns) = (counted(n, "imputed value"), counted(width, "column"));
                Err(KernelError::shape(format!("there are {values} for {columns}")))
            }
        };
        let mut out = call.alloc(at.y, x.dtype(), x.dims())?;
        macro_rules! replace {
            ($T:ty, $values:expr, $hit:expr) => {{
                let values = $values;
                fits(values.len())?;
                let slots = out.slice_mut::<$T>()?.iter_mut().zip(x.slice::<$T>()?).enumerate();
                slots.for_each(|(i, (slot, &v))| {
                    *slot = if $hit(v) { values[i % width % values.len()].as_() } else { v };
                });
            }};
        }
        let float = |v: f64| {
            let missing = self.missing_float;
            v == f64::from(missing) || v.is_nan() && missing.is_nan()
        };
        match x.dtype() {
            DType::F64 => replace!(f64, &self.floats, float),
            DType::F32 => replace!(f32, &self.floats, |v: f32| float(v.into())),
            DType::I64 => replace!(i64, &self.ints, |v: i64| v == self.missing_int),
            DType::I32 => replace!(i32, &self.ints, |v: i32| i64::from(v) == self.missing_int),
            other => return Err(KernelError::Unsupported(other)),
        }
        call.set(at.y, out);
        Ok(())
    }
}

/// Normalizer: a row whose norm is 0 stays.
pub(super) fn normalizer(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(Normalizer::of)?, Normalizer::AT);
    let norm: fn(&[f64]) -> f64 = match op.norm() {
        RowNorm::Max => |row| row.iter().fold(0.0, |m, v| v.abs().max(m)),
        RowNorm::L1 => |row| row.iter().map(|v| v.abs()).sum(),
        RowNorm::L2 => |row| row.iter().map(|v| v * v).sum::<f64>().sqrt(),
    };
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let rows = Rows::of(&x)?;
        produce::<f64>(call, at.y, DType::F32, x.dims(), |out| {
            for (i, slot) in out.chunks_exact_mut(rows.width.max(1)).enumerate() {
                let row = rows.row(i);
                let norm = norm(row);
                let divisor = if norm.is_zero() { 1.0 } else { norm };
                slot.iter_mut().zip(row).for_each(|(slot, v)| *slot = v / divisor);
            }
            Ok(())
        })
    })
}

/// Scaler.
pub(super) fn scaler(cx: &Compile<'_>) -> Made {
    let (op, places) = (cx.view(Scaler::of)?, Scaler::AT);
    let (offset, scale) = (list(op.offset()), list(op.scale()));
    let bytes = size_of_val(offset.as_slice()) + size_of_val(scale.as_slice());
    Prepared::holding(cx, bytes, move |call| {
        let x = call.tensor(places.x)?;
        let width = x.dims().last().copied().unwrap_or(1);
        for (name, list) in [("offset", &offset), ("scale", &scale)] {
            if !(list.len() <= 1 || list.len() == width) {
                let (given, columns) = (counted(list.len(), "number"), counted(width, "column"));
                return Err(KernelError::attr(name, format!("there are {given} for {columns}")));
            }
        }
        let at = |list: &[f32], i: usize, default: f64| match list.len() {
            0 => default,
            n => list[i % width % n].into(),
        };
        let values = read::<f64>(&x)?;
        produce::<f64>(call, places.y, DType::F32, x.dims(), |out| {
            for (i, (slot, v)) in out.iter_mut().zip(&*values).enumerate() {
                *slot = (v - at(&offset, i, 0.0)) * at(&scale, i, 1.0);
            }
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn tables() {
        let x = || tensor(&[2, 3], &[1.0f32, -2.0, f32::NAN, 4.0, 0.0, 2.0]);
        let y =
            run(OpKind::ArrayFeatureExtractor, &[], vec![x(), tensor(&[2], &[2i64, 0])]).unwrap();
        assert_eq!(elements::<f32>(&y)[1..], [1.0, 2.0, 4.0]);
        assert!(run(OpKind::ArrayFeatureExtractor, &[], vec![x(), tensor(&[1], &[3i64])]).is_err());
        let attrs = [
            ("imputed_value_floats", Attr::Floats(vec![9.0])),
            ("replaced_value_float", Attr::Float(f32::NAN)),
        ];
        let y = run(OpKind::Imputer, &attrs, vec![x()]).unwrap();
        assert_eq!(elements::<f32>(&y), [1.0, -2.0, 9.0, 4.0, 0.0, 2.0]);
        let none = [("imputed_value_floats", Attr::Floats(vec![]))];
        assert!(run(OpKind::Imputer, &none, vec![x()]).is_err());
        let y = run(
            OpKind::Normalizer,
            &[("norm", Attr::Str("L1".into()))],
            vec![tensor(&[2, 2], &[1i64, -3, 0, 0])],
        );
        assert_eq!(elements::<f32>(&y.unwrap()), [0.25, -0.75, 0.0, 0.0]);
        let attrs = [("offset", Attr::Floats(vec![1.0])), ("scale", Attr::Floats(vec![2.0, 3.0]))];
        let y = run(OpKind::Scaler, &attrs, vec![tensor(&[2, 2], &[1i32, 2, 3, 4])]).unwrap();
        assert_eq!(elements::<f32>(&y), [0.0, 3.0, 4.0, 9.0]);
        let y = run(
            OpKind::Binarizer,
            &[("threshold", Attr::Float(1.0))],
            vec![tensor(&[2], &[1i64, 2])],
        );
        assert_eq!(elements::<i64>(&y.unwrap()), [0, 1]);
        let attrs = [("inputdimensions", Attr::Ints(vec![1, 3]))];
        let parts = vec![tensor(&[2, 2], &[1i64, 2, 3, 4]), tensor(&[2, 1], &[5i64, 6])];
        let y = run(OpKind::FeatureVectorizer, &attrs, parts).unwrap();
        assert_eq!(elements::<f32>(&y), [1.0, 5.0, 0.0, 0.0, 3.0, 6.0, 0.0, 0.0]);
    }
}
