//! Memory across forks. The forking thread holds the locks of every heap, so that in the child the locks are free and
//! the heaps consistent. Blocks that other threads of the parent had in use stay in use in the child.

use super::heap::{Heap, Locked};
use std::cell::UnsafeCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Every heap of the process.
static HEAPS: Mutex<Vec<Weak<Heap>>> = Mutex::new(Vec::new());

/// The locks that the forking thread holds during a fork.
static HELD: Held = Held(UnsafeCell::new(None));

/// The fields are dropped in this order: locks before what they are part of.
struct All {
    locked: Vec<Locked<'static>>,
    _heaps: Vec<Arc<Heap>>,
    _list: MutexGuard<'static, Vec<Weak<Heap>>>,
}

struct Held(UnsafeCell<Option<All>>);

// SAFETY: it is accessed only by the thread that has locked `HEAPS`, between the handlers around a fork.
unsafe impl Sync for Held {}

fn list() -> MutexGuard<'static, Vec<Weak<Heap>>> {
    HEAPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers a heap for forks to come.
pub(super) fn register(heap: &Arc<Heap>) {
    crate::fork::watch();
    let mut heaps = list();
    heaps.retain(|heap| heap.strong_count() > 0);
    heaps.push(Arc::downgrade(heap));
}

/// Locks all heaps. The thread must call [`after_fork`] or [`in_forked_child`] next.
pub(crate) fn before_fork() {
    let list = list();
    let heaps: Vec<Arc<Heap>> = list.iter().filter_map(Weak::upgrade).collect();
    // SAFETY: the heaps live until after the locks have been dropped, as `All` has them, and do not move.
    let locked = heaps.iter().map(|heap| unsafe { &*Arc::as_ptr(heap) }.lock_all()).collect();
    let all = All { locked, _heaps: heaps, _list: list };
    // SAFETY: this thread has locked `HEAPS`.
    unsafe { *HELD.0.get() = Some(all) };
}

fn held() -> Option<All> {
    // SAFETY: this thread, or the one that it is the copy of, has locked `HEAPS` in `before_fork`.
    unsafe { (*HELD.0.get()).take() }
}

/// Unlocks all heaps in the parent.
pub(crate) fn after_fork() {
    drop(held());
}

/// Unlocks all heaps in a child, where the threads that give memory back do not exist.
pub(crate) fn in_forked_child() {
    if let Some(mut all) = held() {
        all.locked.iter_mut().for_each(Locked::lose_timer);
        drop(all);
    }
}
