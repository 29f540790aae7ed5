//! Ops on tables of features.

use super::{Rows, floats};
use crate::dispatch_width;
use crate::kernel::Call;
use crate::real::{produce, read};
use num_traits::{AsPrimitive, Zero};
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

/// ArrayFeatureExtractor: columns of the last axis.
pub(super) fn extract(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (x, columns) = (call.tensor(0)?, call.tensor(1)?.to_i64s()?);
    let Some((&width, outer)) = x.dims().split_last() else {
        return Err(KernelError::shape("a scalar has no columns"));
    };
    let column = |&c: &i64| {
        let bad = || KernelError::domain(format!("column {c} of {width}"));
        usize::try_from(c).ok().filter(|&c| c < width).ok_or_else(bad)
    };
    let columns: Vec<usize> = columns.iter().map(column).collect::<Result<_, _>>()?;
    let outer = if outer.is_empty() { &[1] } else { outer };
    let mut out = call.alloc(0, x.dtype(), &[outer, &[columns.len()]].concat())?;
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
    call.set(0, out);
    Ok(())
}

/// Binarizer.
pub(super) fn binarize(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let threshold = f64::from(call.op.float("threshold").unwrap_or(0.0));
    let values = read::<f64>(&x)?;
    produce::<f64>(call, 0, x.dtype(), x.dims(), |out| {
        let above = values.iter().map(|&v| f64::from(u8::from(v > threshold)));
        out.iter_mut().zip(above).for_each(|(slot, v)| *slot = v);
        Ok(())
    })
}

/// FeatureVectorizer: the operands' columns, cut or filled with zeros to the lengths given.
pub(super) fn join(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let widths = call.op.ints("inputdimensions").map(<[i64]>::to_vec);
    let mut parts = Vec::new();
    for i in 0..call.inputs() {
        let x = call.tensor(i)?;
        let (rows, width) = match *x.dims() {
            [width] => (1, width),
            [rows, width] => (rows, width),
            ref other => {
                return Err(KernelError::shape(format!("{other:?} is no table of features")));
            }
        };
        let wanted = match widths.as_ref().map(|w| w.get(i)) {
            None => width,
            Some(Some(&w)) if w >= 0 => w as usize,
            Some(w) => return Err(KernelError::attr("inputdimensions", format!("{w:?}"))),
        };
        parts.push((rows, width, wanted, read::<f64>(&x)?.into_owned()));
    }
    let rows = parts.first().map_or(0, |p| p.0);
    if parts.iter().any(|p| p.0 != rows) {
        return Err(KernelError::shape("the operands have different numbers of rows"));
    }
    let total = parts.iter().try_fold(0usize, |n, p| n.checked_add(p.2));
    let total = total.ok_or_else(|| KernelError::shape("too many columns"))?;
    produce::<f64>(call, 0, DType::F32, &[rows, total], |out| {
        for (r, row) in out.chunks_exact_mut(total.max(1)).enumerate() {
            let mut rest = row;
            for (_, width, wanted, values) in &parts {
                let (slot, tail) = std::mem::take(&mut rest).split_at_mut(*wanted);
                let n = (*width).min(*wanted);
                slot[..n].copy_from_slice(&values[r * width..][..n]);
                slot[n..].fill(0.0);
                rest = tail;
            }
        }
        Ok(())
    })
}

/// Imputer.
pub(super) fn impute(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let width = x.dims().last().copied().unwrap_or(1);
    let fits = |n: usize| match n == 1 || n == width {
        true => Ok(()),
        false => {
            let (values, columns) = (counted(n, "imputed value"), counted(width, "column"));
            Err(KernelError::shape(format!("{values} for {columns}")))
        }
    };
    let mut out = call.alloc(0, x.dtype(), x.dims())?;
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
    match x.dtype() {
        DType::F32 | DType::F64 => {
            let missing = call.op.float("replaced_value_float").unwrap_or(0.0);
            let hit = |v: f64| v == f64::from(missing) || v.is_nan() && missing.is_nan();
            let values = floats(call.op, "imputed_value_floats");
            match x.dtype() {
                DType::F64 => replace!(f64, values, |v: f64| hit(v)),
                _ => replace!(f32, values, |v: f32| hit(v.into())),
            }
        }
        DType::I32 | DType::I64 => {
            let missing = call.op.int("replaced_value_int64").unwrap_or(0);
            let values = call.op.ints("imputed_value_int64s").unwrap_or_default();
            match x.dtype() {
                DType::I64 => replace!(i64, values, |v: i64| v == missing),
                _ => replace!(i32, values, |v: i32| i64::from(v) == missing),
            }
        }
        other => return Err(KernelError::Unsupported(other)),
    }
    call.set(0, out);
    Ok(())
}

/// Normalizer: a row whose norm is 0 stays.
pub(super) fn normalize(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (x, rows) = (call.tensor(0)?, Rows::new(call)?);
    let norm: fn(&[f64]) -> f64 = match call.op.str("norm") {
        Some("MAX") | None => |row| row.iter().fold(0.0, |m, v| v.abs().max(m)),
        Some("L1") => |row| row.iter().map(|v| v.abs()).sum(),
        Some("L2") => |row| row.iter().map(|v| v * v).sum::<f64>().sqrt(),
        Some(other) => return Err(KernelError::attr("norm", format!("unknown: {other}"))),
    };
    produce::<f64>(call, 0, DType::F32, x.dims(), |out| {
        for (i, slot) in out.chunks_exact_mut(rows.width.max(1)).enumerate() {
            let row = rows.row(i);
            let norm = norm(row);
            let divisor = if norm.is_zero() { 1.0 } else { norm };
            slot.iter_mut().zip(row).for_each(|(slot, v)| *slot = v / divisor);
        }
        Ok(())
    })
}

/// Scaler.
pub(super) fn scale(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let width = x.dims().last().copied().unwrap_or(1);
    let (offset, scale) = (floats(call.op, "offset"), floats(call.op, "scale"));
    for (name, list) in [("offset", offset), ("scale", scale)] {
        if !(list.len() <= 1 || list.len() == width) {
            let (given, columns) = (counted(list.len(), "number"), counted(width, "column"));
            return Err(KernelError::attr(name, format!("{given} for {columns}")));
        }
    }
    let at = |list: &[f32], i: usize, default: f64| match list.len() {
        0 => default,
        n => list[i % width % n].into(),
    };
    let values = read::<f64>(&x)?;
    produce::<f64>(call, 0, DType::F32, x.dims(), |out| {
        for (i, (slot, v)) in out.iter_mut().zip(&*values).enumerate() {
            *slot = (v - at(offset, i, 0.0)) * at(scale, i, 1.0);
        }
        Ok(())
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
