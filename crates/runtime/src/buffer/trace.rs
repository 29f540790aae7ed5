//! Records what pools hand out and take back, with the feature `trace`: for `cargo xtask bench pool`.

use super::heap::Block;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An event in the life of a buffer's or an arena's memory, in the order of all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// It was handed out.
    Taken {
        /// Number of the thread, from 0.
        thread: u32,
        /// Number of the block, from 0.
        block: u32,
        /// The requested amount.
        bytes: usize,
    },
    /// It was given back.
    Dropped {
        /// Number of the thread, from 0.
        thread: u32,
        /// Number of the block.
        block: u32,
    },
}

#[derive(Default)]
struct Recorder {
    events: Vec<TraceEvent>,
    /// Numbers of live blocks, by address.
    live: HashMap<usize, u32>,
    blocks: u32,
    threads: HashMap<std::thread::ThreadId, u32>,
}

impl Recorder {
    fn thread(&mut self) -> u32 {
        let next = self.threads.len() as u32;
        *self.threads.entry(std::thread::current().id()).or_insert(next)
    }
}

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

fn recorder() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a trace of all pools of the process, without what is live already.
pub fn start_trace() {
    *recorder() = Some(Recorder::default());
}

/// Ends the trace.
pub fn end_trace() -> Vec<TraceEvent> {
    recorder().take().map_or_else(Vec::new, |recorder| recorder.events)
}

/// A block that was handed out just now.
pub(super) fn taken(block: &Block, bytes: usize) {
    if let Some(recorder) = &mut *recorder() {
        let (thread, number) = (recorder.thread(), recorder.blocks);
        recorder.blocks += 1;
        recorder.live.insert(block.ptr().addr().get(), number);
        recorder.events.push(TraceEvent::Taken { thread, block: number, bytes });
    }
}

/// A block that will be given back now.
pub(super) fn dropped(block: &Block) {
    if let Some(recorder) = &mut *recorder()
        && let Some(block) = recorder.live.remove(&block.ptr().addr().get())
    {
        let thread = recorder.thread();
        recorder.events.push(TraceEvent::Dropped { thread, block });
    }
}
