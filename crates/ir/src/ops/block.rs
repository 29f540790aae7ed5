//! The program and its blocks of elements.

use super::common::{block, open};
use crate::op::grammar::ops;
use crate::op::{TypeError, view};
use crate::tile::region::pack;
use crate::tile::{Site, Types, one, with_dims};
use crate::{DType, Type, counted, ops};

ops! {
    /// Which program of the grid this is, along `axis` (0, 1, 2 are x, y, z).
    ProgramId "program_id" Tile () -> (y: Is(DType::I32)) { axis: Int } tile program_axis;
    /// Number of programs of the grid along `axis`.
    NumPrograms "num_programs" Tile () -> (y: Is(DType::I32)) { axis: Int } tile program_axis;
    /// The integers start … end − 1.
    Arange "arange" Tile () -> (y: Is(DType::I32)) { start: Int, end: Int } cost 0 class Element tile arange_types;
    /// A block with the scalar in each place.
    Splat "splat" Tile (x) -> (y: Element(0)) {}
        cost 0 class View tile splat_types checks splat_result lane vector_splat_types checks vector_splat_result;
    /// The only element of a block.
    Unsplat "unsplat" Tile (x) -> (y: Element(0)) {} tile unsplat_types;
    /// Inserts an axis of length 1 at place `axis` of the result.
    ExpandDims "expand_dims" Tile (x) -> (y: Element(0)) { axis: Int } cost 0 class View tile expand_dims_types;
    /// Repeats along axes of length 1 up to the result's dimensions; ranks are equal.
    Broadcast "broadcast" Tile (x) -> (y: Element(0)) {} cost 0 class View tile block checks broadcast_result;
    /// The same elements in row-major order under other dimensions. `reorder` allows any order.
    View "view" Tile (x) -> (y: Element(0)) { reorder: Flag = false } cost 0 class View tile block checks view_result;
    /// Axis i of the result is axis `order[i]` of the operand.
    Permute "permute" Tile (x) -> (y: Element(0)) { order: Ints } class View tile permute_types;
    /// Concatenates two blocks of rank 1.
    Cat "cat" Tile (a, b) -> (c: Element(0)) {} class Element tile cat_types;
    /// Both blocks along a last axis of length 2.
    Join "join" Tile (a, b) -> (c: Element(0)) {} class Element tile join_types;
    /// The two halves of a last axis of length 2.
    Unjoin "unjoin" Tile (x) -> (a: Element(0), b: Element(0)) {} class View tile unjoin_types;
    /// result[…, i, …] = x[…, indices[…, i, …], …] along `axis`. An index outside is an error in checked runs, else its
    /// element is arbitrary.
    TakeAlongAxis "take_along_axis" Tile (x, indices) -> (y: Element(0)) { axis: Int }
        cost 8 class Element tile take_along_axis_types;
    /// How many elements (where `mask` holds) have each of the values 0 … bins − 1; others are not counted.
    Histogram "histogram" Tile (x, mask[opt]) -> (y: Is(DType::I32)) {} tile histogram_types checks histogram_result;
    /// Folds the blocks along `axis`, which disappears; the region combines two elements: parameters are the left
    /// ones of all operands, then the right ones. The order of combinations is open.
    Reduce "reduce" Tile (xs[many]) -> (ys[many]: Regions) { axis: Int } regions 1 tile reduce_types;
    /// Inclusive prefixes along `axis`, from its end with `reverse`. The region is like that of `reduce`; its left
    /// elements are the prefix so far.
    PrefixScan "prefix_scan" Tile (xs[many]) -> (ys[many]: Regions)
        { axis: Int, reverse: Flag = false } regions 1 tile prefix_scan_types;
    /// Runs the region for each group of `pack` consecutive elements. Its parameters are the `pack` elements of the
    /// first operand, then of the next, and so on; its results are in the same order.
    Map "map" Tile (xs[many]) -> (ys[many]: Declared) { pack: Int = 1 } regions 1 tile map_types;
    /// Any value of the type.
    Poison "poison" Tile () -> (y: Declared) {}
        cost 0 class Element tile open checks poison_result lane open checks lane_poison_result;
    /// The operand, with promises by the program for each axis: in each run of `contiguity` elements, the elements rise
    /// by 1 and the first is divisible by `divisibility`; runs of `constancy` elements are equal.
    Hint "hint" Tile (x) -> (y: Same(0)) { contiguity[opt]: Ints, constancy[opt]: Ints, divisibility[opt]: Ints }
        cost 0 class View tile hint_types;
}

fn program_axis(site: &Site<'_>) -> Types {
    site.axis(ops::ProgramId::AT.axis, 3)?;
    one(Type::fixed(DType::I32, &[]))
}

fn splat_types(site: &Site<'_>) -> Types {
    match site.dims(0)?.is_empty() {
        true => Ok(vec![None]),
        false => Err(site.wrong(0, "a scalar")),
    }
}

/// At level lane.
fn vector_splat_types(site: &Site<'_>) -> Types {
    site.scalar(0, "of any type", |_| true).map(|_| vec![None])
}

fn unsplat_types(site: &Site<'_>) -> Types {
    match site.dims(0)?.iter().all(|&n| n == 1) {
        true => one(with_dims(site.operand(0)?, &[])),
        false => Err(site.wrong(0, "a block of one element")),
    }
}

fn expand_dims_types(site: &Site<'_>) -> Types {
    let mut dims = site.dims(0)?;
    dims.insert(site.axis(ops::ExpandDims::AT.axis, dims.len() + 1)?, 1);
    one(with_dims(site.operand(0)?, &dims))
}

fn join_types(site: &Site<'_>) -> Types {
    let mut dims = site.dims(0)?;
    site.expect(1, &with_dims(site.operand(0)?, &dims))?;
    dims.push(2);
    one(with_dims(site.operand(0)?, &dims))
}

fn unjoin_types(site: &Site<'_>) -> Types {
    let mut dims = site.dims(0)?;
    if dims.pop() != Some(2) {
        return Err(site.wrong(0, "a block whose last axis has length 2"));
    }
    Ok(vec![Some(with_dims(site.operand(0)?, &dims)); 2])
}

fn histogram_types(site: &Site<'_>) -> Types {
    let at = ops::Histogram::AT;
    let (_, dims) = site.elements(at.x, "integers", DType::is_int)?;
    site.mask(at.mask, &dims)?;
    Ok(vec![None])
}

fn arange_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::Arange::of)?, ops::Arange::AT);
    let (start, end) = (op.start(), op.end());
    for (name, value) in [(at.start, start), (at.end, end)] {
        if i32::try_from(value).is_err() {
            return Err(site.wrong_attr(name, "an i32"));
        }
    }
    match usize::try_from(end - start) {
        Ok(n) if n > 0 => one(Type::fixed(DType::I32, &[n])),
        _ => Err(site.wrong_attr(at.end, format!("above start, {start}"))),
    }
}

fn permute_types(site: &Site<'_>) -> Types {
    let dims = site.dims(0)?;
    let order = site.view(ops::Permute::of)?.order();
    let axes: Option<Vec<usize>> = order.iter().map(|&axis| usize::try_from(axis).ok()).collect();
    let mut sorted = axes.clone().unwrap_or_default();
    sorted.sort_unstable();
    match axes {
        Some(axes) if sorted.iter().copied().eq(0..dims.len()) => {
            let dims: Vec<_> = axes.iter().map(|&axis| dims[axis]).collect();
            one(with_dims(site.operand(0)?, &dims))
        }
        _ => {
            let expected = format!("an order of {}", counted(dims.len(), "axis"));
            Err(site.wrong_attr(ops::Permute::AT.order, expected))
        }
    }
}

fn cat_types(site: &Site<'_>) -> Types {
    let mut lengths = [0; 2];
    for (i, length) in lengths.iter_mut().enumerate() {
        match site.dims(i)?[..] {
            [n] => *length = n,
            _ => return Err(site.wrong(i, "a block of rank 1")),
        }
    }
    site.expect(1, &with_dims(site.operand(0)?, &lengths[1..]))?;
    match lengths[0].checked_add(lengths[1]) {
        Some(n) => one(with_dims(site.operand(0)?, &[n])),
        None => Err(site.wrong(1, "a block of fewer elements")),
    }
}

fn take_along_axis_types(site: &Site<'_>) -> Types {
    let dims = site.dims(0)?;
    let axis = site.axis(ops::TakeAlongAxis::AT.axis, dims.len())?;
    let (_, indices) = site.elements(1, "integers", DType::is_int)?;
    let agrees =
        indices.len() == dims.len() && (0..dims.len()).all(|i| i == axis || dims[i] == indices[i]);
    match agrees {
        true => one(with_dims(site.operand(0)?, &indices)),
        false => Err(site.wrong(1, format!("dimensions {dims:?} but for axis {axis}"))),
    }
}

fn map_types(site: &Site<'_>) -> Types {
    let dims = operands_of_equal_dims(site)?;
    let pack = pack(site)?;
    let elements: usize = dims.iter().product();
    if !elements.is_multiple_of(pack) {
        return Err(site.wrong_attr(ops::Map::AT.pack, format!("a divisor of {elements}")));
    }
    let yields = site.types(&site.region(0)?.results);
    if yields.len() != site.op.outputs.len() * pack {
        let (n, m) = (yields.len(), site.op.outputs.len() * pack);
        return Err(
            site.region_fault(format!("the region yields {}, needs {m}", counted(n, "value")))
        );
    }
    Ok(yields.iter().step_by(pack).map(|ty| Some(with_dims(ty, &dims))).collect())
}

fn hint_types(site: &Site<'_>) -> Types {
    let ty = site.operand(0)?;
    let rank = site.dims(0)?.len().max(1);
    let at = ops::Hint::AT;
    for name in [at.contiguity, at.constancy, at.divisibility] {
        let list = view::optional(site.op, name).unwrap_or_default();
        if !list.is_empty() && (list.len() != rank || list.iter().any(|&n| n < 1)) {
            return Err(site.wrong_attr(
                name,
                format!("{}, one for each axis", counted(rank, "positive number")),
            ));
        }
    }
    one(ty.clone())
}

fn reduce_types(site: &Site<'_>) -> Types {
    let mut dims = operands_of_equal_dims(site)?;
    dims.remove(site.axis(ops::Reduce::AT.axis, dims.len())?);
    folded(site, &dims)
}

fn prefix_scan_types(site: &Site<'_>) -> Types {
    let dims = operands_of_equal_dims(site)?;
    site.axis(ops::PrefixScan::AT.axis, dims.len())?;
    folded(site, &dims)
}

fn folded(site: &Site<'_>, dims: &[usize]) -> Types {
    (0..site.op.inputs.len()).map(|i| Ok(Some(with_dims(site.operand(i)?, dims)))).collect()
}

fn operands_of_equal_dims(site: &Site<'_>) -> Result<Vec<usize>, TypeError> {
    let dims = site.dims(0)?;
    match (1..site.op.inputs.len()).find(|&i| site.dims(i).ok().as_ref() != Some(&dims)) {
        Some(i) => Err(site.wrong(i, format!("a block with dimensions {dims:?}"))),
        None => Ok(dims),
    }
}

/// The dimensions of a declared result whose elements are those of the operand.
fn result_dims(site: &Site<'_>) -> Result<Option<Vec<usize>>, TypeError> {
    let Some(result) = site.result(0) else { return Ok(None) };
    let to = result.dims().ok_or_else(|| site.wrong_result(0, "a block"))?;
    match *result == with_dims(site.operand(0)?, &to) {
        true => Ok(Some(to)),
        false => {
            let element = site.operand(0)?.with_shape(None);
            Err(site.wrong_result(0, format!("elements as in {element}")))
        }
    }
}

fn splat_result(site: &Site<'_>) -> Result<(), TypeError> {
    result_dims(site).map(drop)
}

fn broadcast_result(site: &Site<'_>) -> Result<(), TypeError> {
    let (from, Some(to)) = (site.dims(0)?, result_dims(site)?) else { return Ok(()) };
    let fits = from.len() == to.len() && from.iter().zip(&to).all(|(&a, b)| a == 1 || a == *b);
    fits.then_some(()).ok_or_else(|| {
        site.wrong_result(0, format!("dimensions {from:?} with other lengths in place of 1"))
    })
}

fn view_result(site: &Site<'_>) -> Result<(), TypeError> {
    let Some(to) = result_dims(site)? else { return Ok(()) };
    let n = site.dims(0)?.iter().product::<usize>();
    let same = crate::literal::checked_len(&to) == Some(n);
    same.then_some(()).ok_or_else(|| site.wrong_result(0, counted(n, "element")))
}

fn histogram_result(site: &Site<'_>) -> Result<(), TypeError> {
    let Some(result) = site.result(0) else { return Ok(()) };
    let to = result.dims().ok_or_else(|| site.wrong_result(0, "a block"))?;
    match result == &Type::fixed(DType::I32, &to) && to.len() == 1 {
        true => Ok(()),
        false => Err(site.wrong_result(0, "a block of i32 of rank 1")),
    }
}

fn poison_result(site: &Site<'_>) -> Result<(), TypeError> {
    match site.result(0) {
        Some(Type::Descriptor(_)) => Err(site.wrong_result(0, "a block")),
        _ => Ok(()),
    }
}

/// At level lane.
fn vector_splat_result(site: &Site<'_>) -> Result<(), TypeError> {
    match site.result(0) {
        None => Ok(()),
        Some(Type::Tensor(t)) if Some(t.dtype) == site.operand(0)?.dtype() => {
            match t.shape.as_deref() {
                Some([_]) => Ok(()),
                _ => Err(site.wrong_result(0, "a vector")),
            }
        }
        Some(_) => Err(site.wrong_result(0, "a vector of the operand")),
    }
}

/// At level lane.
fn lane_poison_result(site: &Site<'_>) -> Result<(), TypeError> {
    match site.result(0) {
        Some(Type::Matrix(_)) => Err(site.wrong_result(0, "no matrix: `matrix_fill` makes one")),
        Some(Type::Accumulator(_)) => {
            Err(site.wrong_result(0, "no accumulator: `accumulator_fill` makes one"))
        }
        _ => Ok(()),
    }
}
