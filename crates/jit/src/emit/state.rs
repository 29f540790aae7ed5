//! The state of code generation, by topic.

use super::bounds::Range;
use super::node::Val;
use super::{Condition, Emitted, Site};
use crate::abi::HEAD;
use cranelift_codegen::ir::Value;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use trident_ir::tile::{Origin, Origins};
use trident_ir::{Func, Module, Op, ValueId};
use trident_runtime::{Checks, Declined};
use trident_tile_analysis::{Index, Materialisation, NodeId, Proved};

/// The program of the grid that the code computes, and its interface to the launch.
pub(super) struct Program {
    /// The address of the launch's `Context`.
    pub(super) context: Value,
    /// The address of the table of routines.
    pub(super) table: Value,
    /// The address of the thread's scratch.
    pub(super) scratch: Value,
    /// The program's number in the grid, and its place by axis.
    pub(super) number: Value,
    pub(super) ids: [Value; 3],
    /// The grid's size by axis.
    pub(super) grid: [Value; 3],
}

/// A function being generated. Calls are inlined, so several may be open.
pub(super) struct Frame<'m> {
    pub(super) func: &'m Func,
    pub(super) materialised: Rc<Materialisation>,
    env: Vec<Option<Val>>,
    /// The op being generated in each open region.
    at: Vec<&'m Op>,
}

impl Frame<'_> {
    /// The op being generated, and the values that it may use.
    pub(super) fn live(&self) -> Option<(&Op, impl Iterator<Item = (ValueId, &Val)>)> {
        let values = self.env.iter().enumerate();
        let values = values.filter_map(|(i, val)| Some((ValueId(i as u32), val.as_ref()?)));
        Some((self.at.last()?, values))
    }
}

/// The functions being generated, the innermost last.
pub(super) struct Calls<'m> {
    pub(super) module: &'m Module,
    materialisations: HashMap<*const Func, Rc<Materialisation>>,
    frames: Vec<Frame<'m>>,
}

impl<'m> Calls<'m> {
    pub(super) fn of(module: &'m Module) -> Calls<'m> {
        Calls { module, materialisations: HashMap::new(), frames: vec![] }
    }

    /// The number of functions that are open.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Opens a function. `inline` says which calls of functions become vector code.
    pub(super) fn enter(&mut self, func: &'m Func, inline: &dyn Fn(&Op) -> bool) {
        let materialised = self.materialisations.entry(std::ptr::from_ref(func));
        let materialised =
            materialised.or_insert_with(|| Rc::new(Materialisation::of(func, inline)));
        let materialised = Rc::clone(materialised);
        self.frames.push(Frame {
            func,
            materialised,
            env: vec![None; func.values.len()],
            at: vec![],
        });
    }

    pub(super) fn leave(&mut self) {
        self.frames.pop();
    }

    pub(super) fn frames(&self) -> &[Frame<'m>] {
        &self.frames
    }

    pub(super) fn func(&self) -> &'m Func {
        // A frame is always open while ops are generated.
        self.frames[self.frames.len() - 1].func
    }

    /// The refusal of the op being generated, or of the function outside of any op.
    pub(super) fn refusal(&self, reason: &str) -> Declined {
        match self.op() {
            Some(op) => Declined::op(op, reason),
            None => {
                let func = self.frames.last().map_or("", |frame| &frame.func.name);
                Declined::kernel(func, reason)
            }
        }
    }

    /// The op being generated.
    pub(super) fn op(&self) -> Option<&'m Op> {
        self.frames.last()?.at.last().copied()
    }

    /// The number of regions that are open in the innermost function.
    pub(super) fn regions(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.at.len())
    }

    /// Notes the op that is generated now, in the region with this number; `None` at the region's end.
    pub(super) fn at(&mut self, region: usize, op: Option<&'m Op>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at.truncate(region);
            frame.at.extend(op);
        }
    }

    pub(super) fn value(&self, id: ValueId) -> Option<Val> {
        self.frames.last()?.env.get(id.index())?.clone()
    }

    pub(super) fn define(&mut self, id: ValueId, val: Val) {
        let slot = self.frames.last_mut().and_then(|f| f.env.get_mut(id.index()));
        if let Some(slot) = slot {
            *slot = Some(val);
        }
    }

    /// Whether the block of this value is materialised in the innermost function.
    pub(super) fn is_materialised(&self, id: ValueId) -> bool {
        self.frames.last().is_some_and(|frame| frame.materialised.has(id))
    }
}

/// A value of a block at an index.
type Key = (NodeId, Index);

/// Values available in one open loop.
#[derive(Default)]
struct Scope {
    elements: HashMap<Key, Value>,
    /// Groups of elements, in vectors.
    groups: HashMap<Key, Vec<Value>>,
    places: HashMap<Index, Value>,
}

/// The loops over elements that are open, the innermost last, with what has been evaluated in each.
pub(super) struct Sweeps {
    scopes: Vec<Scope>,
    /// Values of the counters, by name.
    counters: Vec<Value>,
    /// The first element of the current pass in its row, and of the current group in its pass.
    pub(super) offset: Value,
    pub(super) ahead: i64,
    /// Masks known to hold for all elements of that group, or for none.
    pub(super) settled: Vec<Key>,
}

impl Sweeps {
    pub(super) fn new(offset: Value) -> Sweeps {
        Sweeps { scopes: vec![], counters: vec![], offset, ahead: 0, settled: vec![] }
    }

    /// Opens a scope: values evaluated until [`Self::close`] are available only to the code in between.
    pub(super) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    /// Adds a counter and returns its name. Names are not reused: nodes evaluated later must not confuse two counters.
    pub(super) fn count(&mut self, counter: Value) -> u16 {
        self.counters.push(counter);
        self.counters.len() as u16 - 1
    }

    /// The name that the next counter gets.
    pub(super) fn next_counter(&self) -> u16 {
        self.counters.len() as u16
    }

    pub(super) fn counter(&self, name: u16) -> Value {
        self.counters[usize::from(name)]
    }

    pub(super) fn element(&self, key: &Key) -> Option<Value> {
        self.scopes.iter().rev().find_map(|s| s.elements.get(key)).copied()
    }

    /// Whether the innermost scope itself has the element.
    pub(super) fn has_here(&self, key: &Key) -> bool {
        self.scopes.last().is_some_and(|s| s.elements.contains_key(key))
    }

    pub(super) fn keep_element(&mut self, key: Key, value: Value) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.elements.insert(key, value);
        }
    }

    pub(super) fn group(&self, key: &Key) -> Option<&Vec<Value>> {
        self.scopes.iter().rev().find_map(|s| s.groups.get(key))
    }

    pub(super) fn keep_group(&mut self, key: Key, values: Vec<Value>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.groups.insert(key, values);
        }
    }

    pub(super) fn place(&self, index: &Index) -> Option<Value> {
        self.scopes.iter().rev().find_map(|s| s.places.get(index)).copied()
    }

    pub(super) fn keep_place(&mut self, index: &Index, value: Value) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.places.insert(index.clone(), value);
        }
    }
}

/// Scratch memory: a stack of buffers, by offsets.
pub(super) struct Scratch {
    /// The first free byte.
    pub(super) top: usize,
    /// The most bytes ever in use.
    pub(super) most: usize,
    /// The buffers in which products carried by loops are accumulated.
    pub(super) sums: HashMap<*const Op, Value>,
}

impl Scratch {
    pub(super) fn new() -> Scratch {
        Scratch { top: HEAD, most: HEAD, sums: HashMap::new() }
    }

    /// Reserves bytes and returns their offset.
    pub(super) fn reserve(&mut self, bytes: usize) -> usize {
        let at = self.top;
        self.top = (at + bytes).next_multiple_of(64);
        self.most = self.most.max(self.top);
        at
    }
}

/// Loops in the widest vectors.
pub(super) struct WideLoops {
    /// Whether they may compute rows.
    pub(super) allowed: bool,
    /// Their code, and the offset of each.
    code: Vec<(Vec<u8>, usize)>,
    /// Whether they may use non-temporal stores: not if programs use atomics to signal what they have stored.
    pub(super) streams: bool,
    /// The largest number of bytes that a loop of one program may write by non-temporal stores; 0 if no loop does.
    pub(super) streamed: i64,
    /// Loads that an earlier loop already streamed.
    pub(super) visited: HashSet<NodeId>,
}

impl WideLoops {
    pub(super) fn new(allowed: bool, streams: bool) -> WideLoops {
        WideLoops { allowed, code: vec![], streams, streamed: 0, visited: HashSet::new() }
    }

    /// The offset of a loop's code, and whether the loop is new.
    pub(super) fn place(&mut self, code: Vec<u8>) -> (usize, bool) {
        if let Some((_, at)) = self.code.iter().find(|(known, _)| *known == code) {
            return (*at, false);
        }
        let at = self.code.last().map_or(0, |(code, at)| at + code.len());
        self.code.push((code, at));
        (at, true)
    }

    /// The code of all loops.
    pub(super) fn into_code(self) -> Vec<u8> {
        self.code.into_iter().flat_map(|(code, _)| code).collect()
    }
}

/// Checks of accesses.
pub(super) struct Checking<'m> {
    pub(super) checks: Checks,
    /// The origins of pointers, if accesses are checked.
    origins: Option<Origins<'m>>,
    /// The memory of each parameter, if bounds are checked.
    pub(super) ranges: Vec<Option<Range>>,
    /// Accesses of the loop being emitted that its guard proved to be inside.
    pub(super) proved: Proved,
}

impl<'m> Checking<'m> {
    pub(super) fn new(checks: Checks, module: &'m Module) -> Checking<'m> {
        let origins = (checks != Checks::None).then(|| Origins::new(module));
        Checking { checks, origins, ranges: vec![], proved: Proved::default() }
    }

    /// Where a pointer of the function comes from.
    pub(super) fn origin(&self, func: &Func, pointer: Option<ValueId>) -> Origin {
        let known = pointer.zip(self.origins.as_ref());
        known.map(|(id, origins)| origins.of(&func.name, id)).unwrap_or_default()
    }
}

/// The outputs besides the code.
pub(super) struct Output {
    /// Whether to record loops and decisions.
    listing: bool,
    pub(super) emitted: Emitted,
}

impl Output {
    pub(super) fn new(listing: bool) -> Output {
        Output { listing, emitted: Emitted::default() }
    }

    pub(super) fn is_listing(&self) -> bool {
        self.listing
    }

    /// Records a decision.
    pub(super) fn decide(&mut self, text: impl FnOnce() -> String) {
        if self.listing {
            self.emitted.decisions.push(text());
        }
    }

    /// Records a loop in the widest vectors.
    pub(super) fn list_loop(&mut self, at: usize, listing: &str) {
        if self.listing {
            let text = format!("; loop at byte {at}: {listing}");
            self.emitted.loops.push_str(&text.replace("\n    ", "\n;     "));
        }
    }

    /// Adds a source location and returns its number.
    pub(super) fn site(&mut self, op: &Op, condition: Condition, origin: Origin) -> u64 {
        let loc = op.loc.clone();
        self.emitted.sites.push(Site { condition, loc, origin });
        self.emitted.sites.len() as u64 - 1
    }
}
