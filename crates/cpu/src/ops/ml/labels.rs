//! Maps between labels: LabelEncoder, CategoryMapper, OneHotEncoder.

use super::Bytes;
use crate::dispatch_width;
use crate::kernel::Call;
use crate::real::read;
use std::borrow::Cow;
use std::collections::HashMap;
use trident_ir::{Attr, DType, Op};
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
pub(super) struct Encoder {
    map: HashMap<Key<'static>, usize>,
    values: Tensor,
}

/// Which of an op's attributes hold one list.
struct Lists {
    tensor: &'static str,
    strings: &'static str,
    ints: &'static str,
    floats: &'static str,
}

fn vector(op: &Op, pool: &Pool, names: &Lists) -> Result<Tensor, KernelError> {
    if let Some(Attr::Tensor(literal)) = op.attrs.get(names.tensor) {
        return Tensor::from_literal(pool, literal);
    }
    if let Some(v) = op.strs(names.strings) {
        return strings(pool, v);
    }
    if let Some(v) = op.ints(names.ints) {
        return Tensor::from_slice(pool, &[v.len()], v);
    }
    match op.floats(names.floats) {
        Some(v) => Tensor::from_slice(pool, &[v.len()], v),
        None => Err(KernelError::attr(names.tensor, "none of its kind is set")),
    }
}

fn strings(pool: &Pool, values: &[String]) -> Result<Tensor, KernelError> {
    Tensor::gather_strings(pool, &[values.len()], values.iter().map(String::as_str))
}

/// What unknown labels become, in the type of the values.
fn default(op: &Op, pool: &Pool, dtype: DType) -> Result<Tensor, KernelError> {
    if let Some(Attr::Tensor(literal)) = op.attrs.get("default_tensor") {
        return Tensor::from_literal(pool, literal);
    }
    let int = op.int("default_int64").unwrap_or(-1);
    let out = Tensor::alloc(pool, dtype, &[1])?;
    match dtype {
        DType::Str => {
            let text = op.str("default_string").unwrap_or("_Unused");
            Tensor::gather_strings(pool, &[1], [text].into_iter())
        }
        DType::I64 => Tensor::from_slice(pool, &[1], &[int]),
        d if d.is_float() => crate::real::narrow(&[op.float("default_float").unwrap_or(-0.0)], out),
        _ => crate::real::narrow(&[int as f64], out),
    }
}

impl Encoder {
    /// LabelEncoder's map.
    pub(super) fn new(op: &Op, pool: &Pool) -> Result<Encoder, KernelError> {
        let (tensor, strings) = ("keys_tensor", "keys_strings");
        let names = Lists { tensor, strings, ints: "keys_int64s", floats: "keys_floats" };
        let from = vector(op, pool, &names)?;
        let (tensor, strings) = ("values_tensor", "values_strings");
        let names = Lists { tensor, strings, ints: "values_int64s", floats: "values_floats" };
        let to = vector(op, pool, &names)?;
        let default = default(op, pool, to.dtype())?;
        Encoder::between(pool, &from, &to, &default)
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
                "keys {k}, values {v} and default {d} do not fit"
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

    /// Encodes operand 0.
    pub(super) fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let x = call.tensor(0)?;
        let unknown = self.values.len() - 1;
        let at: Vec<usize> =
            keys(&x)?.iter().map(|k| self.map.get(k).copied().unwrap_or(unknown)).collect();
        let mut out = call.alloc(0, self.values.dtype(), x.dims())?;
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
        call.set(0, out);
        Ok(())
    }
}

impl Bytes for Encoder {
    /// Those of the map, as the values lie in the pool.
    fn bytes(&self) -> usize {
        let texts = self.map.keys().map(|key| match key {
            Key::Str(text) => text.len(),
            _ => 0,
        });
        self.map.capacity() * size_of::<(Key<'_>, usize)>() + texts.sum::<usize>()
    }
}

/// CategoryMapper's maps.
pub(super) struct Categories {
    to_ints: Encoder,
    to_strings: Encoder,
}

impl Categories {
    pub(super) fn new(op: &Op, pool: &Pool) -> Result<Categories, KernelError> {
        let texts = strings(pool, op.strs("cats_strings").unwrap_or_default())?;
        let ints = op.ints("cats_int64s").unwrap_or_default();
        let ints = Tensor::from_slice(pool, &[ints.len()], ints)?;
        let (int, text) = (default(op, pool, DType::I64)?, default(op, pool, DType::Str)?);
        let to_ints = Encoder::between(pool, &texts, &ints, &int)?;
        Ok(Categories { to_ints, to_strings: Encoder::between(pool, &ints, &texts, &text)? })
    }

    /// Maps operand 0: strings to numbers, else numbers to strings.
    pub(super) fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        match call.tensor(0)?.dtype() {
            DType::Str => self.to_ints.run(call),
            _ => self.to_strings.run(call),
        }
    }
}

impl Bytes for Categories {
    fn bytes(&self) -> usize {
        self.to_ints.bytes() + self.to_strings.bytes()
    }
}

/// OneHotEncoder.
pub(super) fn one_hot(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let labels = match call.op.strs("cats_strings").filter(|s| !s.is_empty()) {
        Some(strings) => strings.iter().map(|s| Key::Str(Cow::Borrowed(s))).collect::<Vec<_>>(),
        None => {
            call.op.ints("cats_int64s").unwrap_or_default().iter().map(|&i| Key::Int(i)).collect()
        }
    };
    let columns: HashMap<&Key, usize> = labels.iter().enumerate().map(|(i, k)| (k, i)).collect();
    let keys = match x.dtype().is_float() {
        true => read::<f64>(&x)?.iter().map(|&v| Key::Int(v as i64)).collect(),
        false => keys(&x)?,
    };
    let zeros = call.op.flag("zeros");
    let mut out = call.alloc(0, DType::F32, &[x.dims(), &[labels.len()]].concat())?;
    let slots = out.slice_mut::<f32>()?;
    slots.fill(0.0);
    for (i, key) in keys.iter().enumerate() {
        match columns.get(key) {
            Some(c) => slots[i * labels.len() + c] = 1.0,
            None if zeros => {}
            None => return Err(KernelError::domain(format!("{key:?} is no known category"))),
        }
    }
    call.set(0, out);
    Ok(())
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
