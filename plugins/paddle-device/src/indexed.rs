//! Indexing by tensors, `x[i, :, j]`, of all element types: Paddle gives the places as strides and offsets.

use crate::argument::{Argument, Operand};
use crate::failure::Failure;
use crate::moves::element_bytes;
use crate::named::Named;
use crate::numbers::wholes;

/// The kernels that index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Indexing {
    /// `index_elementwise_get(x, index, …) -> out`: the elements at the places.
    Get,
    /// `index_elementwise_put(input, index, value, …) -> out`: a copy with a number, or the elements of a tensor, at the places.
    Put,
}

impl Indexing {
    /// The indexing that a kernel is.
    pub(crate) fn of(kernel: &str) -> Option<Indexing> {
        match kernel {
            "index_elementwise_get" => Some(Indexing::Get),
            "index_elementwise_put" | "index_elementwise_put_with_tensor" => Some(Indexing::Put),
            _ => None,
        }
    }

    /// Writes the result.
    ///
    /// # Errors
    /// If an index is outside of its axis, or a size does not fit.
    pub(crate) fn write(self, call: &Named<'_>, out: &Operand) -> Result<(), Failure> {
        match self {
            Indexing::Get => {
                let x = call.tensor("x")?;
                let places = Places::of(call, &x, "index_stride")?;
                if places.count() * x.element.size() != out.memory.len() {
                    return Err(Failure::invalid(format!("the result is {out}")));
                }
                places.each(|place, run| {
                    x.memory.copy_to(place, &out.memory, run * places.run, places.run)
                })
            }
            Indexing::Put => {
                let x = call.tensor("input")?;
                let places = Places::of(call, &x, "index_strides")?;
                if x.memory.len() != out.memory.len() {
                    return Err(Failure::invalid(format!("the result is {out}")));
                }
                x.memory.copy_to(0, &out.memory, 0, out.memory.len())?;
                match call.find("value") {
                    Some(Argument::Tensor(value)) => put_tensor(&places, value, out),
                    Some(value) => put_number(&places, value, out),
                    None => Err(Failure::fatal("`value` is missing")),
                }
            }
        }
    }
}

fn put_number(places: &Places, value: &Argument<'_>, out: &Operand) -> Result<(), Failure> {
    let bytes = match value {
        Argument::Int(value) => element_bytes(out.element, *value, *value as f64),
        Argument::Float(value) => element_bytes(out.element, *value as i64, *value),
        _ => None,
    };
    let bytes = bytes.ok_or_else(|| Failure::unimplemented(format!("a value for {out}")))?;
    places.each(|place, _| {
        let part = out.memory.part(place, places.run).ok_or_else(outside)?;
        part.fill(&bytes);
        Ok(())
    })
}

/// The value's axes are repeated to those of the places.
fn put_tensor(places: &Places, value: &Operand, out: &Operand) -> Result<(), Failure> {
    let (size, own) = (out.element.size(), value.dims.as_slice());
    let own: Vec<usize> = own.iter().map(|n| *n as usize).collect();
    let Some(missing) = places.dims.len().checked_sub(own.len()) else {
        return Err(Failure::invalid(format!("{value} for places of {:?}", places.dims)));
    };
    let fits = own.iter().zip(&places.dims[missing..]).all(|(n, dim)| n == dim || *n == 1);
    if !fits || value.element != out.element {
        return Err(Failure::invalid(format!("{value} for places of {:?} in {out}", places.dims)));
    }
    let steps = row_steps(&own, size);
    let per_run = places.run / size.max(1);
    places.each(|place, run| {
        for i in 0..per_run {
            let (mut nth, mut from) = (run * per_run + i, 0);
            for (axis, dim) in places.dims.iter().enumerate().rev() {
                if let Some(step) = axis.checked_sub(missing).map(|axis| steps[axis]) {
                    from += nth % dim * step;
                }
                nth /= dim;
            }
            value.memory.copy_to(from, &out.memory, place + i * size, size)?;
        }
        Ok(())
    })
}

/// Bytes from one index of an axis to the next, of row-major elements of `size` bytes; 0 for axes of length 1.
fn row_steps(dims: &[usize], size: usize) -> Vec<usize> {
    let mut steps = vec![0; dims.len()];
    let mut step = size;
    for (axis, dim) in dims.iter().enumerate().rev() {
        steps[axis] = if *dim == 1 { 0 } else { step };
        step *= dim;
    }
    steps
}

/// An axis of the operand that a tensor indexes.
struct Index {
    values: Vec<i64>,
    /// The length of the axis, and the bytes from one index of it to the next.
    len: i64,
    step: usize,
    /// Elements of `values` from one index of an axis of the places to the next.
    steps: Vec<usize>,
}

/// The places of elements in an operand.
struct Places {
    /// The dimensions of the result.
    dims: Vec<usize>,
    /// Bytes in the operand from one index of these dimensions to the next, without those of indices.
    steps: Vec<usize>,
    indices: Vec<Index>,
    /// The first byte.
    offset: usize,
    /// The number of the innermost axes whose elements lie in one run, and the bytes of a run.
    inner: usize,
    run: usize,
}

fn outside() -> Failure {
    Failure::invalid("an index is outside of the tensor")
}

impl Places {
    /// Reads them from a call: `index_dims` has the lengths of the indexed axes, and then for each index −1 and its own dimensions.
    fn of(call: &Named<'_>, x: &Operand, strides: &str) -> Result<Places, Failure> {
        let size = x.element.size();
        let natural = |n: i64| usize::try_from(n).map_err(|_| outside());
        let all = |values: Vec<i64>| values.into_iter().map(natural).collect::<Result<Vec<_>, _>>();
        let dims = all(call.ints("input_dims")?)?;
        let steps = all(call.ints("input_strides")?)?;
        let steps: Vec<usize> = steps.into_iter().map(|n| n.saturating_mul(size)).collect();
        let (lens, axis_steps) = (call.ints("index_dims")?, all(call.ints(strides)?)?);
        let tensors = match call.find("index") {
            Some(Argument::Tensors(tensors)) => &tensors[..],
            _ => &[],
        };
        let mut groups = lens.get(tensors.len()..).unwrap_or_default().split(|n| *n == -1);
        // Before the first −1 is nothing.
        let _ = groups.next();
        let mut indices = vec![];
        for (nth, tensor) in tensors.iter().enumerate() {
            let own: Vec<i64> = groups.next().unwrap_or_default().to_vec();
            let own = all(own)?;
            let (values, len, step) = (wholes(tensor)?, lens.get(nth), axis_steps.get(nth));
            let fits = own.len() == dims.len()
                && own.iter().zip(&dims).all(|(n, dim)| n == dim || *n == 1)
                && own.iter().product::<usize>() == values.len();
            let (true, Some(len), Some(step)) = (fits, len, step) else {
                return Err(Failure::fatal(format!("the index {tensor} of {own:?} for {dims:?}")));
            };
            indices.push(Index { values, len: *len, step: *step, steps: row_steps(&own, 1) });
        }
        if steps.len() != dims.len() {
            return Err(Failure::fatal(format!("{} strides for {dims:?}", steps.len())));
        }
        let (mut inner, mut run) = (0, size);
        for axis in (0..dims.len()).rev() {
            let is_free = indices.iter().all(|index| index.steps[axis] == 0);
            if !is_free || (steps[axis] != run && dims[axis] != 1) {
                break;
            }
            (inner, run) = (inner + 1, run * dims[axis]);
        }
        let offset = natural(call.int("slice_offset")?)?;
        Ok(Places { dims, steps, indices, offset, inner, run })
    }

    /// The number of elements.
    fn count(&self) -> usize {
        self.dims.iter().product()
    }

    /// Visits each run: its first byte in the operand, and its number.
    fn each(
        &self,
        mut visit: impl FnMut(usize, usize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let outer = &self.dims[..self.dims.len() - self.inner];
        if self.dims.contains(&0) {
            return Ok(());
        }
        let mut at = vec![0; outer.len()];
        for run in 0..outer.iter().product() {
            let mut place = self.offset;
            let steps = at.iter().zip(&self.steps);
            place += steps.map(|(i, step)| i * step).sum::<usize>();
            for index in &self.indices {
                let nth: usize = at.iter().zip(&index.steps).map(|(i, step)| i * step).sum();
                let value = index.values[nth];
                let wrapped = if value < 0 { value + index.len } else { value };
                if !(0..index.len).contains(&wrapped) {
                    let len = index.len;
                    return Err(Failure::invalid(format!("index {value} of an axis of {len}")));
                }
                place += wrapped as usize * index.step;
            }
            visit(place, run)?;
            for axis in (0..outer.len()).rev() {
                at[axis] += 1;
                if at[axis] < outer[axis] {
                    break;
                }
                at[axis] = 0;
            }
        }
        Ok(())
    }
}
