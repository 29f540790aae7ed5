//! Faults that the text form cannot spell; the others are file tests.

use super::*;
use crate::op::{Arity, OpKind};
use crate::{Attr, DType};

fn func() -> Func {
    let text = "func @f graph (%a: f32[]) {
        %b = neg(%a) : f32[] loc(\"n\")
        %c = if(%a) : f32[] region { yield %a } region { %d = neg(%b) : f32[] yield %d }
        return %b
    }";
    text.parse().unwrap()
}

fn fault(change: impl FnOnce(&mut Func)) -> (String, Violation) {
    let mut func = func();
    change(&mut func);
    match func.verify() {
        Err(VerifyError::Func { at, fault, .. }) => (at.to_string(), *fault),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_outside_the_table() {
    let far = ValueId(99);
    let missing = Violation::NoSuchValue(99);
    assert_eq!(fault(|f| f.body.params[0] = far), ("parameters".into(), missing.clone()));
    assert_eq!(fault(|f| f.body.results[0] = far), ("return".into(), missing.clone()));
    assert_eq!(fault(|f| f.body.ops[0].inputs[0] = Some(far)), ("neg `n`".into(), missing.clone()));
    assert_eq!(
        fault(|f| f.body.ops[0].outputs[0] = Some(far)),
        ("neg `n`".into(), missing.clone())
    );
    let yields = fault(|f| f.body.ops[1].regions[0].results[0] = far);
    assert_eq!(yields, ("yield of region 0 of if".into(), missing));
}

#[test]
fn values_defined_twice_or_never() {
    let twice = fault(|f| f.body.ops[0].outputs[0] = Some(ValueId(0)));
    assert_eq!(twice.1, Violation::DefinedTwice("a".into()));
    let hidden = fault(|f| {
        let mut again = f.body.ops[0].clone();
        again.outputs[0] = f.body.ops[1].regions[1].ops[0].outputs[0];
        f.body.ops.push(again);
    });
    assert_eq!(hidden.1, Violation::DefinedTwice("d".into()));
    let never = fault(|f| drop(f.body.ops.remove(0)));
    assert_eq!(never, ("neg".into(), Violation::Undefined("b".into())));
}

#[test]
fn names_are_unique() {
    assert_eq!(fault(|f| f.values[1].name = "a".into()).1, Violation::NameTwice("a".into()));
}

#[test]
fn undeclared_attributes() {
    let unknown = fault(|f| f.body.ops[0].attrs.put(crate::ops::Elu::AT.alpha, 1.0));
    assert_eq!(unknown.1, Violation::UnknownAttr("alpha".into()));
}

#[test]
fn nesting_is_bounded() {
    let mut block = Block::default();
    for _ in 0..MAX_DEPTH {
        let mut op = Op::new(OpKind::If, vec![Some(ValueId(0))], vec![]);
        op.regions = vec![block, Block::default()];
        block = Block { ops: vec![op], ..Block::default() };
    }
    let (_, fault) = fault(|f| f.body.ops.extend(block.ops));
    assert_eq!(fault, Violation::TooDeep);
}

/// Every declared op passes in its least form, if its types are right.
#[test]
fn each_op_is_fine_with_its_required_parts() {
    let graph = |k: &&OpKind| k.decl().allowed_at(crate::Level::Graph) && k.decl().regions == 0;
    for &kind in OpKind::ALL.iter().filter(graph) {
        let decl = kind.decl();
        let mut func = Func::new("f", crate::Level::Graph);
        let x = func.value("x", Type::unranked(DType::F32));
        func.body.params = vec![x];
        let required = |a: Arity| a != Arity::Optional;
        let last = decl.operands.iter().rposition(|o| required(o.arity)).map_or(0, |i| i + 1);
        let operands = decl.operands.iter().take(last);
        let inputs = operands.map(|o| required(o.arity).then_some(x)).collect();
        let outputs = vec![None; decl.result_count().0];
        let mut op = Op::new(kind, inputs, outputs);
        for attr in decl.attrs.iter().filter(|a| a.is_required()) {
            let value = match attr.kind() {
                crate::AttrKind::Int => Attr::Int(0),
                crate::AttrKind::Float => Attr::Float(0.0),
                crate::AttrKind::Str => {
                    Attr::Str(attr.texts.first().copied().unwrap_or_default().to_owned())
                }
                crate::AttrKind::Ints => Attr::Ints(vec![]),
                crate::AttrKind::Floats => Attr::Floats(vec![]),
                crate::AttrKind::Strs => Attr::Strs(vec![]),
                crate::AttrKind::DType => Attr::DType(DType::F16),
                crate::AttrKind::Type => Attr::Type(Type::unranked(DType::F16)),
                crate::AttrKind::Tensor => Attr::Tensor(crate::Literal::scalar(1f32)),
            };
            op.attrs.set(attr, value);
        }
        func.body.ops.push(op);
        func.verify().unwrap_or_else(|e| panic!("{e}"));
    }
}
