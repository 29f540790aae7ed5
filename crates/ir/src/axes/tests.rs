//! Tests of the vocabulary.

use super::*;
use crate::op::Level;
use crate::shape::Facts;
use crate::{Func, OpKind};

/// The statement about the only op of a function with these parameters.
fn axes(params: &str, op: &str) -> Option<Axes> {
    let text = format!("func @f graph ({params}) {{ {op} return }}");
    let mut func: Func = text.parse().unwrap();
    let facts = Facts::of(&mut func).unwrap();
    facts.axes(&func, func.body.ops.last().unwrap())
}

fn labels(axes: &Axes, operand: usize, rank: usize) -> Vec<Option<Label>> {
    (0..rank).map(|i| axes.operands[operand].axis(i).label()).collect()
}

#[test]
fn patterns_of_rows_are_well_formed() {
    let mut stated = 0;
    for kind in OpKind::ALL {
        let decl = kind.decl();
        let Some(AxesRule::Pattern(pattern)) = decl.axes else { continue };
        stated += 1;
        assert!(decl.allowed_at(Level::Graph), "{} states axes, but has no tensors", decl.name);
        let forms = pattern::read(pattern).unwrap_or_else(|| panic!("{}: {pattern}", decl.name));
        for (operands, results) in forms {
            let most = |terms: usize, places: usize| terms <= places.max(1);
            let (ins, outs) = (decl.operands.len(), decl.results.len());
            assert!(most(operands.len(), ins), "{}: more terms than operands", decl.name);
            assert!(most(results.len(), outs), "{}: more terms than results", decl.name);
        }
    }
    assert!(stated > 100, "only {stated} rows have patterns");
}

#[test]
fn terms_are_read_or_refused() {
    for good in ["", "n", "n?", "nc..", "...m_", "*", "n*", "_n_", "n?___"] {
        assert!(pattern::read(&format!("{good} -> {good}")).is_some(), "{good}");
    }
    for bad in ["N", "n-", "?", "_?", "*..", "....", "1"] {
        assert!(pattern::read(&format!("{bad} -> ")).is_none(), "{bad}");
    }
    assert!(pattern::read("n").is_none());
}

#[test]
fn products_carry_rows_and_columns() {
    let stated = axes("%a: f32[2, 3, 4], %b: f32[4, 5]", "%y = matmul(%a, %b)").unwrap();
    let [batch, m, k] = labels(&stated, 0, 3)[..] else { panic!() };
    assert!(batch.is_some() && m.is_some() && k.is_none());
    assert_eq!(labels(&stated, 1, 2)[0], None);
    assert_eq!(stated.results, [ResultAxes::Labels(vec![batch, m, labels(&stated, 1, 2)[1]])]);
    let vector = axes("%a: f32[2, 3], %b: f32[3]", "%y = matmul(%a, %b)").unwrap();
    assert_eq!(vector.results, [ResultAxes::Labels(vec![labels(&vector, 0, 2)[0]])]);
}

#[test]
fn operands_that_broadcast_are_aligned_at_their_last_axes() {
    let stated = axes("%a: f32[2, 3], %b: f32[3]", "%y = add(%a, %b)").unwrap();
    assert_eq!(labels(&stated, 0, 2)[1], labels(&stated, 1, 1)[0]);
    assert_ne!(labels(&stated, 0, 2)[0], labels(&stated, 1, 1)[0]);
}

#[test]
fn ops_without_a_statement_mix() {
    assert_eq!(axes("%a: f32[2, 3]", "%y, _, _, _ = unique(%a)"), None);
    assert_eq!(axes("%a: f32[2, 3]", "%y = random_normal_like(%a)"), None);
}
