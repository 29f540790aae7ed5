//! Matrices and accumulators of a simdgroup.

use crate::lane::is_factor;
use crate::op::TypeError;
use crate::op::grammar::ops;
use crate::tile::{Site, Types, one};
use crate::types::{AccumulatorType, Space};
use crate::{DType, Type, ops};

ops! {
    /// The matrix with this scalar, equal in all lanes, at every place.
    MatrixFill "matrix_fill" Together (x) -> (y: Declared) {} lane matrix_fill_types;
    /// The matrix whose element (i, j) lies `stride`·i + j elements after the pointer, or `stride`·j + i with
    /// `transpose`. Pointer (to device or threadgroup memory) and stride (i32) are equal in all lanes.
    MatrixLoad "matrix_load" Together (ptr, stride) -> (y: Declared) { transpose: Flag = false } lane matrix_load_types;
    /// Writes a matrix to where `matrix_load` would read it.
    MatrixStore "matrix_store" Together (ptr[target], value, stride) -> () { transpose: Flag = false } lane matrix_store_types;
    /// a·b + c. Factors have one element type, c has it too or has f32. The number of roundings of a sum is not
    /// specified.
    MatrixMultiplyAdd "matrix_multiply_add" Together (a, b, c) -> (y: Same(2)) {} lane matrix_multiply_add_types;
    /// The accumulator with this scalar (f32), equal in all lanes, at every place.
    AccumulatorFill "accumulator_fill" Together (x) -> (y: Declared) {} lane accumulator_fill_types checks accumulator_result;
    /// The accumulator whose element (i, j), of f32, lies `stride`·i + j elements after the pointer. Pointer (to device
    /// or threadgroup memory) and stride (i32) are equal in all lanes.
    AccumulatorLoad "accumulator_load" Together (ptr, stride) -> (y: Declared) {}
        lane accumulator_load_types checks accumulator_result;
    /// Writes an accumulator to where `accumulator_load` would read it.
    AccumulatorStore "accumulator_store" Together (ptr[target], value, stride) -> () {} lane accumulator_store_types;
    /// a·b + c of 32×32 factors in threadgroup memory: element (i, j) of a lies `a_stride`·i + j elements after `a`, or
    /// `a_stride`·j + i if the type of c has it transposed; the same holds for b. Pointers and strides are equal in all
    /// lanes. How often a sum is rounded is open.
    AccumulatorMultiplyAdd "accumulator_multiply_add" Together (a, a_stride, b, b_stride, c) -> (y: Same(4)) {}
        lane accumulator_multiply_add_types;
}

/// Where matrices lie.
const MATRICES: &[Space] = &[Space::Device, Space::Threadgroup];

fn matrix_fill_types(site: &Site<'_>) -> Types {
    one(Type::Matrix(site.scalar(0, "f16, bf16 or f32", is_factor)?))
}

fn matrix_load_types(site: &Site<'_>) -> Types {
    one(Type::Matrix(pointee(site, ops::MatrixLoad::AT.stride)?))
}

fn matrix_store_types(site: &Site<'_>) -> Types {
    let at = ops::MatrixStore::AT;
    site.writable(at.ptr)?;
    let dtype = pointee(site, at.stride)?;
    site.expect(at.value, &Type::Matrix(dtype))?;
    Ok(vec![])
}

fn matrix_multiply_add_types(site: &Site<'_>) -> Types {
    let at = ops::MatrixMultiplyAdd::AT;
    let (a, c) = (matrix(site, at.a)?, matrix(site, at.c)?);
    site.expect(at.b, &Type::Matrix(a))?;
    match c == a || c == DType::F32 {
        true => one(Type::Matrix(c)),
        false if a == DType::F32 => Err(site.wrong(at.c, "a matrix of f32")),
        false => Err(site.wrong(at.c, format!("a matrix of {a} or f32"))),
    }
}

fn accumulator_fill_types(site: &Site<'_>) -> Types {
    site.expect(0, &Type::fixed(DType::F32, &[]))?;
    Ok(vec![None])
}

fn accumulator_load_types(site: &Site<'_>) -> Types {
    sums(site, ops::AccumulatorLoad::AT.stride)?;
    Ok(vec![None])
}

fn accumulator_store_types(site: &Site<'_>) -> Types {
    let at = ops::AccumulatorStore::AT;
    site.writable(at.ptr)?;
    sums(site, at.stride)?;
    accumulator(site, at.value)?;
    Ok(vec![])
}

fn accumulator_multiply_add_types(site: &Site<'_>) -> Types {
    let at = ops::AccumulatorMultiplyAdd::AT;
    let ty = accumulator(site, at.c)?;
    for (ptr, stride) in [(at.a, at.a_stride), (at.b, at.b_stride)] {
        let (dtype, _) = site.pointer(ptr)?;
        if dtype != ty.factor {
            return Err(site.wrong(ptr, format!("a pointer to {}", ty.factor)));
        }
        site.space(ptr, &[Space::Threadgroup])?;
        site.expect(stride, &Type::fixed(DType::I32, &[]))?;
    }
    one(Type::Accumulator(ty))
}

/// Accumulators whose type only the function tells.
fn accumulator_result(site: &Site<'_>) -> Result<(), TypeError> {
    match site.result(0) {
        None | Some(Type::Accumulator(_)) => Ok(()),
        Some(_) => Err(site.wrong_result(0, "an accumulator")),
    }
}

fn accumulator(site: &Site<'_>, index: usize) -> Result<AccumulatorType, TypeError> {
    match site.operand(index)? {
        Type::Accumulator(ty) => Ok(*ty),
        _ => Err(site.wrong(index, "an accumulator")),
    }
}

/// The pointer to the sums of an accumulator, operand 0, whose stride is operand `stride`.
fn sums(site: &Site<'_>, stride: usize) -> Result<(), TypeError> {
    match site.pointer(0)?.0 {
        DType::F32 => site.space(0, MATRICES)?,
        _ => return Err(site.wrong(0, "a pointer to f32")),
    };
    site.expect(stride, &Type::fixed(DType::I32, &[]))
}

/// The element type of the matrix at the pointer, operand 0; its stride is operand `stride`.
fn pointee(site: &Site<'_>, stride: usize) -> Result<DType, TypeError> {
    let dtype = site.pointer(0)?.0;
    if !is_factor(dtype) {
        return Err(site.wrong(0, "a pointer to f16, bf16 or f32"));
    }
    site.space(0, MATRICES)?;
    site.expect(stride, &Type::fixed(DType::I32, &[]))?;
    Ok(dtype)
}

/// The element type of a matrix.
fn matrix(site: &Site<'_>, index: usize) -> Result<DType, TypeError> {
    match site.operand(index)? {
        Type::Matrix(dtype) => Ok(*dtype),
        _ => Err(site.wrong(index, "a matrix")),
    }
}
