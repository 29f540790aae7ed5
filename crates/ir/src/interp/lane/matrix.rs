//! 8×8 matrices and 32×32 accumulators. The assignment of elements to lanes is not specified, so each thread has the
//! whole matrix as its value.

use super::Threadgroup;
use super::memory::{local, pointer};
use super::races::{Manner, Who};
use super::simd::Fault;
use crate::interp::error::Trap;
use crate::interp::machine::Site;
use crate::interp::number::{float, from_float};
use crate::interp::transfer::{read, write};
use crate::interp::value::{Block, InterpValue};
use crate::types::{ACCUMULATOR, MATRIX, PointerType};
use crate::{OpKind as K, Type, ops};

/// The positions of a square's elements after a pointer.
struct Square {
    /// Rows, and columns.
    side: usize,
    stride: i128,
    transpose: bool,
}

impl<'m> Threadgroup<'m> {
    /// The results of an op whose operands are equal in all lanes of the simdgroup that begins with thread `first`.
    pub(super) fn matrix(
        &mut self,
        first: usize,
        site: &Site<'m>,
    ) -> Result<Vec<InterpValue>, Fault> {
        let result = match site.op.kind {
            K::MatrixFill => {
                let x = site.block(0)?;
                Block::new(x.dtype, &[MATRIX; 2], vec![x.first(); MATRIX * MATRIX])
            }
            K::MatrixLoad => self.load(
                first,
                site,
                MATRIX,
                (0, ops::MatrixLoad::of(site.op).is_some_and(|op| op.transpose())),
            )?,
            K::MatrixStore => {
                self.store(
                    first,
                    site,
                    MATRIX,
                    ops::MatrixStore::of(site.op).is_some_and(|op| op.transpose()),
                )?;
                return Ok(vec![]);
            }
            K::MatrixMultiplyAdd => {
                multiply_add(site.block(0)?, site.block(1)?, site.block(2)?, MATRIX)
            }
            K::AccumulatorFill => {
                let x = site.block(0)?;
                Block::new(x.dtype, &[ACCUMULATOR; 2], vec![x.first(); ACCUMULATOR * ACCUMULATOR])
            }
            K::AccumulatorLoad => self.load(first, site, ACCUMULATOR, (0, false))?,
            K::AccumulatorStore => {
                self.store(first, site, ACCUMULATOR, false)?;
                return Ok(vec![]);
            }
            K::AccumulatorMultiplyAdd => {
                let Some(Type::Accumulator(ty)) = site.op.input(4).map(|id| site.func.ty(id))
                else {
                    return Err(Trap::Unknown.into());
                };
                let [left, right] = ty.transposed;
                let a = self.load(first, site, ACCUMULATOR, (0, left))?;
                let b = self.load(first, site, ACCUMULATOR, (2, right))?;
                multiply_add(&a, &b, site.block(4)?, ACCUMULATOR)
            }
            _ => return Err(Trap::Unknown.into()),
        };
        Ok(vec![result.into()])
    }

    /// The square with `side` rows at the pointer that is operand `at`; its stride is the next operand.
    fn load(
        &mut self,
        first: usize,
        site: &Site<'m>,
        side: usize,
        (at, transpose): (usize, bool),
    ) -> Result<Block, Trap> {
        let from = pointer(site, at)?;
        let mut bits = vec![];
        let square = Square { side, stride: site.int(at + 1)?, transpose };
        for address in self.elements(first, site, from, square, Manner::Read)? {
            let element = read(self.memory(from.0.space), from.0.to, address);
            bits.push(element.map_err(|e| local(from.0.space, e.into()))?);
        }
        Ok(Block::new(from.0.to, &[side; 2], bits))
    }

    /// Writes operand 1 to where [`Self::load`] would read it; the stride is operand 2.
    fn store(
        &mut self,
        first: usize,
        site: &Site<'m>,
        side: usize,
        transpose: bool,
    ) -> Result<(), Trap> {
        let to = pointer(site, 0)?;
        let square = Square { side, stride: site.int(2)?, transpose };
        let addresses = self.elements(first, site, to, square, Manner::Write)?;
        for (address, &bits) in addresses.into_iter().zip(&site.block(1)?.bits[..]) {
            let memory = self.memory(to.0.space);
            write(memory, to.0.to, address, bits).map_err(|e| local(to.0.space, e.into()))?;
        }
        Ok(())
    }

    /// The addresses of the elements in row-major order, all checked.
    fn elements(
        &mut self,
        first: usize,
        site: &Site<'m>,
        (to, base): (&PointerType, u64),
        Square { side, stride, transpose }: Square,
        manner: Manner,
    ) -> Result<Vec<u64>, Trap> {
        let size = to.to.size();
        let mut addresses = vec![];
        for at in 0..side * side {
            let (row, column) = (at / side, at % side);
            let (slow, fast) = if transpose { (column, row) } else { (row, column) };
            let offset = (stride * slow as i128 + fast as i128) * size as i128;
            let address = base.wrapping_add(offset as u64);
            self.check(site, to.space, manner, (address, size, size), Who::simdgroup_of(first))?;
            addresses.push(address);
        }
        Ok(addresses)
    }
}

/// a·b + c of matrices with `side` rows and columns, rounded once.
fn multiply_add(a: &Block, b: &Block, c: &Block, side: usize) -> Block {
    let element = |at: usize| {
        let (row, column) = (at / side, at % side);
        let product = |k: usize| {
            float(a.dtype, a.bits[row * side + k]) * float(b.dtype, b.bits[k * side + column])
        };
        let sum: f64 = (0..side).map(product).sum();
        from_float(c.dtype, float(c.dtype, c.bits[at]) + sum)
    };
    Block::new(c.dtype, &[side; 2], (0..side * side).map(element).collect())
}
