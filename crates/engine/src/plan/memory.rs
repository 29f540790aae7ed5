//! The position of each intermediate value of a function in one arena, for shapes known before the run.
//!
//! Values whose lifetimes overlap get disjoint parts. Larger values are placed first, each into the smallest gap that
//! fits (greedy by size: Pisarchyk, Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020). Values
//! outside the plan, such as results of control flow and of unknown shape, come from the pool. As an
//! [`Arena`](trident_runtime::Arena) refuses parts that overlap a live one, a wrong plan can waste memory but not
//! corrupt it.

use super::{BlockPlan, Source, Step, Work};
use trident_ir::literal::checked_len;
use trident_ir::op::{Group, OpDecl, Use};
use trident_ir::{DType, Func, Type};
use trident_runtime::Arena;

/// Number of values beyond which planning would take longer than it saves.
const MAX_VALUES: usize = 8192;

/// A part of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) offset: usize,
    pub(crate) len: usize,
}

/// Parts by place in the frame, and their totals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemoryPlan {
    pub(crate) parts: Vec<Option<Part>>,
    /// Size of the arena in bytes.
    pub(crate) size: usize,
    /// The most bytes of planned values live at once: a lower bound for any plan.
    pub(crate) live: usize,
    /// Bytes of the function's results, which outlive the run and therefore lie outside the arena.
    pub(crate) results: usize,
}

/// The lifetime of a piece of memory, from the step that fills it to the last that reads it, both included.
#[derive(Clone, Debug)]
struct Life {
    first: usize,
    last: usize,
    size: usize,
    /// Number of live values that share the memory.
    sharers: usize,
    /// Whether it is returned by the function.
    leaves: bool,
    /// The values that get the memory from the arena; others reuse it in place.
    filled: Vec<usize>,
}

impl MemoryPlan {
    /// Bytes that the plan itself takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<MemoryPlan>() + size_of_val(self.parts.as_slice())
    }

    /// A plan that leaves all values to the pool.
    pub(crate) fn none(func: &Func) -> MemoryPlan {
        MemoryPlan { parts: vec![None; func.values.len()], ..Default::default() }
    }
}

/// The values whose sizes a plan depends on.
pub(crate) fn values(body: &BlockPlan) -> impl Iterator<Item = usize> {
    let kernels = body.steps.iter().filter(|step| matches!(step.work, Work::Kernel(_)));
    kernels.flat_map(|step| step.outputs.iter().flatten().copied())
}

/// Plans the body of a function whose values have the types of `func`; `None` if their total size exceeds the address
/// space.
pub(crate) fn plan(body: &BlockPlan, func: &Func) -> Option<MemoryPlan> {
    let (lives, results) = lives(body, func)?;
    let mut result = MemoryPlan { results, ..MemoryPlan::none(func) };
    let lives: Vec<Life> = lives.into_iter().filter(|l| !l.leaves && l.size > 0).collect();
    // Bounds the sum for any subset, however the values are placed.
    let aligned = lives.iter().map(|l| l.size.checked_next_multiple_of(Arena::ALIGN));
    let all = aligned.into_iter().try_fold(0usize, |sum, size| sum.checked_add(size?))?;
    isize::try_from(all).ok()?;
    if lives.len() > MAX_VALUES {
        return Some(result);
    }
    result.live = most_alive(&lives, body.steps.len());
    for (life, offset) in lives.iter().zip(place(&lives)) {
        let aligned = life.size.next_multiple_of(Arena::ALIGN);
        result.size = result.size.max(offset + aligned);
        for &value in &life.filled {
            result.parts[value] = Some(Part { offset, len: life.size });
        }
    }
    Some(result)
}

/// The lifetimes of all values of known size, and the size of the results; `None` on overflow.
fn lives(body: &BlockPlan, func: &Func) -> Option<(Vec<Life>, usize)> {
    let mut lives: Vec<Life> = Vec::new();
    let mut owner: Vec<Option<usize>> = vec![None; func.values.len()];
    for (t, step) in body.steps.iter().enumerate() {
        for (i, place) in step.outputs.iter().enumerate() {
            let (Some(place), Work::Kernel(_)) = (*place, &step.work) else { continue };
            let shared = match i {
                0 if step.more.is_empty() && shares(step.op.decl()) => {
                    match step.inputs.first().map(|o| o.source) {
                        Some(Source::Value(from)) if owner[from].is_some() => owner[from],
                        _ => continue,
                    }
                }
                0 => in_place(step, place, func, &owner, &lives),
                _ => None,
            };
            let Some(size) = size(func, place) else { continue };
            let life = shared.unwrap_or_else(|| {
                let life = Life {
                    first: t,
                    last: t,
                    size,
                    sharers: 0,
                    leaves: false,
                    filled: vec![place],
                };
                lives.push(life);
                lives.len() - 1
            });
            owner[place] = Some(life);
            lives[life].sharers += 1;
        }
        let moved = step.inputs.iter().filter(|o| o.last).filter_map(|o| match o.source {
            Source::Value(place) => Some(place),
            _ => None,
        });
        for place in moved.chain(step.dead.iter().copied()) {
            if let Some(life) = owner[place].take() {
                lives[life].sharers -= 1;
                lives[life].last = lives[life].last.max(t);
            }
        }
    }
    let mut results = 0usize;
    for result in &body.results {
        let Source::Value(place) = result.source else { continue };
        results = results.checked_add(size(func, place).unwrap_or(0))?;
        if let Some(life) = owner[place] {
            lives[life].leaves = true;
        }
    }
    for life in lives.iter_mut().filter(|l| l.sharers > 0) {
        life.last = body.steps.len();
    }
    Some((lives, results))
}

/// Whether the result is the first operand's memory with other dimensions.
fn shares(op: &OpDecl) -> bool {
    op.operand(0).is_some_and(|operand| operand.used == Use::View)
}

/// The memory of an operand that an elementwise kernel can overwrite with its result.
fn in_place(
    step: &Step,
    place: usize,
    func: &Func,
    owner: &[Option<usize>],
    lives: &[Life],
) -> Option<usize> {
    if !step.more.is_empty() || step.op.decl().group != Group::Elementwise {
        return None;
    }
    let ty = &func.values[place].ty;
    step.inputs.iter().find_map(|operand| {
        let Source::Value(from) = operand.source else { return None };
        let life = owner[from]?;
        let fits = operand.last && func.values[from].ty == *ty && lives[life].sharers == 1;
        fits.then_some(life)
    })
}

/// Size of a value in bytes, if it is known and does not overflow.
fn size(func: &Func, place: usize) -> Option<usize> {
    let ty = &func.values[place].ty;
    ty.dtype().filter(|d| *d != DType::Str)?;
    bytes(ty)?
}

/// Size in bytes of a value of known dimensions; `Some(None)` if it exceeds the address space.
pub(crate) fn bytes(ty: &Type) -> Option<Option<usize>> {
    let (dtype, dims) = (ty.dtype()?, ty.dims()?);
    let bytes = checked_len(&dims).and_then(|n| n.checked_mul(dtype.size()));
    Some(bytes.filter(|n| isize::try_from(*n).is_ok()))
}

/// The most bytes live at one step.
fn most_alive(lives: &[Life], steps: usize) -> usize {
    let mut change = vec![0isize; steps + 2];
    for life in lives {
        change[life.first] += life.size as isize;
        change[life.last + 1] -= life.size as isize;
    }
    let sums = change.iter().scan(0isize, |sum, c| {
        *sum += c;
        Some(*sum)
    });
    sums.max().unwrap_or(0).unsigned_abs()
}

/// Offsets in the arena, by lifetime.
fn place(lives: &[Life]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lives.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(lives[i].size), lives[i].first));
    let mut offsets = vec![0; lives.len()];
    // Offset, end and lifetime of each placed value, by offset.
    let mut placed: Vec<(usize, usize, usize)> = Vec::with_capacity(lives.len());
    for i in order {
        let life = &lives[i];
        let size = life.size.next_multiple_of(Arena::ALIGN);
        let (mut end, mut best) = (0, None::<(usize, usize)>);
        for &(from, to, other) in &placed {
            let other = &lives[other];
            if other.last < life.first || life.last < other.first {
                continue;
            }
            let gap = from.saturating_sub(end);
            if gap >= size && best.is_none_or(|(g, _)| gap < g) {
                best = Some((gap, end));
            }
            end = end.max(to);
        }
        let offset = best.map_or(end, |(_, at)| at);
        offsets[i] = offset;
        let at = placed.partition_point(|p| p.0 <= offset);
        placed.insert(at, (offset, offset + size, i));
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(first: usize, last: usize, size: usize) -> Life {
        Life { first, last, size, sharers: 0, leaves: false, filled: vec![] }
    }

    /// Checks that no two values that overlap in time overlap in memory; returns the bytes used.
    fn check(lives: &[Life]) -> usize {
        let offsets = place(lives);
        for (i, a) in lives.iter().enumerate() {
            assert_eq!(offsets[i] % Arena::ALIGN, 0);
            for (j, b) in lives.iter().enumerate().skip(i + 1) {
                let in_time = a.first <= b.last && b.first <= a.last;
                let in_space = offsets[i] < offsets[j] + b.size && offsets[j] < offsets[i] + a.size;
                assert!(
                    !(in_time && in_space),
                    "{a:?} at {} and {b:?} at {}",
                    offsets[i],
                    offsets[j]
                );
            }
        }
        lives.iter().zip(&offsets).map(|(l, o)| o + l.size).max().unwrap_or(0)
    }

    #[test]
    fn a_chain_needs_two_buffers() {
        let lives: Vec<Life> = (0..50).map(|t| life(t, t + 1, 6400)).collect();
        assert_eq!(check(&lives), 12_800);
        assert_eq!(most_alive(&lives, 51), 12_800);
    }

    #[test]
    fn sizes_that_cannot_be_counted_are_not_taken_for_unknown_ones() {
        let huge = 1 << 40;
        assert_eq!(bytes(&Type::fixed(DType::F32, &[huge, huge])), Some(None));
        assert_eq!(bytes(&Type::fixed(DType::F64, &[1 << 60])), Some(None));
        assert_eq!(bytes(&Type::fixed(DType::F32, &[huge, huge, 0])), Some(Some(0)));
        assert_eq!(bytes(&Type::fixed(DType::F32, &[huge])), Some(Some(4 << 40)));
        assert_eq!(bytes(&Type::unranked(DType::F32)), None);
    }

    #[test]
    fn plans_stay_near_the_lower_bound() {
        // Random lifetimes from a linear congruential generator: mostly short, some long, sizes over three orders of
        // magnitude.
        let mut state = 1u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        for _ in 0..20 {
            let lives: Vec<Life> = (0..200)
                .map(|t| {
                    let length = if next(8) == 0 { next(60) } else { 1 + next(3) };
                    let size = 64 << next(10);
                    life(t, (t + length as usize).min(200), size)
                })
                .collect();
            let (used, bound) = (check(&lives), most_alive(&lives, 200));
            assert!(used >= bound && used * 10 <= bound * 13, "{used} bytes, bound {bound}");
        }
    }
}
