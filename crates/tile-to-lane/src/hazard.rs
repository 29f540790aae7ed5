//! Accesses of one program that different threads make: where they have to wait for each other.

use trident_ir::OpKind;
use trident_ir::tile::Origin;

use super::layout::Layout;
use super::plan::Access;
use trident_tile_analysis::NodeId;

/// The target of an access, and the threads that make it.
#[derive(Clone)]
struct Past {
    origin: Origin,
    writes: bool,
    ptr: NodeId,
    /// The assignment of elements to threads, if it is known.
    layout: Option<Layout>,
}

/// The accesses of device memory since the threads waited for each other.
#[derive(Clone, Default)]
pub(super) struct Hazards(Vec<Past>);

impl Hazards {
    /// Records an access. Returns whether the threads have to wait before it, because another thread may have accessed
    /// the same element and one of the two writes. Different parameters are different memory: buffers of a launch do
    /// not overlap. The elements of a late load are not read by the threads of its layout.
    pub(super) fn add(&mut self, access: &Access<'_>, origin: Origin, threads: u8) -> bool {
        let writes = !matches!(access.op.kind, OpKind::Load | OpKind::AtomicLoad);
        let own = |past: &Past| {
            // Elements in a line: each thread comes back to its own.
            access.is_line
                && !access.is_late
                && past.ptr == access.ptr
                && past.layout.as_ref() == Some(&access.layout)
                && access.layout.copies(threads) == 0
        };
        let waits = self
            .0
            .iter()
            .any(|past| (writes || past.writes) && may_meet(&past.origin, &origin) && !own(past));
        if waits {
            self.0.clear();
        }
        let (ptr, layout) = (access.ptr, (!access.is_late).then(|| access.layout.clone()));
        self.0.push(Past { origin, writes, ptr, layout });
        waits
    }
}

impl Hazards {
    /// Adds the accesses of another way that the code may take.
    pub(super) fn join(&mut self, other: Hazards) {
        self.0.extend(other.0);
    }
}

/// Whether accesses through pointers of these origins may be of the same memory.
pub(super) fn may_meet(a: &Origin, b: &Origin) -> bool {
    a.open || b.open || a.params.iter().any(|param| b.params.contains(param))
}
