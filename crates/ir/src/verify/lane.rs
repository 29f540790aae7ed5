//! The rules of the lane level: parameters and results of kernels, and the places of arrays. Whether all threads reach
//! a collective op is not known before they run; the interpreter checks it.

use super::{Violation, tile};
use crate::types::Space;
use crate::{Func, Level, Op, OpKind, Type, ValueId, lane};

/// A function's number of threads, and its consequences for parameters and results. An error names the place.
pub(super) fn kernel(func: &Func) -> Result<(), (&'static str, Box<Violation>)> {
    let fail = |place, fault| Err((place, Box::new(fault)));
    let Some(threads) = func.threads else {
        return results(func).or_else(|fault| fail("return", fault));
    };
    if func.level != Level::Lane {
        return fail("threads", Violation::ThreadsLevel(func.level));
    }
    if !(1..=lane::MAX_THREADS).contains(&threads) {
        return fail("threads", Violation::Threads(threads));
    }
    for (value, ty) in of_all(func, &func.body.params) {
        let local = matches!(ty, Type::Pointer(p) if p.space.is_local());
        if local || matches!(ty, Type::Matrix(_) | Type::Accumulator(_)) {
            let (value, ty) = (value.to_owned(), ty.clone());
            return fail("parameters", Violation::KernelParameter { value, ty });
        }
    }
    match of_all(func, &func.body.results).next() {
        Some((value, _)) => fail("return", Violation::KernelResult(value.to_owned())),
        None => Ok(()),
    }
}

/// Arrays of a function that is called end with it.
fn results(func: &Func) -> Result<(), Violation> {
    let dangles = |ty: &Type| matches!(ty, Type::Pointer(p) if p.space == Space::Thread);
    match of_all(func, &func.body.results).find(|(_, ty)| func.level == Level::Lane && dangles(ty))
    {
        Some((value, _)) => Err(Violation::DanglingResult(value.to_owned())),
        None => Ok(()),
    }
}

/// Names and types of values. Values that the function does not list are skipped; another rule reports them.
fn of_all<'f>(func: &'f Func, ids: &'f [ValueId]) -> impl Iterator<Item = (&'f str, &'f Type)> {
    let infos = ids.iter().filter_map(|id| func.values.get(id.index()));
    infos.map(|info| (info.name.as_str(), &info.ty))
}

/// Checks an op in a lane function, after the rules of every level.
pub(super) fn op(func: &Func, op: &Op, depth: usize) -> Result<(), Violation> {
    super::op::typed(func, op)?;
    crate::tile::declared(func, op)?;
    tile::regions(func, op)?;
    match op.kind {
        OpKind::Alloc if depth > 0 => Err(Violation::AllocInRegion),
        OpKind::Alloc if func.threads.is_none() && lane::is_shared_array(op) => {
            Err(Violation::AllocInCallee)
        }
        _ => Ok(()),
    }
}
