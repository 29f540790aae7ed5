//! Determines which dispatches of a batch have to wait for earlier ones.

use super::{Argument, Dispatch};
use std::ops::Range;

/// The memory that dispatches since the last barrier use.
#[derive(Debug, Default)]
pub struct Order {
    read: Vec<Range<usize>>,
    written: Vec<Range<usize>>,
    /// Whether one of them may follow addresses in memory.
    follows: bool,
}

impl Order {
    /// Whether a barrier is needed before `dispatch`: it writes memory that a dispatch since the last barrier uses, or
    /// uses memory that one has written. `writes` says which slots its kernel writes. Memory that a kernel reaches
    /// through addresses is not known, so such a dispatch runs alone.
    pub fn add(&mut self, dispatch: &Dispatch, writes: impl Fn(u32) -> bool) -> bool {
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for binding in &dispatch.bindings {
            if let Argument::Buffer { buffer, bytes, .. } = &binding.argument {
                let start = buffer.place();
                let used = start + bytes.start..start + bytes.end;
                if writes(binding.slot) { written.push(used) } else { read.push(used) }
            }
        }
        let follows = !dispatch.resident.is_empty();
        let meets = |a: &[Range<usize>], b: &[Range<usize>]| {
            a.iter().any(|a| b.iter().any(|b| a.start < b.end && b.start < a.end))
        };
        let is_first = self.read.is_empty() && self.written.is_empty() && !self.follows;
        let barrier = !is_first
            && !dispatch.concurrent
            && (follows
                || self.follows
                || meets(&written, &self.written)
                || meets(&written, &self.read)
                || meets(&read, &self.written));
        if barrier {
            *self = Order { read, written, follows };
        } else {
            self.read.extend(read);
            self.written.extend(written);
            self.follows |= follows;
        }
        barrier
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MetalBuffer, Pipeline, PipelineInfo};
    use super::*;
    use std::ptr::NonNull;
    use std::sync::Arc;

    #[derive(Debug)]
    struct Kernel(PipelineInfo);

    impl Pipeline for Kernel {
        fn info(&self) -> &PipelineInfo {
            &self.0
        }
    }

    /// 64 bytes at an address, which nothing reads.
    #[derive(Debug)]
    struct Memory(usize);

    impl MetalBuffer for Memory {
        fn bytes(&self) -> usize {
            64
        }
        fn contents(&self) -> NonNull<u8> {
            NonNull::new(std::ptr::without_provenance_mut(self.0)).unwrap_or(NonNull::dangling())
        }
        fn gpu_address(&self) -> u64 {
            0
        }
        fn handle(&self) -> u64 {
            0
        }
    }

    fn dispatch() -> Dispatch {
        let info = PipelineInfo {
            function: "k".to_owned(),
            max_total_threads_per_threadgroup: 256,
            static_threadgroup_bytes: 0,
            execution_width: 32,
        };
        Dispatch::new(Arc::new(Kernel(info)), [1; 3], [32, 1, 1])
    }

    #[test]
    fn only_what_meets_written_memory_waits() {
        let [a, b, again]: [Arc<dyn MetalBuffer>; 3] =
            [Arc::new(Memory(1024)), Arc::new(Memory(2048)), Arc::new(Memory(1024))];
        let mut order = Order::default();
        // Slot 1 is written.
        let mut add = |dispatch: &Dispatch| order.add(dispatch, |slot| slot == 1);
        assert!(!add(&dispatch().buffer(0, &a, 0).part(1, &b, 0..32)), "the first");
        assert!(!add(&dispatch().buffer(0, &a, 0).part(1, &b, 32..64)), "other bytes of a buffer");
        assert!(add(&dispatch().part(0, &b, 16..20)), "reads what was written");
        assert!(!add(&dispatch().part(0, &b, 16..20)), "nothing since the barrier writes that");
        assert!(add(&dispatch().part(1, &b, 19..24)), "writes what is read");
        assert!(add(&dispatch().part(1, &b, 20..21)), "writes what was written");
        assert!(!add(&dispatch().buffer(1, &a, 0)), "other memory");
        assert!(add(&dispatch().buffer(0, &again, 0)), "another buffer of the same memory");
    }

    #[test]
    fn what_follows_addresses_runs_alone() {
        let [a, b]: [Arc<dyn MetalBuffer>; 2] = [Arc::new(Memory(1024)), Arc::new(Memory(2048))];
        let mut order = Order::default();
        let mut add = |dispatch: &Dispatch| order.add(dispatch, |_| false);
        let follows = dispatch().reaching(&a, 0..64);
        assert!(!add(&dispatch().buffer(0, &b, 0)));
        assert!(add(&follows));
        assert!(add(&dispatch().buffer(0, &b, 0)));
        assert!(!add(&dispatch().buffer(0, &b, 0)));
        let mut free = dispatch().buffer(1, &b, 0);
        free.concurrent = true;
        assert!(!add(&free), "the caller knows better");
    }
}
