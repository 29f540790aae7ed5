//! Maps between labels: LabelEncoder, CategoryMapper, OneHotEncoder.

use crate::dispatch_width;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::read;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use trident_ir::ops::{CategoryMapper, LabelEncoder, OneHotEncoder};
use trident_ir::{DType, Literal};
use trident_runtime::{KernelError, Pool, Tensor};

/// A label that can be looked up. Floats are equal by value, all NaNs are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key<'a> {
    Int(i64),
    Float(u64),
    Str(Cow<'a, str>),
}

impl Key<'_> {
    fn into_owned(self) -> Key<'static> {
        match self {
            Key::Int(v) => Key::Int(v),
            Key::Float(v) => Key::Float(v),
            Key::Str(v) => Key::Str(Cow::Owned(v.into_owned())),
        }
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Int(v) => write!(f, "{v}"),
            Key::Float(bits) => write!(f, "{}", f64::from_bits(*bits)),
            Key::Str(text) => write!(f, "`{text}`"),
        }
    }
}

/// Bytes of a table of labels.
fn table_bytes(table: &HashMap<Key<'static>, usize>) -> usize {
    let texts = table.keys().map(|key| match key {
        Key::Str(text) => text.len(),
        _ => 0,
    });
    table.capacity() * size_of::<(Key<'_>, usize)>() + texts.sum::<usize>()
}

/// Labels of a tensor.
fn keys(t: &Tensor) -> Result<Vec<Key<'_>>, KernelError> {
    let float = |&v: &f64| Key::Float(if v.is_nan() { f64::NAN } else { v + 0.0 }.to_bits());
    Ok(match t.dtype() {
        DType::Str => t.strings()?.iter().map(|s| Key::Str(Cow::Borrowed(s))).collect(),
        d if d.is_float() => read::<f64>(t)?.iter().map(float).collect(),
        _ => t.to_i64s()?.into_iter().map(Key::Int).collect(),
    })
}

/// A map from labels to elements of `values`; the last of them stands for unknown labels.
struct Encoder {
    map: HashMap<Key<'static>, usize>,
    values: Tensor,
}

/// One list, in the one of an op's attributes that is set.
struct List<'a> {
    /// The attribute that takes any type.
    name: &'static str,
    tensor: Option<&'a Literal>,
    strings: Option<&'a [String]>,
    ints: Option<&'a [i64]>,
    floats: Option<&'a [f32]>,
}

impl List<'_> {
    fn tensor(&self, pool: &Pool) -> Result<Tensor, KernelError> {
        match *self {
            List { tensor: Some(literal), .. } => Tensor::from_literal(pool, literal),
            List { strings: Some(v), .. } => strings(pool, v),
            List { ints: Some(v), .. } => Tensor::from_slice(pool, &[v.len()], v),
            List { floats: Some(v), .. } => Tensor::from_slice(pool, &[v.len()], v),
            _ => Err(KernelError::attr(
                self.name,
                "one of the attributes of this kind must be given",
            )),
        }
    }
}

fn strings(pool: &Pool, values: &[String]) -> Result<Tensor, KernelError> {
    Tensor::gather_strings(pool, &[values.len()], values.iter().map(String::as_str))
}

/// LabelEncoder.
pub(super) fn encoder(cx: &Compile<'_>) -> Made {
    let encoder = Encoder::new(cx.view(LabelEncoder::of)?, cx.unit.pool);
    let encoder = encoder.map_err(|e| cx.refused(e))?;
    let at = LabelEncoder::AT;
    Prepared::holding(cx, encoder.bytes(), move |call| encoder.run(call, at.x, at.y))
}

impl Encoder {
    /// LabelEncoder's map.
    fn new(op: LabelEncoder<'_>, pool: &Pool) -> Result<Encoder, KernelError> {
        let from = List {
            name: "keys_tensor",
            tensor: op.keys_tensor(),
            strings: op.keys_strings(),
            ints: op.keys_int64s(),
            floats: op.keys_floats(),
        };
        let to = List {
            name: "values_tensor",
            tensor: op.values_tensor(),
            strings: op.values_strings(),
            ints: op.values_int64s(),
            floats: op.values_floats(),
        };
        let (from, to) = (from.tensor(pool)?, to.tensor(pool)?);
        let default = Encoder::default(op, pool, to.dtype())?;
        Encoder::between(pool, &from, &to, &default)
    }

    /// The value of unknown labels, in the type of the values.
    fn default(op: LabelEncoder<'_>, pool: &Pool, dtype: DType) -> Result<Tensor, KernelError> {
        if let Some(literal) = op.default_tensor() {
            return Tensor::from_literal(pool, literal);
        }
        let int = op.default_int64();
        match dtype {
            DType::Str => Tensor::gather_strings(pool, &[1], [op.default_string()].into_iter()),
            DType::I64 => Tensor::from_slice(pool, &[1], &[int]),
            d => {
                let out = Tensor::alloc(pool, dtype, &[1])?;
                let value = if d.is_float() { op.default_float().into() } else { int as f64 };
                crate::real::narrow(&[value], out)
            }
        }
    }

    fn between(
        pool: &Pool,
        from: &Tensor,
        to: &Tensor,
        default: &Tensor,
    ) -> Result<Encoder, KernelError> {
        if from.len() != to.len() || default.len() != 1 || default.dtype() != to.dtype() {
            let (k, v, d) = (from.ty(), to.ty(), default.ty());
            return Err(KernelError::shape(format!(
                "keys of type {k}, values of {v} and a default of {d} do not fit together"
            )));
        }
        let mut values = Tensor::alloc(pool, to.dtype(), &[to.len() + 1])?;
        if to.dtype() == DType::Str {
            let all = to.strings()?.iter().chain(default.strings()?);
            values.write_strings()?.extend(all.map(String::as_str))?;
        } else {
            let (all, split) = (values.bytes_mut()?, to.size());
            all[..split].copy_from_slice(to.bytes()?);
            all[split..].copy_from_slice(default.bytes()?);
        }
        // Of equal keys the last counts.
        let map = keys(from)?.into_iter().enumerate().map(|(i, k)| (k.into_owned(), i)).collect();
        Ok(Encoder { map, values })
    }

    /// Bytes of the map; the values lie in the pool.
    fn bytes(&self) -> usize {
        table_bytes(&self.map)
    }

    /// Encodes operand `x` to result `y`.
    fn run(&self, call: &mut Call<'_, '_>, x: usize, y: usize) -> Result<(), KernelError> {
        let x = call.tensor(x)?;
        let unknown = self.values.len() - 1;
        let at: Vec<usize> =
            keys(&x)?.iter().map(|k| self.map.get(k).copied().unwrap_or(unknown)).collect();
        let mut out = call.alloc(y, self.values.dtype(), x.dims())?;
        if self.values.dtype() == DType::Str {
            let values = self.values.strings()?;
            out.write_strings()?.extend(at.iter().map(|&i| values[i].as_str()))?;
        } else {
            dispatch_width!(self.values.dtype(), T => {
                let values: &[T] = bytemuck::cast_slice(self.values.bytes()?);
                let slots = bytemuck::cast_slice_mut::<u8, T>(out.bytes_mut()?).iter_mut();
                slots.zip(at).for_each(|(slot, i)| *slot = values[i]);
            }, else => return Err(KernelError::Unsupported(x.dtype())));
        }
        call.set(y, out);
        Ok(())
    }
}

/// CategoryMapper: strings to numbers, else numbers to strings.
pub(super) fn categories(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(CategoryMapper::of)?, CategoryMapper::AT);
    let (to_ints, to_strings) = both_ways(op, cx.unit.pool).map_err(|e| cx.refused(e))?;
    Prepared::holding(cx, to_ints.bytes() + to_strings.bytes(), move |call| {
        match call.tensor(at.x)?.dtype() {
            DType::Str => to_ints.run(call, at.x, at.y),
            _ => to_strings.run(call, at.x, at.y),
        }
    })
}

fn both_ways(op: CategoryMapper<'_>, pool: &Pool) -> Result<(Encoder, Encoder), KernelError> {
    let texts = strings(pool, op.cats_strings().unwrap_or_default())?;
    let ints = op.cats_int64s().unwrap_or_default();
    let ints = Tensor::from_slice(pool, &[ints.len()], ints)?;
    let int = Tensor::from_slice(pool, &[1], &[op.default_int64()])?;
    let text = Tensor::gather_strings(pool, &[1], [op.default_string()].into_iter())?;
    let to_ints = Encoder::between(pool, &texts, &ints, &int)?;
    Ok((to_ints, Encoder::between(pool, &ints, &texts, &text)?))
}

/// OneHotEncoder.
pub(super) fn one_hot(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(OneHotEncoder::of)?, OneHotEncoder::AT);
    let labels: Vec<Key<'static>> = match op.cats_strings().filter(|s| !s.is_empty()) {
        Some(strings) => strings.iter().map(|s| Key::Str(Cow::Owned(s.clone()))).collect(),
        None => op.cats_int64s().unwrap_or_default().iter().map(|&i| Key::Int(i)).collect(),
    };
    let (width, zeros) = (labels.len(), op.zeros());
    let columns: HashMap<_, _> = labels.into_iter().enumerate().map(|(i, k)| (k, i)).collect();
    Prepared::holding(cx, table_bytes(&columns), move |call| {
        let x = call.tensor(at.x)?;
        let keys = match x.dtype().is_float() {
            true => read::<f64>(&x)?.iter().map(|&v| Key::Int(v as i64)).collect(),
            false => keys(&x)?,
        };
        let mut out = call.alloc(at.y, DType::F32, &[x.dims(), &[width]].concat())?;
        let slots = out.slice_mut::<f32>()?;
        slots.fill(0.0);
        for (i, key) in keys.iter().enumerate() {
            match columns.get(key) {
                Some(c) => slots[i * width + c] = 1.0,
                None if zeros => {}
                None => {
                    return Err(KernelError::domain(format!("{key} is not one of the categories")));
                }
            }
        }
        call.set(at.y, out);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, strings, tensor};
    use trident_ir::{Attr, Literal, OpKind};

    fn names(v: &[&str]) -> Attr {
        Attr::Strs(v.iter().map(|s| s.to_string()).collect())
    }

    #[test]
    fn labels_map_and_fall_back() {
        let attrs = [
            ("keys_strings", names(&["a", "b", "a"])),
            ("values_int64s", Attr::Ints(vec![1, 2, 3])),
        ];
        let y = run(OpKind::LabelEncoder, &attrs, vec![strings(&[3], &["a", "b", "c"])]).unwrap();
        assert_eq!(elements::<i64>(&y), [3, 2, -1]);
        let attrs = [
            ("keys_tensor", Attr::Tensor(Literal::vector(&[f64::NAN, 0.0]))),
            ("values_tensor", Attr::Tensor(Literal::vector(&[7i16, 8]))),
            ("default_tensor", Attr::Tensor(Literal::vector(&[9i16]))),
        ];
        let x = tensor(&[3], &[-f64::NAN, -0.0, 1.0]);
        assert_eq!(
            elements::<i16>(&run(OpKind::LabelEncoder, &attrs, vec![x]).unwrap()),
            [7, 8, 9]
        );
        let bad = [("keys_strings", names(&["a"])), ("values_int64s", Attr::Ints(vec![]))];
        assert!(run(OpKind::LabelEncoder, &bad, vec![strings(&[1], &["a"])]).is_err());
    }

    #[test]
    fn categories_both_ways_and_one_hot() {
        let attrs = [("cats_strings", names(&["x", "y"])), ("cats_int64s", Attr::Ints(vec![4, 5]))];
        let y = run(OpKind::CategoryMapper, &attrs, vec![strings(&[2], &["y", "z"])]).unwrap();
        assert_eq!(elements::<i64>(&y), [5, -1]);
        let y = run(OpKind::CategoryMapper, &attrs, vec![tensor(&[2], &[4i64, 6])]).unwrap();
        assert_eq!(y.as_tensor().unwrap().strings().unwrap(), ["x", "_Unused"]);
        let cats = ("cats_int64s", Attr::Ints(vec![4, 5]));
        let x = || tensor(&[1, 2], &[5.0f32, 6.0]);
        let y = run(OpKind::OneHotEncoder, std::slice::from_ref(&cats), vec![x()]).unwrap();
        assert_eq!(elements::<f32>(&y), [0.0, 1.0, 0.0, 0.0]);
        assert!(run(OpKind::OneHotEncoder, &[cats, ("zeros", Attr::Int(0))], vec![x()]).is_err());
    }
}
