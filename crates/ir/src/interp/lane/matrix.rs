//! 8×8 matrices. Which lane holds which element is not known, so each thread has the whole matrix as its value.

use super::Threadgroup;
use super::memory::{local, pointer};
use super::races::{Manner, Who};
use super::simd::Fault;
use crate::OpKind as K;
use crate::interp::error::Trap;
use crate::interp::machine::Site;
use crate::interp::number::{float, from_float};
use crate::interp::transfer::{read, write};
use crate::interp::value::{Block, Value};
use crate::lane::MATRIX_ELEMENTS;
use crate::types::MATRIX;

const DIMS: &[usize] = &[MATRIX; 2];

impl<'m> Threadgroup<'m> {
    /// The results of an op whose operands are equal in all lanes of the simdgroup that begins with thread `first`.
    pub(super) fn matrix(&mut self, first: usize, site: &Site<'m>) -> Result<Vec<Value>, Fault> {
        let result = match site.op.kind {
            K::MatrixFill => {
                let x = site.block(0)?;
                Block::new(x.dtype, DIMS, vec![x.first(); MATRIX_ELEMENTS])
            }
            K::MatrixLoad => {
                let (from, _) = pointer(site)?;
                let mut bits = vec![];
                for address in self.elements(first, site, site.int(1)?, Manner::Read)? {
                    let memory = self.memory(from.space);
                    let element = read(memory, from.to, address);
                    bits.push(element.map_err(|e| local(from.space, e.into()))?);
                }
                Block::new(from.to, DIMS, bits)
            }
            K::MatrixStore => {
                let (to, _) = pointer(site)?;
                let addresses = self.elements(first, site, site.int(2)?, Manner::Write)?;
                for (address, &bits) in addresses.into_iter().zip(&site.block(1)?.bits[..]) {
                    let memory = self.memory(to.space);
                    write(memory, to.to, address, bits).map_err(|e| local(to.space, e.into()))?;
                }
                return Ok(vec![]);
            }
            K::MatrixMultiplyAdd => multiply_add(site)?,
            _ => return Err(Trap::Unknown.into()),
        };
        Ok(vec![result.into()])
    }

    /// The addresses of the elements in row-major order, all checked.
    fn elements(
        &mut self,
        first: usize,
        site: &Site<'m>,
        stride: i128,
        manner: Manner,
    ) -> Result<Vec<u64>, Trap> {
        let (to, base) = pointer(site)?;
        let size = to.to.size();
        let mut addresses = vec![];
        for at in 0..MATRIX_ELEMENTS {
            let (row, column) = (at / MATRIX, at % MATRIX);
            let (slow, fast) =
                if site.op.flag("transpose") { (column, row) } else { (row, column) };
            let offset = (stride * slow as i128 + fast as i128) * size as i128;
            let address = base.wrapping_add(offset as u64);
            self.check(site, to.space, manner, (address, size, size), Who::simdgroup_of(first))?;
            addresses.push(address);
        }
        Ok(addresses)
    }
}

/// a·b + c, rounded once.
fn multiply_add(site: &Site<'_>) -> Result<Block, Trap> {
    let (a, b, c) = (site.block(0)?, site.block(1)?, site.block(2)?);
    let element = |at: usize| {
        let (row, column) = (at / MATRIX, at % MATRIX);
        let product = |k: usize| {
            float(a.dtype, a.bits[row * MATRIX + k]) * float(b.dtype, b.bits[k * MATRIX + column])
        };
        let sum: f64 = (0..MATRIX).map(product).sum();
        from_float(c.dtype, float(c.dtype, c.bits[at]) + sum)
    };
    Ok(Block::new(c.dtype, DIMS, (0..MATRIX_ELEMENTS).map(element).collect()))
}
