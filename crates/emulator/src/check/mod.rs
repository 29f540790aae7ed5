//! The checker: knows the memory of a dispatch, watches every access, and keeps what it finds.

mod report;
mod shadow;

pub use report::{AccessPlace, CheckReport, FindingKind};
pub(crate) use shadow::Access;
use shadow::{Finding, Moment, Shadow};

use std::collections::HashSet;
use std::ops::Range;

/// The most reports of one dispatch: what follows is mostly more of the same.
const MAX_REPORTS: usize = 100;

/// Bytes around a variable in which an access is blamed on it.
const NEAR: usize = 4096;

/// Memory that a kernel may access.
pub(crate) struct Region {
    /// The addresses.
    pub memory: Range<usize>,
    /// The parameter or variable.
    pub name: String,
    /// Whether it belongs to one threadgroup.
    pub threadgroup: bool,
    /// The bytes that have a value before the dispatch, if reads of others are reported.
    pub written: Option<Vec<bool>>,
}

struct Watched {
    region: Region,
    shadow: Shadow,
}

/// A place in the code: an address in the image, or a line that the code itself named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Site {
    /// An offset in the image.
    Code(u32),
    /// A line of a file.
    Line(String, u32),
}

/// A report whose places are not resolved yet.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub kind: FindingKind,
    pub site: Site,
    pub other: Option<Site>,
    pub variable: String,
    pub group: [u32; 3],
    pub thread: u32,
    pub detail: String,
}

/// The thread that acts, for reports and for the order of accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    pub group: [u32; 3],
    pub group_index: u32,
    pub thread: u32,
}

/// The state of the checker during a dispatch.
pub(crate) struct Checker {
    watched: Vec<Watched>,
    last: usize,
    /// Barriers of threadgroups that order device memory, and threadgroup memory.
    epochs: [u32; 2],
    simd_epochs: [[u32; 32]; 2],
    /// Whether the threadgroup has ordered itself after others.
    fenced: bool,
    seen: HashSet<(FindingKind, Site, String)>,
    reports: Vec<Raw>,
}

impl Checker {
    pub(crate) fn new(regions: Vec<Region>) -> Checker {
        let watch = |region: Region| {
            let tracked = region.threadgroup || region.written.is_some();
            let mut shadow = Shadow::new(region.memory.len(), tracked);
            if let Some(written) = &region.written {
                shadow.set_written(written);
            }
            Watched { region, shadow }
        };
        Checker {
            watched: regions.into_iter().map(watch).collect(),
            last: 0,
            epochs: [1; 2],
            simd_epochs: [[0; 32]; 2],
            fenced: false,
            seen: HashSet::new(),
            reports: Vec::new(),
        }
    }

    /// Begins a threadgroup, whose memory has no content.
    pub(crate) fn begin_group(&mut self) {
        self.epochs = self.epochs.map(|epoch| epoch + 1);
        self.simd_epochs = [[0; 32]; 2];
        self.fenced = false;
        for watched in self.watched.iter_mut().filter(|watched| watched.region.threadgroup) {
            watched.shadow.clear();
        }
    }

    /// All threads of the threadgroup have passed a barrier with these flags: 1 for device memory, 2 for
    /// threadgroup memory.
    pub(crate) fn barrier(&mut self, flags: u32) {
        for memory in 0..2 {
            if flags >> memory & 1 != 0 {
                self.epochs[memory] += 1;
                self.simd_epochs[memory] = [0; 32];
            }
        }
    }

    /// A thread has passed a fence between threadgroups. Atomics determine which threadgroups it is ordered after, and
    /// the checker does not track them. So the threadgroup's later accesses count as race-free.
    pub(crate) fn fence(&mut self) {
        self.fenced = true;
    }

    /// All lanes of a simdgroup have passed a barrier.
    pub(crate) fn simd_barrier(&mut self, simdgroup: usize, flags: u32) {
        for memory in 0..2 {
            if flags >> memory & 1 != 0 {
                self.simd_epochs[memory][simdgroup] += 1;
            }
        }
    }

    /// The region that holds some bytes.
    fn find(&mut self, address: usize, bytes: usize) -> Option<usize> {
        let inside = |watched: &Watched| {
            let memory = &watched.region.memory;
            memory.start <= address && address + bytes <= memory.end
        };
        if self.watched.get(self.last).is_some_and(inside) {
            return Some(self.last);
        }
        let found = self.watched.iter().position(inside)?;
        self.last = found;
        Some(found)
    }

    /// Records an access, and says whether it may happen.
    pub(crate) fn access(
        &mut self,
        address: usize,
        bytes: usize,
        access: Access,
        aligned: bool,
        actor: &Actor,
        pc: u32,
    ) -> bool {
        let Some(index) = self.find(address, bytes) else {
            let (variable, place) = self.nearest(address);
            let detail = format!("{access} of {bytes} bytes {place}");
            self.report(FindingKind::OutOfBounds, Site::Code(pc), variable, actor, detail);
            return false;
        };
        let watched = &mut self.watched[index];
        let offset = address - watched.region.memory.start;
        let name = &watched.region.name;
        if aligned && !address.is_multiple_of(bytes) {
            let detail = format!(
                "{access} of {bytes} bytes at byte {offset} of `{name}`, which is not a multiple of {bytes}"
            );
            let name = name.clone();
            self.report(FindingKind::Misaligned, Site::Code(pc), name, actor, detail);
            return false;
        }
        let memory = usize::from(watched.region.threadgroup);
        let now = Moment {
            group: actor.group_index,
            thread: actor.thread,
            epoch: self.epochs[memory],
            simd_epoch: self.simd_epochs[memory][actor.thread as usize / 32],
            fenced: self.fenced && memory == 0,
            pc,
        };
        let Some(finding) = watched.shadow.access(offset, bytes, access, &now) else { return true };
        let name = name.clone();
        match finding {
            Finding::Unwritten(offset) => {
                let detail =
                    format!("{access} of `{name}` at byte {offset}, which nothing has written");
                self.report(FindingKind::Uninitialised, Site::Code(pc), name, actor, detail);
            }
            Finding::Race { offset, thread, group, pc: other, wrote } => {
                let did = if wrote { "written" } else { "read" };
                let detail = format!(
                    "{access} of `{name}` at byte {offset}, {did} by thread {thread} of threadgroup {group} without a barrier in between"
                );
                let kind = FindingKind::Race;
                self.push(kind, Site::Code(pc), Some(Site::Code(other)), name, actor, detail);
            }
        }
        true
    }

    /// The variable near an address, and the address in words.
    fn nearest(&self, address: usize) -> (String, String) {
        let distance = |watched: &Watched| {
            let memory = &watched.region.memory;
            let below = memory.start.saturating_sub(address);
            below.max((address + 1).saturating_sub(memory.end))
        };
        let nearest = self.watched.iter().min_by_key(|watched| distance(watched));
        match nearest.filter(|watched| distance(watched) <= NEAR) {
            Some(Watched { region: Region { memory, name, .. }, .. }) => {
                let offset = address as i128 - memory.start as i128;
                let place = format!("at byte {offset} of `{name}`, which has {}", memory.len());
                (name.clone(), place)
            }
            None => (String::new(), format!("at address {address:#x}, where nothing is bound")),
        }
    }

    pub(crate) fn report(
        &mut self,
        kind: FindingKind,
        site: Site,
        variable: String,
        actor: &Actor,
        detail: String,
    ) {
        self.push(kind, site, None, variable, actor, detail);
    }

    fn push(
        &mut self,
        kind: FindingKind,
        site: Site,
        other: Option<Site>,
        variable: String,
        actor: &Actor,
        detail: String,
    ) {
        if self.reports.len() == MAX_REPORTS
            || !self.seen.insert((kind, site.clone(), variable.clone()))
        {
            return;
        }
        let (group, thread) = (actor.group, actor.thread);
        self.reports.push(Raw { kind, site, other, variable, group, thread, detail });
    }

    /// The findings, and the bytes of each of the caller's regions that have a value now.
    pub(crate) fn finish(self) -> (Vec<Raw>, Vec<Region>) {
        let regions = self.watched.into_iter().map(|watched| {
            let Watched { mut region, shadow } = watched;
            if let Some(written) = &mut region.written {
                shadow.add_written(written);
            }
            region
        });
        (self.reports, regions.collect())
    }
}
