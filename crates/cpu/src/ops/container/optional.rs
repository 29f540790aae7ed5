//! Optional values.

use crate::kernel::Call;
use std::sync::Arc;
use trident_ir::DType;
use trident_ir::element::B8;
use trident_ir::ops::{Optional, OptionalGetElement, OptionalHasElement};
use trident_runtime::{KernelError, Value};

/// Optional: an optional with the operand as its value, or without a value.
pub(super) fn wrap(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let value = call.value(Optional::AT.x).cloned().map(Arc::new);
    call.set(Optional::AT.y, Value::Optional(value));
    Ok(())
}

/// OptionalGetElement. An operand that is not an optional is returned as it is.
pub(super) fn get(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = OptionalGetElement::AT;
    let value = match call.value(at.x).ok_or(KernelError::Missing(at.x))? {
        Value::Optional(Some(v)) => Value::clone(v),
        Value::Optional(None) => return Err(KernelError::domain("the optional holds no value")),
        other => other.clone(),
    };
    call.set(at.y, value);
    Ok(())
}

/// OptionalHasElement: an absent operand has none.
pub(super) fn has(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = OptionalHasElement::AT;
    let has = !matches!(call.value(at.x), None | Some(Value::Optional(None)));
    let mut out = call.alloc(at.y, DType::Bool, &[])?;
    out.slice_mut::<B8>()?.fill(has.into());
    call.set(at.y, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{ABSENT, elements, run, run_on, tensor};
    use trident_ir::OpKind;
    use trident_ir::element::B8;
    use trident_runtime::Value;

    #[test]
    fn values_inside_and_absent() {
        let x = tensor(&[2], &[1.0f32, 2.0]);
        let some = run(OpKind::Optional, &[], vec![x.clone()]).unwrap();
        let inner = run(OpKind::OptionalGetElement, &[], vec![some.clone()]).unwrap();
        assert_eq!(elements::<f32>(&inner), [1.0, 2.0]);
        let has = |v: Option<Value>| {
            elements::<B8>(&run_on(1, OpKind::OptionalHasElement, &[], vec![v], 1).unwrap()[0])
        };
        assert_eq!(has(Some(some)), [B8(1)]);
        assert_eq!(has(Some(x)), [B8(1)]);
        assert_eq!(has(Some(Value::Optional(None))), [B8(0)]);
        assert_eq!(has(ABSENT), [B8(0)]);
        assert!(run(OpKind::OptionalGetElement, &[], vec![Value::Optional(None)]).is_err());
    }
}
