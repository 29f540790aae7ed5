//! Blocks as expressions.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::rc::Rc;

use trident_ir::{DType, Op, Type, ops};

use super::index::{Bit, Index, Rename, own};

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elem {
    /// An element of a tensor.
    Data(DType),
    /// A pointer to an element of this type.
    Ptr(DType),
}

impl Elem {
    /// The type of the element; for a pointer, the type of the address.
    pub fn dtype(self) -> DType {
        match self {
            Elem::Data(dtype) => dtype,
            Elem::Ptr(_) => DType::U64,
        }
    }

    /// Size in memory, in bytes.
    pub fn size(self) -> usize {
        self.dtype().size()
    }
}

/// Element type and dimensions of a tensor or block of pointers; `None` for other types.
pub fn block_type(ty: &Type) -> Option<(Elem, Vec<usize>)> {
    let elem = match ty {
        Type::Tensor(t) => Elem::Data(t.dtype),
        Type::Pointer(p) => Elem::Ptr(p.to),
        _ => return None,
    };
    Some((elem, ty.dims()?))
}

/// Identifies a node.
pub type NodeId = usize;

/// A function of elements.
#[derive(Clone, Copy, Debug)]
pub enum Fun<'m> {
    /// The function of an elementwise or pointer op.
    Op(&'m Op),
    /// Sum of 64-bit integers.
    Add,
    /// Product of 64-bit integers.
    Mul,
    /// Sign extension to 64 bits.
    SignExtend,
    /// Whether 0 ≤ a < b.
    Within,
    /// Both hold.
    Both,
}

/// Identifies a scalar at run time: a value that a code generator has in a register.
pub trait Leaf: Copy + Eq + Hash + Debug {}

impl<T: Copy + Eq + Hash + Debug> Leaf for T {}

/// How the elements of a block are obtained. `L` is a [`Leaf`].
#[derive(Clone, Debug)]
pub enum Kind<'m, L> {
    /// All equal this value.
    Uniform(L),
    /// This number, then each one greater than the last (`i32`).
    Iota(i64),
    /// They lie row-major in the program's private memory, from this address on.
    Buffer(L),
    /// A function of the elements at the same position of other blocks.
    Apply(Fun<'m>, Vec<NodeId>),
    /// The elements of another block at a renamed index.
    View(NodeId, Rename),
    /// The elements of the first or second block, selected by one bit of the index; both are read at the same index.
    Choose {
        /// The bit of the index that chooses.
        bit: u8,
        /// The blocks.
        from: [NodeId; 2],
        /// The index of either block.
        map: Rename,
    },
    /// The elements that the pointers point to, where the mask holds.
    Load {
        /// The pointers.
        ptr: NodeId,
        /// Which elements are loaded; all if `None`.
        mask: Option<NodeId>,
        /// The value of the others; 0 if `None`.
        other: Option<NodeId>,
        /// The source location that errors name.
        site: u64,
    },
    /// Elements of a buffer, with some bits of the index taken from a block of integers.
    Take {
        /// The buffer.
        src: NodeId,
        /// The integers.
        index: NodeId,
        /// The first of those bits, and how many there are.
        axis: (u8, u8),
        /// The remaining bits of the buffer's index.
        of: Rename,
    },
}

/// A block.
#[derive(Clone, Debug)]
pub struct Node<'m, L> {
    /// How its elements are obtained.
    pub kind: Kind<'m, L>,
    /// The kind of its elements.
    pub elem: Elem,
    /// Number of bits of the index.
    pub bits: u8,
    /// Approximate number of instructions for one element.
    pub cost: u32,
    /// Longest path to a leaf.
    pub depth: u32,
}

/// Costs saturate at this.
const MOST: u32 = 10_000;

/// Blocks and the blocks they are computed from. A node's operands come before it.
///
/// In a [`Scope`] of the code, buffers can stand for blocks whose elements were computed there: looking up such a node
/// then yields its buffer, and [`Graph::origin`] the original expression.
#[derive(Clone, Debug)]
pub struct Graph<'m, L> {
    nodes: Vec<Node<'m, L>>,
    /// The node that each node is looked up as: itself, or the buffer that stands for it.
    reads_as: Vec<NodeId>,
    /// Nodes for which buffers have been stored, and their previous replacements, oldest first.
    stored: Vec<(NodeId, NodeId)>,
    /// The bits of scalars that are known before run time.
    constants: HashMap<L, u64>,
    /// Low bits of scalars that `hint` ops promise to be 0.
    zeros: HashMap<L, u32>,
    /// Low bits of the first elements of blocks that `hint` ops promise to be 0.
    first_zeros: HashMap<NodeId, u32>,
}

/// The point at which buffers began to stand for blocks ([`Graph::enter`]).
#[derive(Debug)]
#[must_use]
pub struct Scope(usize);

impl<L> Default for Graph<'_, L> {
    fn default() -> Self {
        Graph {
            nodes: vec![],
            reads_as: vec![],
            stored: vec![],
            constants: HashMap::new(),
            zeros: HashMap::new(),
            first_zeros: HashMap::new(),
        }
    }
}

impl<'m, L> std::ops::Index<NodeId> for Graph<'m, L> {
    type Output = Node<'m, L>;

    fn index(&self, node: NodeId) -> &Node<'m, L> {
        &self.nodes[self.reads_as[node]]
    }
}

impl<'m, L: Leaf> Graph<'m, L> {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a node.
    pub fn push(&mut self, node: Node<'m, L>) -> NodeId {
        self.nodes.push(node);
        self.reads_as.push(self.reads_as.len());
        self.nodes.len() - 1
    }

    /// Replaces the block by the buffer at an address, which the code has filled, until the scope ends.
    pub fn store(&mut self, node: NodeId, address: L) {
        let Node { elem, bits, .. } = self[node];
        let kind = Kind::Buffer(address);
        let buffer = self.push(Node { kind, elem, bits, cost: 1, depth: 0 });
        self.stored.push((node, self.reads_as[node]));
        self.reads_as[node] = buffer;
    }

    /// How the elements of the block were obtained, even if a buffer stands for it.
    pub fn origin(&self, node: NodeId) -> &Node<'m, L> {
        &self.nodes[node]
    }

    /// Begins a scope: code that may not execute although code after it does.
    pub fn enter(&self) -> Scope {
        Scope(self.stored.len())
    }

    /// Ends a scope; buffers filled in it no longer stand for their blocks.
    pub fn leave(&mut self, scope: Scope) {
        for (node, before) in self.stored.drain(scope.0..).rev() {
            self.reads_as[node] = before;
        }
    }

    /// Adds a block whose elements are all the same.
    pub fn uniform(&mut self, value: L, elem: Elem, bits: u8) -> NodeId {
        self.push(Node { kind: Kind::Uniform(value), elem, bits, cost: 0, depth: 0 })
    }

    /// Records that a scalar always has these bits.
    pub fn set_constant(&mut self, scalar: L, bits: u64) {
        self.constants.insert(scalar, bits);
    }

    /// The bits of a scalar, if they are known before run time.
    pub fn constant(&self, scalar: L) -> Option<u64> {
        self.constants.get(&scalar).copied()
    }

    /// Records what a `hint` op promises of a scalar. Code must not rely on it where a broken promise would make it
    /// read or write elsewhere.
    pub fn promise_scalar(&mut self, scalar: L, hint: &Op) {
        self.promise_zeros(scalar, promised_zeros(hint));
    }

    /// Records that the lowest `zeros` bits of a scalar are 0.
    pub fn promise_zeros(&mut self, scalar: L, zeros: u32) {
        let known = self.zeros.entry(scalar).or_default();
        *known = zeros.max(*known);
    }

    /// Records what a `hint` op promises of a block; see [`Self::promise_scalar`].
    pub fn promise(&mut self, block: NodeId, hint: &Op) {
        if let Kind::Uniform(scalar) = self[block].kind {
            return self.promise_scalar(scalar, hint);
        }
        let zeros = self.first_zeros.entry(block).or_default();
        *zeros = promised_zeros(hint).max(*zeros);
    }

    /// Number of low bits of a scalar that are promised to be 0.
    pub(super) fn zeros_of(&self, scalar: L) -> u32 {
        self.zeros.get(&scalar).copied().unwrap_or(0)
    }

    /// Number of low bits of a block's first element that are promised to be 0.
    pub(super) fn zeros_of_first(&self, block: NodeId) -> u32 {
        self.first_zeros.get(&block).copied().unwrap_or(0)
    }

    /// Adds a node over operands; `cost` approximates its own instructions per element.
    pub fn make(
        &mut self,
        kind: Kind<'m, L>,
        elem: Elem,
        bits: u8,
        cost: u32,
        operands: &[NodeId],
    ) -> NodeId {
        let below = operands.iter().map(|&n| self[n].cost).fold(cost, u32::saturating_add);
        let depth = operands.iter().map(|&n| self[n].depth + 1).max().unwrap_or(0);
        self.push(Node { kind, elem, bits, cost: below.min(MOST), depth })
    }

    /// Adds a view of a block: the same elements at a renamed index.
    pub fn view(&mut self, of: NodeId, map: Vec<Bit>, bits: u8) -> NodeId {
        let elem = self[of].elem;
        // A uniform block stays uniform.
        if let Kind::Uniform(value) = self[of].kind {
            return self.uniform(value, elem, bits);
        }
        let map: Rc<[Bit]> = map.into();
        let same =
            map.len() == usize::from(bits) && (0..bits).zip(map.iter()).all(|(k, b)| *b == own(k));
        match same {
            true => of,
            false => self.make(Kind::View(of, map), elem, bits, 0, &[of]),
        }
    }

    /// The index for an operand. The index of a scalar, such as the condition of `where`, has no bits.
    pub fn operand_index(&self, operand: NodeId, index: &Index) -> Index {
        if self[operand].bits == 0 { Index::from([]) } else { index.clone() }
    }

    /// Whether two blocks of pointers or integers are known to be equal.
    pub fn same(&self, a: NodeId, b: NodeId) -> bool {
        if a == b {
            return true;
        }
        match (&self[a].kind, &self[b].kind) {
            (Kind::Uniform(x), Kind::Uniform(y)) => x == y,
            (Kind::Apply(Fun::Op(f), x), Kind::Apply(Fun::Op(g), y)) => {
                f.kind == g.kind
                    && f.attrs == g.attrs
                    && x.len() == y.len()
                    && x.iter().zip(y).all(|(&x, &y)| self.same(x, y))
            }
            _ => false,
        }
    }
}

/// Number of low bits that the hint promises to be 0; the first element of a block starts a group along every axis, so
/// any axis's divisibility applies.
fn promised_zeros(hint: &Op) -> u32 {
    let divisors = ops::Hint::of(hint).and_then(|hint| hint.divisibility()).unwrap_or_default();
    divisors.iter().filter(|&&d| d > 0).map(|d| d.trailing_zeros()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_stand_for_blocks_to_the_end_of_their_scope() {
        let elem = Elem::Data(DType::I32);
        let mut graph = Graph::<u32>::default();
        let node = graph.make(Kind::Iota(0), elem, 4, 3, &[]);
        let is_buffer = |graph: &Graph<'_, u32>| matches!(graph[node].kind, Kind::Buffer(7));
        let outer = graph.enter();
        let inner = graph.enter();
        graph.store(node, 7);
        assert!(is_buffer(&graph) && graph[node].bits == 4);
        assert!(matches!(graph.origin(node).kind, Kind::Iota(0)));
        graph.leave(inner);
        assert!(matches!(graph[node].kind, Kind::Iota(0)));
        graph.store(node, 7);
        let inner = graph.enter();
        graph.store(node, 8);
        graph.leave(inner);
        assert!(is_buffer(&graph));
        graph.leave(outer);
        assert!(matches!(graph[node].kind, Kind::Iota(0)));
    }
}
