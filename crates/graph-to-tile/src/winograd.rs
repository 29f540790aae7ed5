//! Convolutions with 3×3 taps by Winograd's minimal filtering (A. Lavin and S. Gray, *Fast Algorithms for Convolutional Neural
//! Networks*, 2016): Y = Aᵀ(GgGᵀ ⊙ BᵀdB)A for each tile of the result.
//!
//! Weights are transformed once, when they are packed; the tiles of the operand by a first step into scratch memory. Sums over
//! channels are then one matrix product for each of the 16 or 36 elements of a transformed tile, and a last step transforms
//! them back. Scratch memory is of f32 whatever the operands are; a convolution that needs more of it than `Target::scratch` is
//! done in parts.
//!
//! Errors are relative to the largest element of a tile, not to the terms of each sum. With u = 2⁻²⁴, an element of the result
//! differs from the exact sum by at most k·(inputs + 30)·u·max|x|·Σ|w|, where the maximum is over the tile's part of the
//! operand, the sum over the weights of the output channel, and √k is the largest Σ|Aᵀ|·max|G|·Σ|Bᵀ| along an axis: k is 16 for
//! F(2×2) and 860 for F(4×4). On random numbers, tests find at most 0.7·u·max|x|·Σ|w| and 12·u·max|x|·Σ|w|.
//!
//! An infinity or NaN would spread over its tile, and large numbers overflow early. Where a sum of a tile is not finite, the tile
//! is therefore computed again as the convolution is defined.

use trident_ir::op::Activation;
use trident_ir::{DType, Literal, OpKind as K, ValueId, ops};

use super::conv::{Conv, reach};
use super::matmul;
use super::product::{Epilogue, Tile, accumulator};
use super::site::{Site, unsupported};
use super::writer::{Fold, Writer};
use super::{Arg, Result};

/// Taps along an axis.
const TAPS: usize = 3;
/// Tiles, of one channel each, that a program transforms.
const BLOCK: usize = 256;
/// Least number of tiles, of all channels, for which scratch memory must do: as many as a program of the product has columns.
const PART: usize = 64;

/// F(m×m, 3×3): how many elements of the result a tile has along an axis, and the matrices for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    F2,
    F4,
}

impl Form {
    /// Length of a tile of the result, m.
    fn out(self) -> usize {
        match self {
            Form::F2 => 2,
            Form::F4 => 4,
        }
    }

    /// Length of a transformed tile, and of the operand's part that it is made of.
    fn side(self) -> usize {
        self.out() + TAPS - 1
    }

    /// Elements of a transformed tile.
    fn area(self) -> usize {
        self.side() * self.side()
    }

    fn name(self) -> &'static str {
        match self {
            Form::F2 => "winograd2x2",
            Form::F4 => "winograd4x4",
        }
    }

    /// Bᵀ, which transforms tiles of the operand.
    fn input(self) -> &'static [&'static [i8]] {
        match self {
            Form::F2 => &[&[1, 0, -1, 0], &[0, 1, 1, 0], &[0, -1, 1, 0], &[0, 1, 0, -1]],
            Form::F4 => &[
                &[4, 0, -5, 0, 1, 0],
                &[0, -4, -4, 1, 1, 0],
                &[0, 4, -4, -1, 1, 0],
                &[0, -2, -1, 2, 1, 0],
                &[0, 2, -1, -2, 1, 0],
                &[0, 4, 0, -5, 0, 1],
            ],
        }
    }

    /// G, which transforms weights.
    fn filter(self) -> &'static [[f64; TAPS]] {
        const A: f64 = 1.0 / 6.0;
        const B: f64 = 1.0 / 12.0;
        const C: f64 = 1.0 / 24.0;
        match self {
            Form::F2 => &[[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]],
            Form::F4 => &[
                [0.25, 0.0, 0.0],
                [-A, -A, -A],
                [-A, A, -A],
                [C, B, A],
                [C, -B, A],
                [0.0, 0.0, 1.0],
            ],
        }
    }

    /// Aᵀ, which transforms sums to a tile of the result.
    fn output(self) -> &'static [&'static [i8]] {
        match self {
            Form::F2 => &[&[1, 1, 1, 0], &[0, 1, -1, -1]],
            Form::F4 => &[
                &[1, 1, 1, 1, 1, 0],
                &[0, 1, -1, 2, -2, 0],
                &[0, 1, 1, 4, 4, 0],
                &[0, 1, -1, 8, -8, 1],
            ],
        }
    }

    /// GgGᵀ of weights of [outputs, inputs, 3, 3]: f32 of [side·side, outputs, inputs].
    pub(super) fn weights(self, weights: &Literal) -> Option<Literal> {
        let &[outputs, inputs, TAPS, TAPS] = weights.dims() else { return None };
        let weights = weights.to_f64s()?;
        let (side, matrix) = (self.side(), self.filter());
        let mut to = vec![0f32; self.area() * outputs * inputs];
        for (at, taps) in weights.chunks_exact(TAPS * TAPS).enumerate() {
            for (y, row) in matrix.iter().enumerate() {
                let line: [f64; TAPS] =
                    std::array::from_fn(|x| (0..TAPS).map(|i| row[i] * taps[i * TAPS + x]).sum());
                for (x, column) in matrix.iter().enumerate() {
                    let sum: f64 = line.iter().zip(column).map(|(a, b)| a * b).sum();
                    to[(y * side + x) * outputs * inputs + at] = sum as f32;
                }
            }
        }
        Literal::vector(&to).with_dims(vec![self.area(), outputs, inputs])
    }

    /// Rows and columns of tiles of an image.
    fn tiles(self, conv: &Conv) -> [usize; 2] {
        [0, 1].map(|axis| conv.axes[axis].out.div_ceil(self.out()))
    }

    /// Most tiles whose transformed elements and sums fit into so much scratch memory.
    fn most(self, conv: &Conv, scratch: usize) -> usize {
        scratch / (self.area() * (conv.inputs + conv.outputs) * DType::F32.size())
    }

    /// Operations that one image takes the time of, as [`choose`] compares them.
    fn cost(self, conv: &Conv, balance: f64) -> f64 {
        let (inputs, outputs) = (conv.inputs as f64, conv.outputs as f64);
        let count: usize = self.tiles(conv).iter().product();
        let products = Tile::of(conv.outputs, count, DType::F32).products(conv.outputs, count);
        // Transformed tiles and sums are written and read.
        let bytes = 4.0 * (2.0 * count as f64 * (inputs + outputs) + inputs * outputs);
        self.area() as f64 * (2.0 * products * inputs + balance * bytes)
    }
}

/// Whether this is a convolution that the algorithm computes, which sizes do not matter to.
pub(super) fn applies(site: &Site<'_>) -> Result<bool> {
    let op = site.op;
    if !matches!(op.kind, K::Conv | K::FusedConv) {
        return Ok(false);
    }
    let ones = |all: Option<&[i64]>| all.is_none_or(|all| all.iter().all(|&n| n == 1));
    let narrow = matches!(site.dtype(ops::Conv::AT.x)?, DType::F32 | DType::F16 | DType::BF16);
    Ok(site.view(ops::Grouped::of)?.group() == 1
        && ones(site.view(ops::Window::of)?.strides())
        && ones(site.view(ops::Dilated::of)?.dilations())
        && narrow
        && site.is_constant(ops::Conv::AT.w)
        && matches!(site.dims(ops::Conv::AT.w)?, [_, _, TAPS, TAPS]))
}

/// The form for a convolution, if it is worth it.
///
/// Products that are saved are weighed against the bytes of scratch memory and weights that are moved more, by the device's
/// operations for each byte. The operand and the result are read and written either way. An eighth has to be saved, as this
/// counts neither the two launches more nor what caches do.
///
/// One image decides, however many there are, so that a server which collects requests into batches gives what it would give
/// to each of them.
pub(super) fn choose(site: &Site<'_>, conv: &Conv) -> Result<Option<Form>> {
    let places = conv.axes.iter().map(|axis| axis.out).product::<usize>();
    if !applies(site)? || conv.images * conv.inputs * conv.outputs * places == 0 {
        return Ok(None);
    }
    let dtype = site.dtype(ops::Conv::AT.x)?;
    let balance = f64::from(site.target().flops_per_byte);
    let products = Tile::of(conv.outputs, places, dtype).products(conv.outputs, places);
    let depth = (conv.inputs * TAPS * TAPS) as f64;
    let weights = conv.outputs as f64 * depth * dtype.size() as f64;
    let implicit = 2.0 * products * depth + balance * weights;
    let mut best = (None, implicit * 7.0 / 8.0);
    for form in [Form::F4, Form::F2] {
        let cost = form.cost(conv, balance);
        if cost < best.1 && form.most(conv, site.target().scratch) >= PART {
            best = (Some(form), cost);
        }
    }
    Ok(best.0)
}

/// The convolution with its bias and what its op ends with.
pub(super) fn write(
    site: &mut Site<'_>,
    conv: &Conv,
    form: Form,
    activation: Activation,
) -> Result<()> {
    site.algorithm(form.name());
    let [rows, columns] = form.tiles(conv);
    let all = conv.images * rows * columns;
    // Parts are equal, except the last one, which may be shorter.
    let most = form.most(conv, site.target().scratch).max(1);
    let part = all.div_ceil(all.div_ceil(most));
    let (tiles, sums) = (form.area() * conv.inputs * part, form.area() * conv.outputs * part);
    let plane = |dims: &[usize]| dims.iter().product::<usize>();
    let longest = [
        plane(site.dims(ops::Conv::AT.x)?),
        plane(site.dims(ops::Conv::AT.w)?),
        plane(site.result_dims(ops::Conv::AT.y)?),
        tiles,
        sums,
    ];
    let longest = longest.into_iter().max().unwrap_or(0);
    let (tiles, sums) = (site.scratch(DType::F32, tiles), site.scratch(DType::F32, sums));
    let weights = site.pack(ops::Conv::AT.w, form);
    for first in (0..all).step_by(part) {
        let count = part.min(all - first);
        let step = Transform { form, conv, longest, first, count };
        step.to_tiles(site, tiles)?;
        let dims = [conv.outputs, count, conv.inputs];
        matmul::stacked(site, [weights, tiles, sums], form.area(), dims)?;
        step.to_result(site, sums, activation)?;
    }
    Ok(())
}

/// A step that transforms tiles, each of one channel, or sums of them.
struct Transform<'a> {
    form: Form,
    conv: &'a Conv,
    longest: usize,
    /// Number of the first tile, counted by image, and how many there are.
    first: usize,
    count: usize,
}

/// The tiles of a program: their number, counted by channel, and what that stands for.
struct Block {
    tile: ValueId,
    valid: ValueId,
    channel: ValueId,
    image: ValueId,
    /// First row and column of the result.
    start: [ValueId; 2],
    /// Number of tiles of all channels.
    count: ValueId,
}

impl Transform<'_> {
    fn block(&self, w: &mut Writer, channels: usize) -> Result<Block> {
        let [rows, columns] = self.form.tiles(self.conv);
        let count = w.size(channels * self.count)?;
        let (tile, valid) = w.span(0, BLOCK, count)?;
        let own = w.unravel(tile, &[channels, self.count])?;
        let first = w.size(self.first)?;
        let place = w.add(first, own[1])?;
        let at = w.unravel(place, &[self.conv.images, rows, columns])?;
        let out = w.int(self.form.out())?;
        let start = [w.mul(at[1], out)?, w.mul(at[2], out)?];
        Ok(Block { tile, valid, channel: own[0], image: at[0], start, count })
    }

    fn grid(&self, channels: usize) -> [usize; 3] {
        [(channels * self.count).div_ceil(BLOCK), 1, 1]
    }

    /// Where scratch memory has element `i` of the transformed tiles.
    fn place(w: &mut Writer, block: &Block, i: usize) -> Result<ValueId> {
        let i = w.int(i)?;
        let start = w.mul(i, block.count)?;
        w.add(start, block.tile)
    }

    /// BᵀdB for each tile d of the operand.
    fn to_tiles(&self, site: &mut Site<'_>, to: Arg) -> Result<()> {
        let (form, conv) = (self.form, self.conv);
        let dtype = site.dtype(ops::Conv::AT.x)?;
        let mut w = site.writer(self.longest);
        let block = self.block(&mut w, conv.inputs)?;
        let image = Image::of(&mut w, site, conv, &block)?;
        let mut reached = [vec![], vec![]];
        for (axis, reached) in reached.iter_mut().enumerate() {
            for i in 0..form.side() {
                let i = w.int(i)?;
                reached.push(reach(&mut w, &conv.axes[axis], block.start[axis], i, false)?);
            }
        }
        let mut elements = vec![];
        for row in &reached[0] {
            for column in &reached[1] {
                let x = image.pixel(&mut w, block.channel, [*row, *column], block.valid)?;
                elements.push(w.cast(x, accumulator(dtype))?);
            }
        }
        let elements = both(&mut w, form.input(), elements)?;
        let to = w.array(to, DType::F32)?;
        for (i, &element) in elements.iter().enumerate() {
            let offset = Self::place(&mut w, &block, i)?;
            w.store(to, offset, element, block.valid)?;
        }
        site.step(w, self.grid(conv.inputs))
    }

    /// AᵀmA for the sums m of each tile, with bias, residual and activation.
    fn to_result(&self, site: &mut Site<'_>, sums: Arg, activation: Activation) -> Result<()> {
        let (form, conv) = (self.form, self.conv);
        let mut w = site.writer(self.longest);
        let block = self.block(&mut w, conv.outputs)?;
        let sums = w.array(sums, DType::F32)?;
        let mut elements = vec![];
        for i in 0..form.area() {
            let offset = Self::place(&mut w, &block, i)?;
            elements.push(w.load_or_zero(sums, offset, block.valid)?);
        }
        let elements = both(&mut w, form.output(), elements)?;
        let result = ResultTile::of(&mut w, site, conv, &block, activation)?;
        let broken = broken(&mut w, &elements)?;
        let sound = w.op(K::Not, &[broken])?;
        let sound = w.and(block.valid, sound)?;
        for (i, &element) in elements.iter().enumerate() {
            let at = [w.int(i / form.out())?, w.int(i % form.out())?];
            result.store(&mut w, at, element, sound)?;
        }
        let direct = Direct::of(&mut w, site, conv, &block)?;
        let flags = w.cast(broken, DType::I32)?;
        let any = w.fold(flags, 0, Fold::Max)?;
        let zero = w.literal(DType::I32, 0)?;
        let any = w.less(zero, any)?;
        let (out, count) = (w.size(form.out())?, w.size(form.out() * form.out())?);
        w.when(any, |w| {
            w.repeat(count, 1, &[], |w, i, _| {
                let (row, column) = w.divide(i, out)?;
                let sum = direct.sum(w, [row, column], broken)?;
                result.store(w, [row, column], sum, broken)?;
                Ok(vec![])
            })
            .map(drop)
        })?;
        site.step(w, self.grid(conv.outputs))
    }
}

/// An image of the operand for each tile.
struct Image {
    base: ValueId,
    /// Offset of the image.
    start: ValueId,
    plane: ValueId,
    columns: ValueId,
}

impl Image {
    fn of(w: &mut Writer, site: &Site<'_>, conv: &Conv, block: &Block) -> Result<Image> {
        let base = w.array(Arg::Operand(ops::Conv::AT.x), site.dtype(ops::Conv::AT.x)?)?;
        let (rows, columns) = (conv.axes[0].len, conv.axes[1].len);
        let all = w.size(conv.inputs * rows * columns)?;
        let start = w.mul(block.image, all)?;
        Ok(Image { base, start, plane: w.size(rows * columns)?, columns: w.size(columns)? })
    }

    /// The element of a channel at a row and column, 0 outside.
    fn pixel(
        &self,
        w: &mut Writer,
        channel: ValueId,
        [row, column]: [(ValueId, ValueId); 2],
        valid: ValueId,
    ) -> Result<ValueId> {
        let inside = w.and(row.1, column.1)?;
        let mask = w.and(valid, inside)?;
        let offset = w.mul(channel, self.plane)?;
        let line = w.mul(row.0, self.columns)?;
        let offset = w.add(offset, line)?;
        let offset = w.add(offset, column.0)?;
        let offset = w.add(self.start, offset)?;
        w.load_or_zero(self.base, offset, mask)
    }
}

/// Tiles of the result.
struct ResultTile {
    epilogue: Epilogue,
    bias: Option<ValueId>,
    first: [ValueId; 2],
    rows: ValueId,
    columns: ValueId,
    /// Offset of the channel.
    start: ValueId,
}

impl ResultTile {
    fn of(
        w: &mut Writer,
        site: &Site<'_>,
        conv: &Conv,
        block: &Block,
        activation: Activation,
    ) -> Result<ResultTile> {
        let dtype = site.dtype(ops::Conv::AT.x)?;
        let mut bias = None;
        if site.has(ops::Conv::AT.b) {
            let base = w.array(Arg::Operand(ops::Conv::AT.b), dtype)?;
            let own = w.load_or_zero(base, block.channel, block.valid)?;
            bias = Some(w.cast(own, accumulator(dtype))?);
        }
        let channels = w.size(conv.outputs)?;
        let (rows, columns) = (w.size(conv.axes[0].out)?, w.size(conv.axes[1].out)?);
        let line = w.mul(block.image, channels)?;
        let line = w.add(line, block.channel)?;
        let plane = w.mul(rows, columns)?;
        let start = w.mul(line, plane)?;
        let epilogue = Epilogue::of(site, w, activation)?;
        Ok(ResultTile { epilogue, bias, first: block.start, rows, columns, start })
    }

    /// Writes the elements at a row and column of tiles.
    fn store(
        &self,
        w: &mut Writer,
        [row, column]: [ValueId; 2],
        mut sum: ValueId,
        mask: ValueId,
    ) -> Result<()> {
        let (row, column) = (w.add(self.first[0], row)?, w.add(self.first[1], column)?);
        let (below, before) = (w.less(row, self.rows)?, w.less(column, self.columns)?);
        let inside = w.and(below, before)?;
        let mask = w.and(mask, inside)?;
        let line = w.mul(row, self.columns)?;
        let offset = w.add(line, column)?;
        let offset = w.add(self.start, offset)?;
        if let Some(bias) = self.bias {
            sum = w.add(sum, bias)?;
        }
        self.epilogue.store(w, sum, offset, mask)
    }
}

/// The convolution as it is defined, for one element of each tile.
struct Direct<'a> {
    conv: &'a Conv,
    block: &'a Block,
    image: Image,
    weights: ValueId,
    dtype: DType,
}

impl<'a> Direct<'a> {
    fn of(w: &mut Writer, site: &Site<'_>, conv: &'a Conv, block: &'a Block) -> Result<Direct<'a>> {
        let dtype = site.dtype(ops::Conv::AT.x)?;
        let image = Image::of(w, site, conv, block)?;
        let weights = w.array(Arg::Operand(ops::Conv::AT.w), dtype)?;
        Ok(Direct { conv, block, image, weights, dtype: accumulator(dtype) })
    }

    /// The sum for the elements at a row and column of tiles.
    fn sum(&self, w: &mut Writer, [row, column]: [ValueId; 2], mask: ValueId) -> Result<ValueId> {
        let axes = &self.conv.axes;
        let first = self.block.start;
        let place = [w.add(first[0], row)?, w.add(first[1], column)?];
        let depth = w.size(self.conv.inputs * TAPS * TAPS)?;
        let zero = w.literal(self.dtype, 0)?;
        let zeros = w.spread_like(zero, mask)?;
        let line = w.mul(self.block.channel, depth)?;
        let sums = w.repeat(depth, 1, &[zeros], |w, k, sums| {
            let at = w.unravel(k, &[self.conv.inputs, TAPS, TAPS])?;
            let row = reach(w, &axes[0], place[0], at[1], false)?;
            let column = reach(w, &axes[1], place[1], at[2], false)?;
            let x = self.image.pixel(w, at[0], [row, column], mask)?;
            let offset = w.add(line, k)?;
            let weight = w.load_or_zero(self.weights, offset, mask)?;
            let (x, weight) = (w.cast(x, self.dtype)?, w.cast(weight, self.dtype)?);
            let product = w.mul(x, weight)?;
            Ok(vec![w.add(sums[0], product)?])
        })?;
        Ok(sums[0])
    }
}

/// M·x·Mᵀ of a square x by rows.
fn both(w: &mut Writer, matrix: &[&[i8]], x: Vec<ValueId>) -> Result<Vec<ValueId>> {
    let (rows, side) = (matrix.len(), matrix[0].len());
    let mut lines = vec![];
    for row in matrix {
        for column in 0..side {
            let own: Vec<ValueId> = x.iter().skip(column).step_by(side).copied().collect();
            lines.push(combine(w, row, &own)?);
        }
    }
    let mut found = Vec::with_capacity(rows * rows);
    for line in lines.chunks(side) {
        for row in matrix {
            found.push(combine(w, row, line)?);
        }
    }
    Ok(found)
}

/// Σ factor·x.
fn combine(w: &mut Writer, factors: &[i8], xs: &[ValueId]) -> Result<ValueId> {
    let mut sum = None;
    for (&factor, &x) in factors.iter().zip(xs).filter(|(factor, _)| **factor != 0) {
        let times = |w: &mut Writer, factor: i8| match factor {
            1 => Ok(x),
            factor => {
                let factor = w.float(DType::F32, factor.into())?;
                w.mul(x, factor)
            }
        };
        sum = Some(match sum {
            None => times(w, factor)?,
            Some(sum) => {
                let term = times(w, factor.abs())?;
                if factor > 0 { w.add(sum, term)? } else { w.sub(sum, term)? }
            }
        });
    }
    match sum {
        Some(sum) => Ok(sum),
        None => w.float(DType::F32, 0.0),
    }
}

/// Which tiles have an element that is not finite.
fn broken(w: &mut Writer, elements: &[ValueId]) -> Result<ValueId> {
    let mut sum = None;
    for &x in elements {
        // NaN for infinities, too.
        let none = w.sub(x, x)?;
        sum = Some(match sum {
            None => none,
            Some(sum) => w.add(sum, none)?,
        });
    }
    let sum = sum.ok_or_else(|| unsupported("has no elements"))?;
    w.op(K::IsNaN, &[sum])
}
