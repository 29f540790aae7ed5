//! The weights of functions: the place of each large constant in the blocks. The texts of functions do not contain these.

use crate::blocks::{ALIGN, Listed};
use crate::error::LoadError;
use crate::record::{Reader, Writer};
use bytes::Bytes;
use std::collections::HashMap;
use std::io::{self, Write};
use trident_ir::literal::LiteralData;
use trident_ir::{Block, DType, Func, Literal, generic};

/// Constants of more elements than this are weights. The text form spells those of fewer as numbers.
const LISTED: usize = 32;

/// Weights of at least this many bytes are blocks of their own.
const LARGE: usize = 64 << 10;

/// Bytes from which a block of small weights takes no more of them.
const FULL: usize = 1 << 20;

/// Weights start at multiples of this many bytes, which suits every element type and vector.
const TENSOR: usize = 64;

static ZEROS: [u8; ALIGN as usize] = [0; ALIGN as usize];

/// The place of a constant.
#[derive(Clone, Copy)]
struct Place {
    block: usize,
    offset: usize,
}

/// A constant that the text of a function does without.
pub(crate) struct Slot {
    /// Which of the function's tensors, in the order of [`visit`].
    tensor: usize,
    dtype: DType,
    dims: Vec<usize>,
    place: Place,
}

/// Collects weights. Equal ones are stored once.
#[derive(Default)]
pub(crate) struct Collector {
    known: HashMap<Bytes, Place>,
    /// Large weights, and blocks of small ones.
    blocks: Vec<Vec<Bytes>>,
    /// The block that takes small weights, with its bytes.
    open: Option<(usize, usize)>,
}

/// All weights of a file.
pub(crate) struct Weights {
    blocks: Vec<Vec<Bytes>>,
}

/// Visits all tensors among the attributes of a block's ops.
fn visit(
    block: &mut Block,
    each: &mut dyn FnMut(&mut Literal) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    for op in &mut block.ops {
        generic::tensors_mut(op).try_for_each(&mut *each)?;
        for region in &mut op.regions {
            visit(region, each)?;
        }
    }
    Ok(())
}

/// The literal that stands in the text for a weight.
fn nothing(dtype: DType) -> Result<Literal, LoadError> {
    Ok(Literal::from_bytes(dtype, vec![0], Bytes::new())?)
}

fn padding(len: usize, align: usize) -> Bytes {
    Bytes::from_static(&ZEROS[..len.next_multiple_of(align) - len])
}

impl Collector {
    /// Takes the weights out of a function.
    pub(crate) fn take(&mut self, func: &mut Func) -> Result<Vec<Slot>, LoadError> {
        let (mut slots, mut tensor) = (vec![], 0);
        visit(&mut func.body, &mut |literal| {
            if let LiteralData::Bytes(bytes) = literal.data()
                && literal.len() > LISTED
            {
                let (dtype, dims) = (literal.dtype(), literal.dims().to_vec());
                slots.push(Slot { tensor, dtype, dims, place: self.add(bytes) });
                *literal = nothing(dtype)?;
            }
            tensor += 1;
            Ok(())
        })?;
        Ok(slots)
    }

    fn add(&mut self, bytes: &Bytes) -> Place {
        if let Some(&place) = self.known.get(bytes) {
            return place;
        }
        let parts = [bytes.clone(), padding(bytes.len(), TENSOR)];
        let len = bytes.len() + parts[1].len();
        let place = match self.open.as_mut().filter(|_| bytes.len() < LARGE) {
            Some((block, size)) => {
                let place = Place { block: *block, offset: *size };
                self.blocks[place.block].extend(parts);
                *size += len;
                place
            }
            None => {
                let place = Place { block: self.blocks.len(), offset: 0 };
                self.blocks.push(parts.into());
                if bytes.len() < LARGE {
                    self.open = Some((place.block, len));
                }
                place
            }
        };
        self.open.take_if(|(_, size)| *size >= FULL);
        self.known.insert(bytes.clone(), place);
        place
    }

    /// All weights, the largest blocks first, so that their digests are computed while the other blocks are read.
    /// `slots` are all results of [`Collector::take`]; they are updated to the final positions of the weights.
    pub(crate) fn finish<'s>(self, slots: impl Iterator<Item = &'s mut Slot>) -> Weights {
        let mut order: Vec<(usize, Vec<Bytes>)> = self.blocks.into_iter().enumerate().collect();
        let len = |parts: &[Bytes]| parts.iter().map(Bytes::len).sum::<usize>();
        order.sort_by_key(|(_, parts)| std::cmp::Reverse(len(parts)));
        let mut places = vec![0; order.len()];
        for (new, (old, parts)) in order.iter_mut().enumerate() {
            places[*old] = new;
            parts.push(padding(len(parts), ALIGN as usize));
        }
        slots.for_each(|slot| slot.place.block = places[slot.place.block]);
        Weights { blocks: order.into_iter().map(|(_, parts)| parts).collect() }
    }
}

impl Weights {
    /// How the blocks are listed.
    pub(crate) fn list(&self) -> impl ExactSizeIterator<Item = Listed> {
        self.blocks.iter().map(|parts| Listed::of(parts))
    }

    /// Bytes of all blocks.
    pub(crate) fn size(&self) -> u64 {
        self.blocks.iter().flatten().map(|part| part.len() as u64).sum()
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.blocks.iter().flatten().try_for_each(|part| out.write_all(part))
    }
}

impl Slot {
    pub(crate) fn encode(&self, writer: &mut Writer) {
        writer.size(self.tensor);
        writer.text(self.dtype.name());
        writer.list(self.dims.iter(), |w, &dim| w.size(dim));
        writer.size(self.place.block);
        writer.size(self.place.offset);
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Slot, LoadError> {
        let tensor = reader.size()?;
        let dtype = reader.str()?.parse::<DType>();
        let dtype = dtype.map_err(|error| LoadError::malformed(error.to_string()))?;
        let dims = reader.list(Reader::size)?;
        let place = Place { block: reader.size()?, offset: reader.size()? };
        Ok(Slot { tensor, dtype, dims, place })
    }

    fn literal(&self, blocks: &[Bytes]) -> Result<Literal, LoadError> {
        let Slot { dtype, dims, place: Place { block, offset }, .. } = self;
        let outside = || {
            LoadError::malformed(format!(
                "a weight of type {dtype}{dims:?} lies outside of its part"
            ))
        };
        let len = trident_ir::literal::checked_len(dims).and_then(|n| n.checked_mul(dtype.size()));
        let end = len.and_then(|len| offset.checked_add(len)).ok_or_else(outside)?;
        let block = blocks.get(*block).filter(|block| end <= block.len()).ok_or_else(outside)?;
        Ok(Literal::from_bytes(*dtype, dims.clone(), block.slice(*offset..end))?)
    }
}

/// Puts weights back into a function.
pub(crate) fn put(func: &mut Func, slots: &[Slot], blocks: &[Bytes]) -> Result<(), LoadError> {
    let (mut slots, mut tensor) = (slots.iter().peekable(), 0);
    visit(&mut func.body, &mut |literal| {
        if let Some(slot) = slots.next_if(|slot| slot.tensor == tensor) {
            *literal = slot.literal(blocks)?;
        }
        tensor += 1;
        Ok(())
    })?;
    match slots.next() {
        None => Ok(()),
        Some(_) => Err(LoadError::malformed("a weight belongs to no operation")),
    }
}
