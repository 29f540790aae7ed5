//! Between maps and tensors.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::text;
use crate::real::read;
use std::collections::HashMap;
use std::sync::Arc;
use trident_ir::op::words::{MapCast, MapForm};
use trident_ir::ops::{CastMap, DictVectorizer, ZipMap};
use trident_ir::{DType, counted};
use trident_runtime::{KernelError, MapValue, Tensor, Value};

fn map(call: &Call<'_, '_>, index: usize) -> Result<Arc<MapValue>, KernelError> {
    match call.value(index).ok_or(KernelError::Missing(index))? {
        Value::Map(m) => Ok(m.clone()),
        other => {
            let actual = other.describe();
            Err(KernelError::Kind { index, actual, expected: "a map" })
        }
    }
}

/// CastMap: values in the order of their keys, or if sparse at the places that the keys name.
pub(super) fn cast(cx: &Compile<'_>) -> Made {
    let op = cx.view(CastMap::of)?;
    let to = op.cast_to();
    let len = match op.map_form() {
        MapForm::Dense => None,
        MapForm::Sparse => {
            let bad = |_| cx.refused(few(op.max_map()));
            Some(usize::try_from(op.max_map()).map_err(bad)?)
        }
    };
    Prepared::boxed(cx, move |call| cast_map(call, to, len))
}

/// The refusal of a `max_map` that some key does not fit into.
fn few(max_map: impl std::fmt::Display) -> KernelError {
    KernelError::attr(
        "max_map",
        format!("a vector of {max_map} does not have a place for every key"),
    )
}

fn cast_map(call: &mut Call<'_, '_>, to: MapCast, len: Option<usize>) -> Result<(), KernelError> {
    let at = CastMap::AT;
    let map = map(call, at.x)?;
    let mut order: Vec<(i64, usize)> =
        map.keys.to_i64s()?.into_iter().enumerate().map(|(i, k)| (k, i)).collect();
    order.sort_unstable();
    let places: Vec<Option<usize>> = match len {
        None => order.iter().map(|&(_, i)| Some(i)).collect(),
        Some(len) => {
            // Allocates as much as the list takes, so that a list that is too large is an error.
            call.temp(DType::F64, &[len, 2])?;
            let mut places = vec![None; len];
            for (key, i) in order {
                let place = usize::try_from(key).ok().and_then(|k| places.get_mut(k));
                *place.ok_or_else(|| few(len))? = Some(i);
            }
            places
        }
    };
    let dims = [1, places.len()];
    let texts: Option<&[String]> = map.values.strings().ok();
    let values = match texts {
        Some(_) => None,
        None => Some(read::<f64>(&map.values)?),
    };
    let number = |i: usize| match (texts, &values) {
        (Some(t), _) => text::float(&t[i]),
        (None, Some(v)) => Ok(v[i]),
        (None, None) => Ok(0.0),
    };
    let numbers = || -> Result<Vec<f64>, KernelError> {
        places.iter().map(|p| p.map_or(Ok(0.0), number)).collect()
    };
    let out = match to {
        MapCast::Str => {
            let mut out = call.alloc(at.y, DType::Str, &dims)?;
            let mut to = out.write_strings()?;
            for place in &places {
                match (*place, texts, &values) {
                    (Some(i), Some(texts), _) => to.push(&[&texts[i]])?,
                    (Some(i), None, Some(values)) => to.push(&[&values[i].to_string()])?,
                    _ => to.push(&[])?,
                }
            }
            out
        }
        MapCast::Float => crate::real::narrow(&numbers()?, call.alloc(at.y, DType::F32, &dims)?)?,
        MapCast::Int if texts.is_some() => {
            let mut out = call.alloc(at.y, DType::I64, &dims)?;
            let texts = texts.unwrap_or_default();
            for (slot, place) in out.slice_mut::<i64>()?.iter_mut().zip(&places) {
                let number = |i: usize| text::integer(&texts[i], DType::I64, |v| v.try_into().ok());
                *slot = place.map_or(Ok(0), number)?;
            }
            out
        }
        MapCast::Int => crate::real::narrow(&numbers()?, call.alloc(at.y, DType::I64, &dims)?)?,
    };
    call.set(at.y, out);
    Ok(())
}

/// DictVectorizer: the values of the vocabulary's keys; 0 or an empty string where there is none.
pub(super) fn vectorizer(cx: &Compile<'_>) -> Made {
    let op = cx.view(DictVectorizer::of)?;
    let strings = op.string_vocabulary().unwrap_or_default().to_vec();
    let ints = op.int64_vocabulary().unwrap_or_default().to_vec();
    let texts = strings.iter().map(|s| size_of::<String>() + s.len()).sum::<usize>();
    let bytes = texts + size_of_val(ints.as_slice());
    Prepared::holding(cx, bytes, move |call| vectorize(call, &strings, &ints))
}

fn vectorize(call: &mut Call<'_, '_>, strings: &[String], ints: &[i64]) -> Result<(), KernelError> {
    let at = DictVectorizer::AT;
    let map = map(call, at.x)?;
    let places: Vec<Option<usize>> = match map.keys.dtype() {
        DType::Str => {
            let keys = map.keys.strings()?.iter().enumerate();
            let at: HashMap<&str, usize> = keys.map(|(i, k)| (k.as_str(), i)).collect();
            strings.iter().map(|w| at.get(w.as_str()).copied()).collect()
        }
        _ => {
            let keys = map.keys.to_i64s()?.into_iter().enumerate();
            let at: HashMap<i64, usize> = keys.map(|(i, k)| (k, i)).collect();
            ints.iter().map(|w| at.get(w).copied()).collect()
        }
    };
    let dtype = map.values.dtype();
    let mut out = call.alloc(at.y, dtype, &[places.len()])?;
    if dtype == DType::Str {
        let values = map.values.strings()?;
        out.write_strings()?.extend(places.iter().map(|p| p.map_or("", |i| &values[i])))?;
    } else {
        let (values, size) = (map.values.bytes()?, dtype.size());
        for (slot, p) in out.bytes_mut()?.chunks_exact_mut(size).zip(&places) {
            match p {
                Some(i) => slot.copy_from_slice(&values[i * size..(i + 1) * size]),
                None => slot.fill(0),
            }
        }
    }
    call.set(at.y, out);
    Ok(())
}

/// ZipMap: a map from class to score for each row.
pub(super) fn zip(cx: &Compile<'_>) -> Made {
    let (op, pool) = (cx.view(ZipMap::of)?, cx.unit.pool);
    let keys = match op.classlabels_strings().filter(|s| !s.is_empty()) {
        Some(s) => Tensor::gather_strings(pool, &[s.len()], s.iter().map(String::as_str)),
        None => {
            let ints = op.classlabels_int64s().unwrap_or_default();
            Tensor::from_slice(pool, &[ints.len()], ints)
        }
    };
    let keys = keys.map_err(|e| cx.refused(e))?;
    Prepared::boxed(cx, move |call| zip_rows(call, &keys))
}

fn zip_rows(call: &mut Call<'_, '_>, keys: &Tensor) -> Result<(), KernelError> {
    let at = ZipMap::AT;
    let x = call.tensor(at.x)?;
    let width = keys.len();
    if x.rank() == 0 || x.rank() > 2 || x.dims().last() != Some(&width) || width == 0 {
        let dims = x.dims();
        return Err(KernelError::shape(format!(
            "an input of dimensions {dims:?} does not have a column for each of {}",
            counted(width, "class")
        )));
    }
    let rows = x.slice::<f32>()?.chunks_exact(width).map(|row| {
        let values = Tensor::from_slice(call.pool(), &[width], row)?;
        Ok(Value::Map(Arc::new(MapValue { keys: keys.clone(), values })))
    });
    let rows = rows.collect::<Result<Vec<_>, KernelError>>()?;
    call.set(at.z, Value::seq(rows));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use std::sync::Arc;
    use trident_ir::{Attr, OpKind};
    use trident_runtime::{MapValue, Pool, Tensor, Value};

    #[test]
    fn text_becomes_an_integer_exactly() {
        let go = |texts: [&str; 2]| {
            let values = Tensor::from_strings(&[2], texts.map(str::to_owned).to_vec()).unwrap();
            let keys = Tensor::from_slice(&Pool::new(), &[2], &[1i64, 2]).unwrap();
            let attrs = [("cast_to", Attr::Str("TO_INT64".into()))];
            let map = Value::Map(Arc::new(MapValue { keys, values }));
            run(OpKind::CastMap, &attrs, vec![map])
        };
        let y = go(["9223372036854775807", " -9007199254740993"]).unwrap();
        assert_eq!(elements::<i64>(&y), [i64::MAX, -9_007_199_254_740_993]);
        for wrong in ["9223372036854775808", "1.5", "inf", "one"] {
            assert!(go(["1", wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn there_and_back() {
        let labels = [("classlabels_int64s", Attr::Ints(vec![7, 2]))];
        let seq =
            run(OpKind::ZipMap, &labels, vec![tensor(&[2, 2], &[0.5f32, 1.5, 2.5, 3.5])]).unwrap();
        let Value::Seq(maps) = seq else { panic!("no sequence") };
        let dense = run(OpKind::CastMap, &[], vec![maps[1].clone()]).unwrap();
        assert_eq!(elements::<f32>(&dense), [3.5, 2.5]);
        let sparse = |n| {
            let attrs = [
                ("map_form", Attr::Str("SPARSE".into())),
                ("max_map", Attr::Int(n)),
                ("cast_to", Attr::Str("TO_INT64".into())),
            ];
            run(OpKind::CastMap, &attrs, vec![maps[1].clone()])
        };
        assert_eq!(elements::<i64>(&sparse(8).unwrap()), [0, 0, 3, 0, 0, 0, 0, 2]);
        assert!(sparse(7).is_err() && sparse(-1).is_err());
        let words = [("int64_vocabulary", Attr::Ints(vec![2, 3, 7]))];
        let y = run(OpKind::DictVectorizer, &words, vec![maps[0].clone()]).unwrap();
        assert_eq!(elements::<f32>(&y), [1.5, 0.0, 0.5]);
        assert!(run(OpKind::ZipMap, &labels, vec![tensor(&[3], &[0.0f32; 3])]).is_err());
    }
}
