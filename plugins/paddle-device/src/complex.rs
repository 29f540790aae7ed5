//! Arithmetic of complex numbers, which graphs do not have. It is computed in f64, and rounded once.

use std::ops::{Add, Mul, Sub};

use crate::argument::Operand;
use crate::element::Element;
use crate::failure::Failure;
use crate::moves::{element_bytes, element_number};

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex {
    re: f64,
    im: f64,
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;
    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;
    fn mul(self, other: Complex) -> Complex {
        let re = self.re * other.re - self.im * other.im;
        Complex { re, im: self.re * other.im + self.im * other.re }
    }
}

impl Complex {
    /// The quotient, without the overflow of squares: R. L. Smith, "Algorithm 116: Complex division", 1962.
    fn over(self, other: Complex) -> Complex {
        if other.re.abs() >= other.im.abs() {
            let ratio = other.im / other.re;
            let scale = other.re + other.im * ratio;
            let re = (self.re + self.im * ratio) / scale;
            Complex { re, im: (self.im - self.re * ratio) / scale }
        } else {
            let ratio = other.re / other.im;
            let scale = other.re * ratio + other.im;
            let re = (self.re * ratio + self.im) / scale;
            Complex { re, im: (self.im * ratio - self.re) / scale }
        }
    }
}

/// The kernels that take complex numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComplexKernel {
    Add,
    Subtract,
    Multiply,
    Divide,
    Cast,
}

impl ComplexKernel {
    /// The kernel of this name, if the call has complex operands or a complex result.
    pub(crate) fn of(kernel: &str, first: Element, result: Element) -> Option<ComplexKernel> {
        if !first.is_complex() && !result.is_complex() {
            return None;
        }
        match kernel {
            "add" => Some(ComplexKernel::Add),
            "subtract" => Some(ComplexKernel::Subtract),
            "multiply" => Some(ComplexKernel::Multiply),
            "divide" => Some(ComplexKernel::Divide),
            "cast" => Some(ComplexKernel::Cast),
            _ => None,
        }
    }

    /// The bytes of a result: broadcast operands for all kernels but a cast, which drops imaginary parts for real results.
    ///
    /// # Errors
    /// If the operands do not fit the result.
    pub(crate) fn compute(
        self,
        operands: &[Operand],
        result: &Operand,
    ) -> Result<Vec<u8>, Failure> {
        let sizes = result.dims.sizes();
        let sizes = sizes.ok_or_else(|| Failure::invalid(format!("{result} has no sizes")))?;
        let mut read = Vec::with_capacity(operands.len());
        for operand in operands {
            read.push(Read::of(operand, sizes.dims())?);
        }
        let mut bytes = Vec::with_capacity(sizes.count.saturating_mul(result.element.size()));
        for position in 0..sizes.count {
            let value = match (self, &read[..]) {
                (ComplexKernel::Add, [x, y]) => x.at(position) + y.at(position),
                (ComplexKernel::Subtract, [x, y]) => x.at(position) - y.at(position),
                (ComplexKernel::Multiply, [x, y]) => x.at(position) * y.at(position),
                (ComplexKernel::Divide, [x, y]) => x.at(position).over(y.at(position)),
                (ComplexKernel::Cast, [x]) => x.at(position),
                _ => return Err(Failure::fatal(format!("{} operands", read.len()))),
            };
            write(&mut bytes, result.element, value)?;
        }
        Ok(bytes)
    }
}

fn write(
    bytes: &mut Vec<u8>,
    element: Element,
    Complex { re, im }: Complex,
) -> Result<(), Failure> {
    match element.is_complex().then(|| element.size()) {
        Some(8) => bytes.extend([re as f32, im as f32].iter().flat_map(|part| part.to_le_bytes())),
        Some(_) => bytes.extend([re, im].iter().flat_map(|part| part.to_le_bytes())),
        None => {
            let real = element_bytes(element, re as i64, re);
            let real = real.ok_or_else(|| Failure::unimplemented(format!("results {element}")))?;
            bytes.extend(real);
        }
    }
    Ok(())
}

/// The numbers of an operand, which is broadcast to a result.
struct Read {
    values: Vec<Complex>,
    /// For each axis of the result: its elements, and the steps of the operand.
    axes: Vec<(usize, usize)>,
}

impl Read {
    fn of(operand: &Operand, dims: &[usize]) -> Result<Read, Failure> {
        let misfit = || Failure::invalid(format!("{operand} does not fit dimensions {dims:?}"));
        let own = operand.dims.sizes().ok_or_else(misfit)?;
        let skipped = dims.len().checked_sub(own.dims().len()).ok_or_else(misfit)?;
        let mut axes = vec![(1, 0); dims.len()];
        let mut step = 1;
        for axis in (0..dims.len()).rev() {
            let len = axis.checked_sub(skipped).and_then(|at| own.dims().get(at)).copied();
            let len = len.unwrap_or(1);
            if len != 1 && len != dims[axis] {
                return Err(misfit());
            }
            axes[axis] = (dims[axis], if len == 1 { 0 } else { step });
            step *= len;
        }
        let (size, bytes) = (operand.element.size().max(1), operand.memory.copied());
        let values = bytes.chunks_exact(size).map(|bytes| number(operand.element, bytes));
        let values: Option<Vec<Complex>> = values.collect();
        let values = values.ok_or_else(|| Failure::unimplemented(format!("operand {operand}")))?;
        match values.len() == own.count {
            true => Ok(Read { values, axes }),
            false => Err(Failure::invalid(format!("{operand} has {} elements", values.len()))),
        }
    }

    /// The element for a position of the result.
    fn at(&self, position: usize) -> Complex {
        let (mut rest, mut place) = (position, 0);
        for (len, step) in self.axes.iter().rev() {
            place += rest % len * step;
            rest /= len;
        }
        self.values[place]
    }
}

/// A number of any element type.
fn number(element: Element, bytes: &[u8]) -> Option<Complex> {
    let halves = bytes.split_at_checked(bytes.len() / 2);
    match element.is_complex().then(|| element.size()) {
        Some(8) => {
            let (re, im) = halves?;
            let part = |bytes: &[u8]| Some(f32::from_le_bytes(bytes.try_into().ok()?).into());
            Some(Complex { re: part(re)?, im: part(im)? })
        }
        Some(_) => {
            let (re, im) = halves?;
            let part = |bytes: &[u8]| Some(f64::from_le_bytes(bytes.try_into().ok()?));
            Some(Complex { re: part(re)?, im: part(im)? })
        }
        None => Some(Complex { re: element_number(element, bytes)?.1, im: 0.0 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::memory::TensorMemory;
    use crate::extents::Extents;

    fn operand(name: &str, dims: &[i64], words: &mut [u64]) -> Operand {
        let dims = Extents::new(dims.len() as i64, |i| dims[i]).unwrap();
        let memory = TensorMemory::of_test(words);
        Operand { element: Element::named(name).unwrap(), dims, memory }
    }

    fn word(re: f32, im: f32) -> u64 {
        u64::from(re.to_bits()) | u64::from(im.to_bits()) << 32
    }

    fn c64(bytes: &[u8]) -> Vec<(f32, f32)> {
        let (words, _) = bytes.as_chunks::<8>();
        let parts = words.iter().map(|word| number(Element::named("c64").unwrap(), word).unwrap());
        parts.map(|it| (it.re as f32, it.im as f32)).collect()
    }

    #[test]
    fn operands_are_broadcast() {
        let (mut x, mut y) = ([word(1.0, 2.0), word(0.0, -1.0)], [word(2.0, 0.5), word(4.0, 0.0)]);
        let (x, y) = (operand("c64", &[2, 1], &mut x), operand("c64", &[2], &mut y));
        let result = Operand { memory: TensorMemory::NONE, ..operand("c64", &[2, 2], &mut [0; 4]) };
        let of = |kernel: ComplexKernel| c64(&kernel.compute(&[x, y], &result).unwrap());
        assert_eq!(of(ComplexKernel::Add), [(3.0, 2.5), (5.0, 2.0), (2.0, -0.5), (4.0, -1.0)]);
        assert_eq!(of(ComplexKernel::Subtract)[1..3], [(-3.0, 2.0), (-2.0, -1.5)]);
        assert_eq!(of(ComplexKernel::Multiply), [(1.0, 4.5), (4.0, 8.0), (0.5, -2.0), (0.0, -4.0)]);
        assert_eq!(
            of(ComplexKernel::Divide)[1..],
            [(0.25, 0.5), (-2.0 / 17.0, -8.0 / 17.0), (0.0, -0.25)]
        );
        let other = operand("c64", &[3], &mut [0; 3]);
        assert!(ComplexKernel::Add.compute(&[x, other], &result).is_err());
    }

    #[test]
    fn quotients_do_not_overflow() {
        let large = Complex { re: 1e300, im: 1e300 };
        assert_eq!(large.over(large), Complex { re: 1.0, im: 0.0 });
        let imaginary = Complex { re: 0.0, im: 2.0 };
        assert_eq!(imaginary.over(imaginary), Complex { re: 1.0, im: 0.0 });
    }

    #[test]
    fn casts_drop_imaginary_parts() {
        let mut words = [word(1.5, 2.0), word(-3.0, 0.0)];
        let x = operand("c64", &[2], &mut words);
        let cast = |x: Operand, name: &str| {
            let mut room = [0; 4];
            let result = operand(name, &[2], &mut room);
            ComplexKernel::Cast.compute(&[x], &result).unwrap()
        };
        assert_eq!(cast(x, "i16"), [1, 0, 253, 255]);
        assert_eq!(cast(x, "f64")[8..], (-3.0f64).to_le_bytes());
        let mut reals = [u64::from(2.5f32.to_bits()) | u64::from(1f32.to_bits()) << 32];
        assert_eq!(c64(&cast(operand("f32", &[2], &mut reals), "c64")), [(2.5, 0.0), (1.0, 0.0)]);
        assert_eq!(ComplexKernel::of("sin", x.element, x.element), None);
        let real = Element::named("f32").unwrap();
        assert_eq!(ComplexKernel::of("add", real, real), None);
    }
}
