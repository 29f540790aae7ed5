//! Blocks and branches to nested ifs.
//!
//! Branches come from early returns and go forward only. Where the paths of a conditional branch meet again, at its
//! immediate post-dominator, an `if` ends whose results are that block's parameters. Where they meet only at the end of
//! the region, each branch of the `if` runs to the end, and blocks that both reach are imported into both.
//!
//! Post-dominators after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

use super::emit::around;
use super::{Import, Lowered};
use crate::ttir::{self, Block, BlockId, Definition, Op, OpId, RegionId, Tree};
use crate::{ErrorKind, Failure, MAX_COPIES};
use std::collections::HashMap;
use trident_ir::{Type, ValueId, ops};

/// Regions in the result nest at most so deep: what the text form reads.
const MAX_REGIONS: usize = trident_ir::text::MAX_DEPTH - 1;

/// The blocks of a region.
struct Graph<'a> {
    tree: &'a Tree,
    blocks: &'a [BlockId],
    index: HashMap<BlockId, usize>,
    /// Immediate post-dominators; the number of blocks stands for the end of the region.
    join: Vec<usize>,
    /// Name of the op that ends the region.
    end: &'static str,
}

impl<'a> Import<'a> {
    /// Imports a region. Its last op is `end`, which may be missing if the region yields nothing.
    pub(super) fn region(
        &mut self,
        region: RegionId,
        end: &'static str,
    ) -> Result<trident_ir::Block, Failure> {
        let tree = self.context.tree;
        let blocks = &tree[region].blocks[..];
        let Some(entry) = tree.entry(region) else { return Ok(trident_ir::Block::default()) };
        let mut graph = Graph { tree, blocks, index: HashMap::new(), join: vec![1], end };
        if blocks.len() > 1 {
            graph.index = blocks.iter().enumerate().map(|(i, &block)| (block, i)).collect();
            graph.join = self.post_dominators(&graph)?;
        }
        let exit = blocks.len();
        self.nested(|import| {
            for &param in &entry.params {
                let ttir::Value { ty, definition, .. } = &tree[param];
                let name = tree.shared_name(param);
                let mut id = import.func.value(name.to_owned(), ty.clone());
                import.block.params.push(id);
                if let Definition::Param { dict } = definition {
                    id = import.hinted(name, id, dict)?;
                }
                import.define(param, id);
            }
            import.run(&graph, 0, exit)
        })
    }

    /// Imports a nested block with `fill`, which returns the values that it yields.
    fn nested(
        &mut self,
        fill: impl FnOnce(&mut Self) -> Lowered,
    ) -> Result<trident_ir::Block, Failure> {
        if self.depth >= MAX_REGIONS {
            return self.fail(ErrorKind::TooDeep);
        }
        self.depth += 1;
        let mark = self.scope.mark();
        let outer = std::mem::take(&mut self.block);
        let results = fill(self)?;
        let mut block = std::mem::replace(&mut self.block, outer);
        block.results = results;
        self.scope.reset(mark);
        self.depth -= 1;
        Ok(block)
    }

    /// Imports from block `at` on until the paths meet at `stop`: gives what is handed to it.
    fn run(&mut self, graph: &Graph<'a>, mut at: usize, stop: usize) -> Lowered {
        loop {
            let block = graph.block(at);
            self.count(block.at)?;
            let (ops, last) = split(graph, block)?;
            for &op in ops {
                self.op(&graph.tree[op])?;
            }
            let Some(last) = last else { return Ok(vec![]) };
            let former = self.enter(last);
            let (own, branches) = graph.tree.branches(last);
            match (&branches[..], &*last.name) {
                ([], _) => {
                    let results = self.values(own)?;
                    self.leave(former);
                    return Ok(results);
                }
                (&[(next, args)], "cf.br") => {
                    let target = graph.target(last, next)?;
                    let args = self.values(args)?;
                    if target == stop {
                        self.leave(former);
                        return Ok(args);
                    }
                    self.arrive(graph.block(target), last.at, &args)?;
                    at = target;
                }
                (&[yes, no], "cf.cond_br") => {
                    let operands = self.values(own)?;
                    let [condition] = self.exactly(last, &operands)?;
                    let join = graph.join[at];
                    let mut branches = vec![];
                    for (next, args) in [yes, no] {
                        let target = graph.target(last, next)?;
                        branches.push(self.nested(|import| {
                            let args = import.values(args)?;
                            if target == join {
                                return Ok(args);
                            }
                            import.arrive(graph.block(target), last.at, &args)?;
                            import.run(graph, target, join)
                        })?);
                    }
                    let types: Vec<Type> =
                        branches[0].results.iter().map(|&x| self.ty(x).clone()).collect();
                    self.yields(last, &branches[1], &types)?;
                    let results = self.push(around(branches, ops::If::new(condition)), &types);
                    if join == stop {
                        self.leave(former);
                        return Ok(results);
                    }
                    self.arrive(graph.block(join), last.at, &results)?;
                    at = join;
                }
                _ => return self.unknown(last),
            }
            self.leave(former);
        }
    }

    /// Counts an op or block that is imported; those of copied blocks count again.
    pub(super) fn count(&mut self, at: usize) -> Result<(), Failure> {
        self.imported += 1;
        if self.imported > self.expected + MAX_COPIES {
            return Err(Failure::new(at, ErrorKind::Copies));
        }
        Ok(())
    }

    /// Binds the parameters of a block.
    fn arrive(&mut self, block: &Block, from: usize, args: &[ValueId]) -> Result<(), Failure> {
        if args.len() != block.params.len() {
            let (op, what) = (format!("^{}", block.label), "argument");
            let (actual, expected) = (args.len(), block.params.len());
            return Err(Failure::new(from, ErrorKind::Count { op, what, actual, expected }));
        }
        let tree = self.context.tree;
        for (&param, &arg) in block.params.iter().zip(args) {
            let (actual, expected) = (self.ty(arg), &tree[param].ty);
            if actual != expected {
                let fault = ErrorKind::Type {
                    op: format!("^{}", block.label),
                    what: format!("parameter `%{}`", tree.name(param)),
                    actual: actual.to_string(),
                    expected: expected.to_string(),
                };
                return Err(Failure::new(from, fault));
            }
            self.define(param, arg);
        }
        Ok(())
    }

    /// The immediate post-dominator of each block that the entry reaches.
    fn post_dominators(&self, graph: &Graph<'a>) -> Result<Vec<usize>, Failure> {
        let exit = graph.blocks.len();
        let mut successors = Vec::with_capacity(exit);
        for block in 0..exit {
            let (_, last) = split(graph, graph.block(block))?;
            let next = last.into_iter().flat_map(|op| op.successors.iter().map(move |s| (op, s)));
            let next = next.map(|(op, s)| graph.target(op, s.block));
            successors.push(next.collect::<Result<Vec<_>, _>>()?);
        }
        let (mut join, mut depth) = (vec![exit; exit + 1], vec![0usize; exit + 1]);
        for block in graph.order(&successors)? {
            let mut common = successors[block].first().copied().unwrap_or(exit);
            for &other in successors[block].iter().skip(1) {
                let mut other = other;
                while common != other {
                    if depth[common] >= depth[other] {
                        common = join[common];
                    } else {
                        other = join[other];
                    }
                }
            }
            join[block] = common;
            depth[block] = depth[common] + 1;
        }
        Ok(join)
    }
}

impl<'a> Graph<'a> {
    fn block(&self, number: usize) -> &'a Block {
        &self.tree[self.blocks[number]]
    }

    fn target(&self, op: &Op, block: BlockId) -> Result<usize, Failure> {
        self.index.get(&block).copied().ok_or_else(|| {
            let name = self.tree[block].label.to_string();
            Failure { at: op.at, loc: op.loc, fault: Box::new(ErrorKind::NoBlock(name)) }
        })
    }

    /// Blocks that the entry reaches, each after its successors.
    fn order(&self, successors: &[Vec<usize>]) -> Result<Vec<usize>, Failure> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            Unseen,
            Open,
            Done,
        }
        let mut state = vec![State::Unseen; self.blocks.len()];
        let mut order = vec![];
        let mut path = vec![(0, 0)];
        state[0] = State::Open;
        while let Some((block, next)) = path.last_mut() {
            match successors[*block].get(*next) {
                Some(&target) => {
                    *next += 1;
                    match state[target] {
                        State::Unseen => {
                            state[target] = State::Open;
                            path.push((target, 0));
                        }
                        State::Open => {
                            return Err(Failure::new(self.block(target).at, ErrorKind::BlockLoop));
                        }
                        State::Done => {}
                    }
                }
                None => {
                    state[*block] = State::Done;
                    order.push(*block);
                    path.pop();
                }
            }
        }
        Ok(order)
    }
}

/// The ops of a block in front of the one that ends it, and that one.
fn split<'a>(graph: &Graph<'a>, block: &'a Block) -> Result<(&'a [OpId], Option<&'a Op>), Failure> {
    let last = block.ops.split_last().map(|(&last, ops)| (&graph.tree[last], ops));
    match last {
        Some((last, ops)) if last.name == graph.end || last.name.starts_with("cf.") => {
            Ok((ops, Some(last)))
        }
        // Loops and branches that yield nothing are printed without `scf.yield`.
        _ if graph.end == "scf.yield" && graph.blocks.len() == 1 => Ok((&block.ops, None)),
        last => {
            let found = last.map_or("nothing".into(), |(op, _)| format!("`{}`", op.name));
            let at = last.map_or(block.at, |(op, _)| op.at);
            let expected = "an op that ends the block (`tt.return`, `cf.br` …)";
            Err(Failure::new(at, ErrorKind::Expected { expected, found }))
        }
    }
}

/// How many ops and blocks regions have, nested ones too.
pub(super) fn size(tree: &Tree, regions: &[RegionId]) -> usize {
    let blocks = regions.iter().flat_map(|&region| tree.blocks_of(region));
    let ops = |block: &Block| {
        block.ops.iter().map(|&op| 1 + size(tree, &tree[op].regions)).sum::<usize>()
    };
    blocks.map(|block| 1 + ops(block)).sum()
}
