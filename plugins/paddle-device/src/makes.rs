//! Kernels that make a tensor from numbers alone. They are not compiled, since each call may have other numbers.

use crate::argument::{Argument, Operand};
use crate::extents::Extents;
use crate::failure::Failure;
use crate::moves::{Number, element_bytes};
use crate::named::Named;
use crate::numbers::{elements, integers, numbers, wholes};

/// The kernels that make a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Make {
    /// `arange_tensor(start, end, step) -> out`: numbers of equal distance, without the end.
    Arange,
    /// `assign_value(shape, dtype, values) -> out`: the numbers of a list.
    Given,
    /// `empty(shape) -> out` and `empty_like(x) -> out`: elements of any value.
    Empty,
}

impl Make {
    /// The tensor that a kernel makes.
    pub(crate) fn of(kernel: &str) -> Option<Make> {
        match kernel {
            "assign_value" => Some(Make::Given),
            "arange_tensor" => Some(Make::Arange),
            "empty" | "empty_like" => Some(Make::Empty),
            _ => None,
        }
    }

    /// Element type and dimensions of the result, where Paddle has left them to the kernel.
    ///
    /// # Errors
    /// If the numbers give no size.
    pub(crate) fn form(self, call: &Named<'_>, result: &Operand) -> Result<Operand, Failure> {
        let mut form = *result;
        if form.dims.sizes().is_none() {
            let dims = match self {
                Make::Arange => vec![count(call)?],
                Make::Empty | Make::Given => match call.tensor("x") {
                    Ok(like) => like.dims.as_slice().to_vec(),
                    Err(_) => call.ints("shape")?,
                },
            };
            let extents = Extents::new(dims.len() as i64, |axis| dims[axis]);
            let known = extents.filter(|extents| extents.sizes().is_some());
            form.dims =
                known.ok_or_else(|| Failure::invalid(format!("it has the shape {dims:?}")))?;
        }
        Ok(form)
    }

    /// Writes the result.
    ///
    /// # Errors
    /// If the element type has no numbers.
    pub(crate) fn write(self, call: &Named<'_>, out: &Operand) -> Result<(), Failure> {
        match self {
            Make::Empty => return Ok(()),
            Make::Given => return given(call, out),
            Make::Arange => {}
        }
        match (number(call, "start")?, number(call, "step")?) {
            (Argument::Int(start), Argument::Int(step)) => {
                integers(out, &|at| start.wrapping_add(step.wrapping_mul(at as i64)))
            }
            (start, step) => {
                let (start, step) = (float(&start), float(&step));
                numbers(out, &|at| start + step * at as f64)
            }
        }
    }
}

fn given(call: &Named<'_>, out: &Operand) -> Result<(), Failure> {
    let Some(Argument::Numbers(values)) = call.find("values") else {
        return Err(Failure::fatal("`values` is missing"));
    };
    let count = out.dims.sizes().map_or(0, |sizes| sizes.count);
    if values.len() != count {
        return Err(Failure::invalid(format!("{} numbers for {out}", values.len())));
    }
    let bytes = values.iter().map(|value| match *value {
        Number::Int(value) => element_bytes(out.element, value, value as f64),
        Number::Float(value) => element_bytes(out.element, value as i64, value),
    });
    let bytes = bytes.collect::<Option<Vec<_>>>().map(|bytes| bytes.concat());
    let bytes = bytes.ok_or_else(|| Failure::unimplemented(format!("numbers for {out}")))?;
    out.memory.write(&bytes);
    Ok(())
}

/// A number that is an attribute, or the only element of a tensor.
fn number(call: &Named<'_>, name: &str) -> Result<Argument<'static>, Failure> {
    match call.find(name) {
        Some(Argument::Int(value)) => Ok(Argument::Int(*value)),
        Some(Argument::Float(value)) => Ok(Argument::Float(*value)),
        _ => {
            let tensor = call.tensor(name)?;
            if let Ok([value]) = wholes(&tensor).as_deref() {
                return Ok(Argument::Int(*value));
            }
            match (&elements(&tensor)?[..], tensor.element.dtype()) {
                ([value], Some(dtype)) if dtype.is_int() => Ok(Argument::Int(*value as i64)),
                ([value], _) => Ok(Argument::Float(*value)),
                _ => Err(Failure::invalid(format!("`{name}` is {tensor}, expected one number"))),
            }
        }
    }
}

fn float(number: &Argument<'_>) -> f64 {
    match number {
        Argument::Int(value) => *value as f64,
        Argument::Float(value) => *value,
        _ => f64::NAN,
    }
}

/// The count of numbers from `start` by `step` that are before `end`.
fn count(call: &Named<'_>) -> Result<i64, Failure> {
    let [start, end, step] = ["start", "end", "step"].map(|name| number(call, name));
    let (start, end, step) = (start?, end?, step?);
    if let (Argument::Int(start), Argument::Int(end), Argument::Int(step)) = (&start, &end, &step) {
        let (span, step) = (i128::from(*end) - i128::from(*start), i128::from(*step));
        let count = if step == 0 { None } else { Some((span + step - step.signum()) / step) };
        let count = count.and_then(|count| i64::try_from(count.max(0)).ok());
        return count.ok_or_else(|| Failure::invalid("`step` is 0"));
    }
    let (start, end, step) = (float(&start), float(&end), float(&step));
    let count = ((end - start) / step).ceil();
    match count.is_finite() {
        true => Ok(count.max(0.0) as i64),
        false => Err(Failure::invalid(format!("`start` {start}, `end` {end}, `step` {step}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::memory::TensorMemory;
    use crate::element::Element;

    #[test]
    fn numbers_have_equal_distances() {
        let number = |name, value| (name, Argument::Float(value));
        let arguments = [number("start", 5.0), number("end", -1.0), number("step", -2.5)];
        let call = Named(&arguments);
        let open = Extents::new(1, |_| -1).unwrap();
        let element = Element::named("f64").unwrap();
        let result = Operand { element, dims: open, memory: TensorMemory::NONE };
        let mut form = Make::Arange.form(&call, &result).unwrap();
        assert_eq!(form.dims.as_slice(), [3]);
        let mut words = [0u64; 3];
        form.memory = TensorMemory::of_test(&mut words);
        Make::Arange.write(&call, &form).unwrap();
        assert_eq!(words.map(f64::from_bits), [5.0, 2.5, 0.0]);
        let none = [number("start", 0.0), number("end", 1.0), number("step", 0.0)];
        assert!(Make::Arange.form(&Named(&none), &result).is_err());
    }
}
