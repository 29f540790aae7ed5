//! Arguments of a launch that share memory.
//!
//! Metal compilers take it for granted that the buffers of a kernel do not overlap, and so does `tile-to-lane` of parameters. Where
//! arguments overlap, the kernel is compiled again: one parameter is the memory of all, and the others are offsets from it.

use std::collections::HashMap;
use std::ops::Range;

use trident_ir::{DType, Module, Op, OpKind as K, Type, ValueId};

/// The kind of a parameter in a program, where parameters share memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Alias {
    /// A parameter of its own.
    Own,
    /// The same pointer as this parameter.
    Same(usize),
    /// An offset in bytes from this parameter's pointer, which is another parameter.
    Behind(usize),
}

/// A pointer of a launch.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) param: usize,
    pub(super) address: usize,
    /// The memory that it is part of.
    pub(super) memory: Range<usize>,
    pub(super) is_written: bool,
}

/// The memory of one buffer: the memory of one pointer, or of several that overlap.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// The pointers, in the order of their parameters.
    pub(super) pointers: Vec<Pointer>,
    /// The range that they point into together.
    pub(super) memory: Range<usize>,
}

impl Shared {
    pub(super) fn is_written(&self) -> bool {
        self.pointers.iter().any(|pointer| pointer.is_written)
    }

    fn meets(&self, other: &Shared) -> bool {
        self.memory.start < other.memory.end && other.memory.start < self.memory.end
    }

    fn join(&mut self, other: Shared) {
        let memory = &other.memory;
        self.memory = self.memory.start.min(memory.start)..self.memory.end.max(memory.end);
        self.pointers.extend(other.pointers);
        self.pointers.sort_by_key(|pointer| pointer.param);
    }
}

/// Puts pointers together that have to be one buffer.
pub(super) fn share(pointers: impl Iterator<Item = Pointer>) -> Vec<Shared> {
    let mut all: Vec<Shared> = vec![];
    for pointer in pointers {
        let memory = pointer.memory.clone();
        let mut shared = Shared { pointers: vec![pointer], memory };
        // A range that has grown may overlap others.
        while let Some(at) = all.iter().position(|other| other.meets(&shared)) {
            shared.join(all.swap_remove(at));
        }
        all.push(shared);
    }
    all
}

/// The kind of each parameter where memory is shared like this, and the offsets in bytes, in the order of the parameters that
/// need one.
pub(super) fn aliases(params: &[Type], shared: &[Shared]) -> (Vec<Alias>, Vec<u64>) {
    let mut aliases = vec![Alias::Own; params.len()];
    let mut offsets = vec![];
    for Shared { pointers, .. } in shared {
        let Some((first, others)) = pointers.split_first() else { continue };
        for other in others {
            let is_same =
                other.address == first.address && params[other.param] == params[first.param];
            aliases[other.param] = match is_same {
                true => Alias::Same(first.param),
                false => Alias::Behind(first.param),
            };
            if !is_same {
                let offset = (other.address as u64).wrapping_sub(first.address as u64);
                offsets.push((other.param, offset));
            }
        }
    }
    offsets.sort_unstable();
    (aliases, offsets.into_iter().map(|(_, offset)| offset).collect())
}

/// The module with parameters in place of others. Offsets are further parameters of its entry, of type i64.
pub(super) fn apply(module: &Module, aliases: &[Alias]) -> Module {
    let mut module = module.clone();
    let Some(entry) = module.funcs.first_mut() else { return module };
    let params = entry.body.params.clone();
    let mut names: HashMap<ValueId, ValueId> = HashMap::new();
    let mut ops = vec![];
    for (&param, alias) in params.iter().zip(aliases) {
        let first = match *alias {
            Alias::Own => continue,
            Alias::Same(first) => {
                names.insert(param, params[first]);
                continue;
            }
            Alias::Behind(first) => params[first],
        };
        let bytes = Type::pointer(DType::I8, &[]);
        let name = entry.info(param).name.clone();
        let ty = entry.ty(param).clone();
        let offset = entry.value(format!("{name}.offset"), Type::fixed(DType::I64, &[]));
        entry.body.params.push(offset);
        let base = entry.value(format!("{name}.base"), bytes.clone());
        let moved = entry.value(format!("{name}.bytes"), bytes);
        let pointer = entry.value(format!("{name}.shared"), ty);
        ops.push(Op::new(K::PtrCast, vec![Some(first)], vec![Some(base)]));
        ops.push(Op::new(K::PtrAdd, vec![Some(base), Some(offset)], vec![Some(moved)]));
        ops.push(Op::new(K::PtrCast, vec![Some(moved)], vec![Some(pointer)]));
        names.insert(param, pointer);
    }
    entry.body.ops.iter_mut().for_each(|op| op.rename(&names));
    entry.body.ops.splice(0..0, ops);
    entry.unique_names();
    module
}
