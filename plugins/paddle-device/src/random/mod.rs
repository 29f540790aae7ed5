//! Kernels that draw random numbers.
//!
//! Element `i` of a result depends on the key of the call and on `i` only, so threads and devices do not change it. The numbers are
//! computed on the processor, for every device: they are written into the memory that the device shares with it.

mod distribution;
mod philox;

pub(crate) use philox::Stream;

use crate::argument::{Argument, Operand};
use crate::element::Element;
use crate::extents::Extents;
use crate::failure::Failure;
use crate::named::Named;
use crate::numbers::{elements, integers, numbers};
use distribution::{choices, permutation, truncated};
use trident_ir::DType;

/// The kernels that draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draw {
    /// 1 with the probability that the operand states, else 0.
    Bernoulli,
    /// The operand with some elements replaced by 0, and the elements that are kept.
    Dropout,
    /// The exponential distribution of a rate.
    Exponential,
    /// The normal distribution.
    Gaussian,
    /// Positions, with probabilities in proportion to the operand's elements.
    Multinomial,
    /// Whole numbers of a range.
    Randint,
    /// The whole numbers below `n` in random order.
    Randperm,
    /// The normal distribution between two bounds.
    TruncatedGaussian,
    /// Numbers of a range.
    Uniform,
}

impl Draw {
    /// The draw that a kernel is.
    pub(crate) fn of(kernel: &str) -> Option<Draw> {
        Some(match kernel {
            "bernoulli" => Draw::Bernoulli,
            "dropout" => Draw::Dropout,
            "exponential" => Draw::Exponential,
            "gaussian" | "gaussian_inplace" => Draw::Gaussian,
            "multinomial" => Draw::Multinomial,
            "randint" => Draw::Randint,
            "randperm" => Draw::Randperm,
            "truncated_gaussian_random" => Draw::TruncatedGaussian,
            "uniform" | "uniform_inplace" => Draw::Uniform,
            _ => return None,
        })
    }

    /// Whether a call draws numbers: dropout does so in training only.
    pub(crate) fn draws(self, call: &Named<'_>) -> bool {
        self != Draw::Dropout || !call.truth("is_test")
    }

    /// Element types and dimensions of the results, where Paddle has left them to the kernel.
    ///
    /// # Errors
    /// If sizes are negative, or if there are too many axes.
    pub(crate) fn form(
        self,
        call: &Named<'_>,
        nth: usize,
        result: &Operand,
    ) -> Result<Operand, Failure> {
        let mut form = *result;
        if (self, nth) == (Draw::Dropout, 1) {
            form.element = Element::named("u8").unwrap_or(form.element);
        }
        if form.dims.sizes().is_none() {
            let dims = match self {
                Draw::Randperm => vec![call.int("n")?],
                Draw::Multinomial => {
                    let mut dims = call.tensor("x")?.dims.as_slice().to_vec();
                    dims.pop();
                    dims.push(call.int("num_samples")?);
                    dims
                }
                Draw::Dropout | Draw::Bernoulli => call.tensor("x")?.dims.as_slice().to_vec(),
                _ => call.ints("shape")?,
            };
            let extents = Extents::new(dims.len() as i64, |axis| dims[axis]);
            let known = extents.filter(|extents| extents.sizes().is_some());
            form.dims =
                known.ok_or_else(|| Failure::invalid(format!("it has the shape {dims:?}")))?;
        }
        Ok(form)
    }

    /// Writes the results.
    ///
    /// # Errors
    /// If a number is outside of what the kernel is defined for.
    pub(crate) fn write(
        self,
        call: &Named<'_>,
        results: &[Operand],
        s: &Stream,
    ) -> Result<(), Failure> {
        let [out, rest @ ..] = results else { return Ok(()) };
        match self {
            Draw::Gaussian => {
                let (mean, std) = (call.number("mean")?, call.number("std")?);
                numbers(out, &|at| mean + std * s.normal(at))
            }
            Draw::Uniform => {
                let (low, high) = (call.number("min")?, call.number("max")?);
                let bits = mantissa(out.element);
                without_diagonal(call)?;
                numbers(out, &|at| low + (high - low) * s.uniform(at, bits))
            }
            Draw::Randint => {
                let (low, high) = (call.int("low")?, call.int("high")?);
                let count = high.checked_sub(low).and_then(|n| u64::try_from(n).ok());
                let Some(count) = count.filter(|n| *n > 0) else {
                    let text = format!("`high` is {high}, expected more than `low`, {low}");
                    return Err(Failure::invalid(text));
                };
                integers(out, &|at| low + s.below(at, count) as i64)
            }
            Draw::Randperm => {
                let order = permutation(s, out.dims.sizes().map_or(0, |sizes| sizes.count));
                integers(out, &|at| order[at] as i64)
            }
            Draw::Exponential => {
                let rate = call.number("lambda")?;
                if rate.is_nan() || rate <= 0.0 {
                    let text = format!("`lambda` is {rate}, expected more than 0");
                    return Err(Failure::invalid(text));
                }
                numbers(out, &|at| -(1.0 - s.uniform(at, 53)).ln() / rate)
            }
            Draw::TruncatedGaussian => {
                let [mean, std, low, high] = [
                    call.number("mean")?,
                    call.number("std")?,
                    call.number("a")?,
                    call.number("b")?,
                ];
                let (low, high) = ((low - mean) / std, (high - mean) / std);
                if low.is_nan() || high.is_nan() || low >= high {
                    return Err(Failure::invalid(format!("its bounds are {low} and {high}")));
                }
                numbers(out, &|at| mean + std * truncated(s, at, low, high))
            }
            Draw::Bernoulli => {
                let p = elements(&call.tensor("x")?)?;
                if let Some(p) = p.iter().find(|p| !(0.0..=1.0).contains(*p)) {
                    return Err(Failure::invalid(format!("a probability is {p}")));
                }
                numbers(out, &|at| f64::from(u8::from(s.uniform(at, 53) < p[at])))
            }
            Draw::Multinomial => {
                let x = call.tensor("x")?;
                let weights = elements(&x)?;
                let classes = x.dims.as_slice().last().map_or(0, |n| *n as usize);
                let samples = out.dims.as_slice().last().map_or(0, |n| *n as usize);
                let found = choices(s, &weights, classes, samples, call.truth("replacement"))?;
                integers(out, &|at| found[at] as i64)
            }
            Draw::Dropout => {
                let (x, p) = (call.tensor("x")?, call.number("p")?);
                if !(0.0..=1.0).contains(&p) {
                    let text = format!("`p` is {p}, expected 0 to 1");
                    return Err(Failure::invalid(text));
                }
                let scale = match call.text("mode")? {
                    "upscale_in_train" if p < 1.0 => 1.0 / (1.0 - p),
                    _ => 1.0,
                };
                let values = elements(&x)?;
                let kept: Vec<bool> = (0..values.len()).map(|at| s.uniform(at, 53) >= p).collect();
                if let Some(mask) = rest.first() {
                    integers(mask, &|at| i64::from(kept[at]))?;
                }
                numbers(out, &|at| if kept[at] { values[at] * scale } else { 0.0 })
            }
        }
    }
}

/// The key that a call states: the number in `seed_tensor`, or a `seed` that is not 0 or that `fix_seed` asks for.
///
/// # Errors
/// If the tensor has no number.
pub(crate) fn stated_key(call: &Named<'_>) -> Result<Option<u64>, Failure> {
    if let Some(Argument::Tensor(given)) = call.find("seed_tensor") {
        let numbers = elements(given)?;
        let number = numbers.first().ok_or_else(|| Failure::invalid("`seed_tensor` is empty"))?;
        return Ok(Some(*number as i64 as u64));
    }
    Ok(match (call.find("seed"), call.find("fix_seed")) {
        (Some(Argument::Int(seed)), Some(Argument::Bool(true))) => Some(*seed as u64),
        (Some(Argument::Int(seed)), None) if *seed != 0 => Some(*seed as u64),
        _ => None,
    })
}

/// The bits of a type's fraction, with the first one.
fn mantissa(element: Element) -> u32 {
    match element.dtype() {
        Some(DType::BF16) => 8,
        Some(DType::F16) => 11,
        Some(DType::F32) => 24,
        _ => 53,
    }
}

/// Refuses a diagonal with a value of its own, as old programs have it.
fn without_diagonal(call: &Named<'_>) -> Result<(), Failure> {
    match call.find("diag_num") {
        Some(Argument::Int(count)) if *count > 0 => {
            Err(Failure::unimplemented(format!("`diag_num` is {count}, expected 0")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
