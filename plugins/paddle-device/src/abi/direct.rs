//! Direct launches: short functions of one op run on Paddle's tensors without the machinery of a run.

use std::cell::RefCell;
use std::slice::{from_raw_parts, from_raw_parts_mut};

use smallvec::SmallVec;
use trident_engine::Session;
use trident_runtime::{TensorView, TensorViewMut};

use crate::argument::Operand;

/// The most bytes of results that take the memory of operands: they are computed beside it first.
const BESIDE: usize = 64 << 10;

thread_local! {
    /// Memory for such results.
    static SPARE: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Runs a session's function if it is one short launch ([`Session::direct`]). If not, or if something is wrong, it returns false,
/// and the results have any contents; memory that they share with operands is as before.
pub(super) fn direct<'a>(
    session: &Session,
    operands: impl Iterator<Item = &'a Operand> + Clone,
    results: &[Operand],
) -> bool {
    let mut shared = results
        .iter()
        .filter(|result| operands.clone().any(|operand| operand.memory.overlaps(&result.memory)));
    let beside = match (shared.next(), results) {
        (None, [_]) => false,
        // Results that overlap each other have no views at once.
        (None, _) => return false,
        (Some(_), [result]) if result.memory.len() <= BESIDE => true,
        (Some(_), _) => return false,
    };
    let [result] = results else { return false };
    let views = operands.map(|operand| {
        let (start, len) = (operand.memory.start(), operand.memory.len());
        // SAFETY: the memory is Paddle's until the call ends. Nobody writes to it while this view lives: the only result overlaps
        // no operand, or lies in spare memory.
        let bytes = unsafe { from_raw_parts(start.cast_const(), len) };
        TensorView::new(operand.element.dtype()?, operand.dims.sizes()?.dims(), bytes)
    });
    let Some(views) = views.collect::<Option<SmallVec<[TensorView<'_>; 4]>>>() else {
        return false;
    };
    let (memory, dtype, sizes) = (result.memory, result.element.dtype(), result.dims.sizes());
    let (Some(dtype), Some(sizes)) = (dtype, sizes) else { return false };
    let launch = |bytes: &mut [u8]| {
        let view = TensorViewMut::new(dtype, sizes.dims(), bytes);
        view.is_some_and(|view| session.direct(&views, &mut [view]))
    };
    if !beside {
        // SAFETY: the memory is Paddle's until the call ends, and no operand overlaps it.
        return launch(unsafe { from_raw_parts_mut(memory.start(), memory.len()) });
    }
    SPARE.with(|spare| {
        // A launch does not lead to another one on this thread.
        let Ok(mut words) = spare.try_borrow_mut() else { return false };
        if words.len() < BESIDE / 8 {
            words.resize(BESIDE / 8, 0);
        }
        // SAFETY: bytes have no alignment, and there are as many in the words.
        let bytes = unsafe { from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), memory.len()) };
        let done = launch(bytes);
        if done {
            memory.write(bytes);
        }
        done
    })
}
