//! Sequences as lists: make, read, insert, erase.

use crate::kernel::Call;
use trident_ir::DType;
use trident_ir::ops::{
    SequenceAt, SequenceConstruct, SequenceEmpty, SequenceErase, SequenceInsert, SequenceLength,
};
use trident_runtime::{KernelError, Value};

/// The items of sequence operand `i`.
pub(super) fn items(call: &Call<'_, '_>, i: usize) -> Result<Vec<Value>, KernelError> {
    match call.value(i).ok_or(KernelError::Missing(i))? {
        Value::Seq(items) => Ok(items.to_vec()),
        other => {
            let actual = other.describe();
            Err(KernelError::Kind { index: i, actual, expected: "a sequence" })
        }
    }
}

/// Operand `i` as a place among `len`, negative counted from `wrap`.
fn position(
    call: &Call<'_, '_>,
    i: usize,
    wrap: usize,
    len: usize,
) -> Result<Option<usize>, KernelError> {
    let Some(values) = call.ints(i)? else { return Ok(None) };
    let [at] = values[..] else {
        return Err(KernelError::shape(format!(
            "`position` must be one number, not {}",
            values.len()
        )));
    };
    let wrapped = if at < 0 { at.saturating_add(wrap as i64) } else { at };
    match usize::try_from(wrapped) {
        Ok(p) if p < len => Ok(Some(p)),
        _ => Err(KernelError::domain(format!("position {at} is outside a sequence of {wrap}"))),
    }
}

pub(super) fn at(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = SequenceAt::AT;
    let items = items(call, at.xs)?;
    let p = position(call, at.position, items.len(), items.len())?;
    let p = p.ok_or(KernelError::Missing(at.position))?;
    call.set(at.y, items[p].clone());
    Ok(())
}

pub(super) fn construct(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let items = (SequenceConstruct::AT.xs..call.inputs())
        .map(|i| call.value(i).cloned().ok_or(KernelError::Missing(i)))
        .collect::<Result<Vec<_>, _>>()?;
    call.set(SequenceConstruct::AT.y, Value::seq(items));
    Ok(())
}

pub(super) fn empty(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    call.set(SequenceEmpty::AT.y, Value::seq(vec![]));
    Ok(())
}

pub(super) fn erase(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = SequenceErase::AT;
    let mut items = items(call, at.xs)?;
    let last =
        || items.len().checked_sub(1).ok_or_else(|| KernelError::domain("the sequence is empty"));
    let p = match position(call, at.position, items.len(), items.len())? {
        Some(p) => p,
        None => last()?,
    };
    items.remove(p);
    call.set(at.y, Value::seq(items));
    Ok(())
}

pub(super) fn insert(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = SequenceInsert::AT;
    let mut items = items(call, at.xs)?;
    let item = call.value(at.x).cloned().ok_or(KernelError::Missing(at.x))?;
    let p = position(call, at.position, items.len(), items.len() + 1)?.unwrap_or(items.len());
    items.insert(p, item);
    call.set(at.y, Value::seq(items));
    Ok(())
}

pub(super) fn length(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = SequenceLength::AT;
    let n = items(call, at.xs)?.len();
    let mut out = call.alloc(at.y, DType::I64, &[])?;
    out.slice_mut::<i64>()?.fill(n as i64);
    call.set(at.y, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::OpKind;
    use trident_runtime::Value;

    fn values(v: &Value) -> Vec<f32> {
        let Value::Seq(items) = v else { panic!("{v:?}") };
        items.iter().flat_map(elements::<f32>).collect()
    }

    #[test]
    fn insert_erase_at() {
        let one = |v: f32| tensor(&[], &[v]);
        let at = |p: i64| tensor(&[], &[p]);
        let seq = run(OpKind::SequenceConstruct, &[], vec![one(1.0), one(2.0)]).unwrap();
        let insert = |p: i64| run(OpKind::SequenceInsert, &[], vec![seq.clone(), one(9.0), at(p)]);
        assert_eq!(values(&insert(-1).unwrap()), [1.0, 9.0, 2.0]);
        assert_eq!(values(&insert(2).unwrap()), [1.0, 2.0, 9.0]);
        assert!(insert(3).is_err() && insert(-3).is_err());
        let end = run(OpKind::SequenceInsert, &[], vec![seq.clone(), one(9.0)]).unwrap();
        assert_eq!(values(&end), [1.0, 2.0, 9.0]);
        assert_eq!(
            values(&run(OpKind::SequenceErase, &[], vec![end.clone()]).unwrap()),
            [1.0, 2.0]
        );
        let erased = run(OpKind::SequenceErase, &[], vec![end.clone(), at(0)]).unwrap();
        assert_eq!(values(&erased), [2.0, 9.0]);
        let item = run(OpKind::SequenceAt, &[], vec![end.clone(), at(-1)]).unwrap();
        assert_eq!(elements::<f32>(&item), [9.0]);
        assert!(run(OpKind::SequenceAt, &[], vec![end.clone(), at(i64::MIN)]).is_err());
        assert_eq!(elements::<i64>(&run(OpKind::SequenceLength, &[], vec![end]).unwrap()), [3]);
        assert!(run(OpKind::SequenceErase, &[], vec![Value::seq(vec![])]).is_err());
    }
}
