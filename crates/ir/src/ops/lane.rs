//! A thread, its vectors, and the threads of a threadgroup or simdgroup together.

use super::common::open;
use crate::lane::{MAX_WIDTH, is_factor};
use crate::op::TypeError;
use crate::op::grammar::ops;
use crate::op::words::SimdReduction;
use crate::tile::{Site, Types, one};
use crate::{DType, Type, ops};

ops! {
    /// Which threadgroup of the grid this thread is in, along `axis` (0, 1, 2 are x, y, z).
    ThreadgroupId "threadgroup_id" Lane () -> (y: Is(DType::I32)) { axis: Int } lane grid_axis;
    /// Number of threadgroups of the grid along `axis`.
    NumThreadgroups "num_threadgroups" Lane () -> (y: Is(DType::I32)) { axis: Int } lane grid_axis;
    /// Which thread of its threadgroup this is.
    ThreadIndex "thread_index" Lane () -> (y: Is(DType::I32)) {} lane index_types;
    /// Which simdgroup of its threadgroup the thread is in: the thread's index / 32.
    SimdgroupIndex "simdgroup_index" Lane () -> (y: Is(DType::I32)) {} lane index_types;
    /// Which lane of its simdgroup the thread is: the thread's index mod 32.
    LaneIndex "lane_index" Lane () -> (y: Is(DType::I32)) {} lane index_types;
    /// The vector of these scalars, 2 to 4.
    Vector "vector" Lane (xs[many]) -> (y: Element(0)) {} cost 0 lane vector_types;
    /// The element of a vector at place `at`.
    Extract "extract" Lane (x) -> (y: Element(0)) { at: Int } cost 0 lane extract_types;
    /// The vector with the element at place `at` replaced.
    Insert "insert" Lane (x, element) -> (y: Element(0)) { at: Int } cost 0 lane insert_types;
    /// All threads of the threadgroup wait for each other. Their accesses before it to the memory it names
    /// (`threadgroup`, `device`, `both` or `none`) precede those after it.
    ThreadgroupBarrier "threadgroup_barrier" Together () -> () { memory: BarrierMemory = BarrierMemory::Threadgroup } lane open;
    /// Like `threadgroup_barrier`, for the threads of a simdgroup.
    SimdgroupBarrier "simdgroup_barrier" Together () -> () { memory: BarrierMemory = BarrierMemory::Threadgroup } lane open;
    /// The value of the lane that `lane` (i32) names, for each lane its own choice.
    SimdShuffle "simd_shuffle" Together (x, lane) -> (y: Same(0)) {} lane shuffle_types;
    /// The value of the lane whose index is this one's xor `mask` (i32, equal in all lanes).
    SimdShuffleXor "simd_shuffle_xor" Together (x, mask) -> (y: Same(0)) {} lane shuffle_types;
    /// The value of the lane `delta` (i32, equal in all lanes, 0 … 31) below; the first `delta` lanes keep their own.
    SimdShuffleUp "simd_shuffle_up" Together (x, delta) -> (y: Same(0)) {} lane shuffle_types;
    /// The value of the lane `delta` (i32, equal in all lanes, 0 … 31) above; the last `delta` of 32 lanes keep their own.
    SimdShuffleDown "simd_shuffle_down" Together (x, delta) -> (y: Same(0)) {} lane shuffle_types;
    /// The values of all lanes combined by `op`: `add`, `mul`, `min`, `max` (of NaN and a number the number), or of
    /// integers `and`, `or`, `xor`. The order of combinations is open.
    SimdReduce "simd_reduce" Together (x) -> (y: Same(0)) { op: SimdReduction } lane simd_reduce_types;
    /// The values of the lanes up to this one, itself left out if `exclusive`, combined by `op`: `add` or `mul`. The order
    /// of combinations is open.
    SimdPrefix "simd_prefix" Together (x) -> (y: Same(0)) { op: PrefixOp, exclusive: Flag = false } lane simd_prefix_types;
    /// Bit i tells whether the condition holds in lane i.
    SimdBallot "simd_ballot" Together (condition: Bool) -> (mask: Is(DType::U32)) {} lane ballot_types;
    /// Whether the condition holds in all lanes.
    SimdAll "simd_all" Together (condition: Bool) -> (y: BOOL) {} lane vote_types;
    /// Whether the condition holds in some lane.
    SimdAny "simd_any" Together (condition: Bool) -> (y: BOOL) {} lane vote_types;
}

fn grid_axis(site: &Site<'_>) -> Types {
    site.axis(ops::ThreadgroupId::AT.axis, 3)?;
    index_types(site)
}

fn index_types(_: &Site<'_>) -> Types {
    one(Type::fixed(DType::I32, &[]))
}

fn vector_types(site: &Site<'_>) -> Types {
    let dtype = site.scalar(0, "the first element", |_| true)?;
    let width = site.op.inputs.len();
    (1..width).try_for_each(|i| site.expect(i, &Type::fixed(dtype, &[])))?;
    match (2..=MAX_WIDTH).contains(&width) {
        true => one(Type::fixed(dtype, &[width])),
        false => Err(site.wrong(width - 1, "the last of 2, 3 or 4 elements")),
    }
}

fn extract_types(site: &Site<'_>) -> Types {
    one(Type::fixed(element(site)?, &[]))
}

fn insert_types(site: &Site<'_>) -> Types {
    let at = ops::Insert::AT;
    site.expect(at.element, &Type::fixed(element(site)?, &[]))?;
    one(site.operand(at.x)?.clone())
}

/// The element type of the vector, operand 0, which has an element at place `at`.
fn element(site: &Site<'_>) -> Result<DType, TypeError> {
    let extracted = ops::Extract::of(site.op).map(|op| op.at());
    let at = extracted.or_else(|| ops::Insert::of(site.op).map(|op| op.at())).unwrap_or(-1);
    match (site.tensor(0)?, at) {
        ((dtype, dims), at) if dims.len() == 1 => match usize::try_from(at) {
            Ok(at) if at < dims[0] => Ok(dtype),
            _ => Err(site.wrong_attr(ops::Extract::AT.at, format!("a place below {}", dims[0]))),
        },
        _ => Err(site.wrong(0, "a vector")),
    }
}

fn shuffle_types(site: &Site<'_>) -> Types {
    site.elements(0, "at most 32 bits but truth values and f8", travels)?;
    site.expect(1, &Type::fixed(DType::I32, &[]))?;
    one(site.operand(0)?.clone())
}

fn simd_reduce_types(site: &Site<'_>) -> Types {
    combined(
        site,
        match site.view(ops::SimdReduce::of)?.op() {
            SimdReduction::And | SimdReduction::Or | SimdReduction::Xor => true,
            SimdReduction::Add | SimdReduction::Mul | SimdReduction::Min | SimdReduction::Max => {
                false
            }
        },
    )
}

fn simd_prefix_types(site: &Site<'_>) -> Types {
    combined(site, false)
}

fn ballot_types(site: &Site<'_>) -> Types {
    vote(site, DType::U32)
}

fn vote_types(site: &Site<'_>) -> Types {
    vote(site, DType::Bool)
}

fn vote(site: &Site<'_>, result: DType) -> Types {
    site.expect(0, &Type::fixed(DType::Bool, &[]))?;
    one(Type::fixed(result, &[]))
}

/// Whether lanes can exchange elements of the type: neither truth values nor 64-bit types.
fn travels(dtype: DType) -> bool {
    dtype.bits() <= 32 && (dtype.is_int() || is_factor(dtype))
}

/// Values of all lanes combined, by their bits or as numbers.
fn combined(site: &Site<'_>, bitwise: bool) -> Types {
    let takes = |d: DType| travels(d) && d != DType::BF16 && (d.is_int() || !bitwise);
    let what = if bitwise {
        "integers of at most 32 bits"
    } else {
        "integers of at most 32 bits, f16 or f32"
    };
    site.elements(0, what, takes)?;
    one(site.operand(0)?.clone())
}
