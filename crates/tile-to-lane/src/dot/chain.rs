//! Sums that a loop carries as matrices: each iteration adds products to them, and they have no other use in the loop.

use std::collections::{BTreeMap, HashMap};

use trident_ir::{Block, Func, Op, OpKind as K, ValueId, ops};

use super::product::Product;
use crate::plan::LanePlan;
use trident_tile_analysis::Kind;

/// Which values are matrices, and which of them products add to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chains {
    /// For each value the result of a product that is spread alike.
    pub(crate) held: HashMap<ValueId, ValueId>,
    /// For each result of a product the value that it adds to, and the value that is the sum.
    pub(crate) links: HashMap<ValueId, (ValueId, ValueId)>,
}

/// Finds the sums that the loops of a function carry.
pub(crate) fn chains(
    plan: &LanePlan<'_>,
    func: &Func,
    products: &BTreeMap<ValueId, Product>,
) -> Chains {
    let uses = func.body.uses();
    let mut search = Search { plan, func, products, uses, found: Chains::default() };
    func.body.walk(&mut |op| {
        let (K::For, [body]) = (op.kind, &op.regions[..]) else { return };
        for (&param, &next) in body.params.iter().skip(1).zip(&body.results) {
            search.follow(body, param, next);
        }
    });
    search.found
}

struct Search<'a, 'm> {
    plan: &'a LanePlan<'m>,
    func: &'a Func,
    products: &'a BTreeMap<ValueId, Product>,
    uses: HashMap<ValueId, usize>,
    found: Chains,
}

impl Search<'_, '_> {
    /// Follows a sum from where an iteration takes it to where it passes it on.
    fn follow(&mut self, body: &Block, param: ValueId, next: ValueId) {
        let (mut at, mut links) = (param, vec![]);
        while at != next {
            let Some((product, to)) = self.step(body, at) else { return };
            links.push((product, (at, to)));
            at = to;
        }
        let Some(&(like, _)) = links.first() else { return };
        let fragment =
            |(product, _): &(ValueId, _)| self.products.get(product).map(Product::fragment);
        if links.iter().any(|link| fragment(link) != fragment(&links[0])) {
            return;
        }
        self.found.held.insert(param, like);
        self.found.held.extend(links.iter().map(|(_, (_, to))| (*to, like)));
        self.found.links.extend(links);
    }

    /// The product that is added to this value, if the value has no other use, and the sum's value.
    fn step(&self, body: &Block, at: ValueId) -> Option<(ValueId, ValueId)> {
        let once = |id: ValueId| self.uses.get(&id) == Some(&1);
        let user = body.ops.iter().find(|op| op.used().any(|id| id == at)).filter(|_| once(at))?;
        let out = user.output(0)?;
        match user.kind {
            K::Dot if user.input(ops::Dot::AT.c) == Some(at) && self.is_matrix(user) => {
                Some((out, out))
            }
            K::Add => {
                let other = user.used().find(|&id| id != at).filter(|&id| once(id))?;
                let product = body.ops.iter().find(|op| op.output(0) == Some(other))?;
                let begins_with_zero =
                    product.input(ops::Dot::AT.c).is_some_and(|c| self.is_zero(c));
                let fits = product.kind == K::Dot && begins_with_zero && self.is_matrix(product);
                fits.then_some((other, out))
            }
            _ => None,
        }
    }

    /// Whether the product is one of floats that matrices compute.
    fn is_matrix(&self, op: &Op) -> bool {
        let out = op.output(0);
        let is_float = out.and_then(|id| self.func.ty(id).dtype()).is_some_and(|d| d.is_float());
        is_float && out.and_then(|id| self.products.get(&id)).is_some_and(|p| p.side > 0)
    }

    fn is_zero(&self, id: ValueId) -> bool {
        let kind = self.plan.node_of(id).map(|node| &self.plan.graph[node].kind);
        matches!(kind, Some(Kind::Uniform(scalar)) if self.plan.graph.constant(*scalar) == Some(0))
    }
}
