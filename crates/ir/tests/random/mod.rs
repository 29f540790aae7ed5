//! Random modules: well-formed as texts, without a meaning.

use crate::rng::Rng;
use trident_ir::op::Arity;
use trident_ir::{
    AccumulatorType, Attr, AttrKind, Block, DType, DescriptorType, Dim, Func, Level, Literal, Loc,
    Module, Op, OpKind, PointerType, Space, Type, ValueId, generic, ops,
};

const NAMES: &[&str] = &[
    "x",
    "",
    "/conv.1/W",
    "a b",
    "é\"\\",
    "_",
    "0",
    "n:0",
    "line\nbreak",
    "$t",
    "\u{1}",
    "region",
];

fn text(rng: &mut Rng) -> String {
    format!("{}{}", rng.pick(NAMES), rng.pick(NAMES))
}

fn dim(rng: &mut Rng) -> Dim {
    match rng.below(4) {
        0 => Dim::Unknown,
        1 => Dim::sym(rng.pick::<&str>(&["N", "batch", "2*N + 1", "", "7", "_", "f32"])),
        _ => Dim::Fixed(rng.below(5)),
    }
}

fn ty(rng: &mut Rng, depth: usize) -> Type {
    let dtype = *rng.pick(DType::ALL);
    let shape = |rng: &mut Rng| (0..rng.below(4)).map(|_| dim(rng)).collect::<Vec<_>>();
    match rng.below(if depth < 4 { 13 } else { 10 }) {
        0 => Type::unranked(dtype),
        1 => {
            let (space, shape) = (*rng.pick(Space::ALL), rng.chance(80).then(|| shape(rng)));
            Type::Pointer(PointerType { to: dtype, space, shape })
        }
        2 => Type::Matrix(dtype),
        4 => {
            let transposed = [rng.chance(50), rng.chance(50)];
            Type::Accumulator(AccumulatorType { factor: dtype, transposed })
        }
        3 => {
            let block = (0..rng.below(3)).map(|_| rng.below(9)).collect();
            Type::Descriptor(DescriptorType { dtype, block })
        }
        10 => Type::Seq(Box::new(ty(rng, depth + 1))),
        11 => Type::Optional(Box::new(ty(rng, depth + 1))),
        12 => Type::Map(dtype, Box::new(ty(rng, depth + 1))),
        _ => Type::tensor(dtype, shape(rng)),
    }
}

fn literal(rng: &mut Rng) -> Literal {
    let dtype = *rng.pick(DType::ALL);
    let most = if rng.chance(10) { 8 } else { 4 };
    let dims: Vec<usize> = (0..rng.below(3)).map(|_| rng.below(most)).collect();
    let len = dims.iter().product();
    if dtype == DType::Str {
        return Literal::from_strings(dims, (0..len).map(|_| text(rng)).collect()).unwrap();
    }
    // Bytes of every pattern, and small numbers.
    let wild = rng.chance(50);
    let bytes =
        (0..len * dtype.size()).map(|_| if wild { rng.next() as u8 } else { rng.below(2) as u8 });
    let bytes: Vec<u8> = bytes.collect();
    Literal::from_bytes(dtype, dims, bytes.into()).unwrap()
}

fn float(rng: &mut Rng) -> f32 {
    const SPECIAL: &[f32] = &[
        0.0,
        -0.0,
        1.0,
        1e30,
        1e-45,
        0.1,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    if rng.chance(50) {
        return *rng.pick(SPECIAL);
    }
    // NaN differs from itself; it has a test of its own.
    Some(f32::from_bits(rng.next() as u32)).filter(|x| !x.is_nan()).unwrap_or(1.5)
}

fn attr(rng: &mut Rng, kind: AttrKind) -> Attr {
    let n = if rng.chance(5) { 40 } else { rng.below(4) };
    match kind {
        AttrKind::Int => Attr::Int(*rng.pick(&[0, 1, -1, i64::MIN, i64::MAX])),
        AttrKind::Float => Attr::Float(float(rng)),
        AttrKind::Str => Attr::Str(text(rng)),
        AttrKind::Ints => Attr::Ints((0..n).map(|_| rng.next() as i64 >> rng.below(64)).collect()),
        AttrKind::Floats => Attr::Floats((0..n).map(|_| float(rng)).collect()),
        AttrKind::Strs => Attr::Strs((0..n).map(|_| text(rng)).collect()),
        AttrKind::DType => Attr::DType(*rng.pick(DType::ALL)),
        AttrKind::Type => Attr::Type(ty(rng, 0)),
        AttrKind::Tensor => Attr::Tensor(literal(rng)),
    }
}

fn value(rng: &mut Rng, func: &mut Func, ty: Type) -> ValueId {
    let name = format!("{}{}", rng.pick(NAMES), func.values.len());
    func.value(name, ty)
}

fn count(arities: impl Iterator<Item = Arity>, rng: &mut Rng) -> usize {
    arities.map(|a| if a == Arity::Many { rng.below(4) } else { 1 }).sum()
}

fn op(rng: &mut Rng, func: &mut Func, scope: &[ValueId], kind: OpKind, depth: usize) -> Op {
    let decl = kind.decl();
    let n = count(decl.operands.iter().map(|o| o.arity), rng);
    let inputs =
        (0..n).map(|_| (!scope.is_empty() && rng.chance(85)).then(|| *rng.pick(scope))).collect();
    let mut op = Op::new(kind, inputs, vec![]);
    for declared in decl.attrs {
        if rng.chance(60) {
            generic::set(&mut op, declared, attr(rng, declared.kind()));
        }
    }
    let n = count(decl.results.iter().map(|r| r.arity), rng);
    for _ in 0..n {
        let constant = ops::Constant::of(&op).filter(|_| rng.chance(70));
        let ty = match constant {
            Some(constant) => constant.value().ty(),
            None => ty(rng, 0),
        };
        op.outputs.push(rng.chance(85).then(|| value(rng, func, ty)));
    }
    for _ in 0..decl.regions {
        let params = rng.below(3);
        op.regions.push(block(rng, func, scope, params, depth + 1));
    }
    if rng.chance(30) {
        op.loc = Some(match rng.chance(50) {
            true => Loc::node(text(rng)),
            false => Loc::source(text(rng), rng.below(100) as u32, rng.below(100) as u32),
        });
    }
    op
}

fn block(rng: &mut Rng, func: &mut Func, outer: &[ValueId], params: usize, depth: usize) -> Block {
    let mut scope = outer.to_vec();
    let mut block = Block::default();
    for _ in 0..params {
        let ty = ty(rng, 0);
        block.params.push(value(rng, func, ty));
    }
    scope.extend(&block.params);
    for _ in 0..rng.below(6) {
        let kind = *rng.pick(OpKind::ALL);
        let kind = if kind.decl().regions > 0 && depth > 3 { OpKind::Constant } else { kind };
        let op = op(rng, func, &scope, kind, depth);
        scope.extend(op.defined());
        block.ops.push(op);
    }
    if !scope.is_empty() {
        block.results = (0..rng.below(3)).map(|_| *rng.pick(&scope)).collect();
    }
    block
}

/// A module whose first function has an op of each kind in `kinds`.
pub(crate) fn module(rng: &mut Rng, kinds: &[OpKind]) -> Module {
    let mut module = Module::default();
    for _ in 0..rng.below(3) {
        module.metadata.insert(text(rng), text(rng));
    }
    for i in 0..1 + rng.below(2) {
        let mut func = Func::new(format!("{}{i}", rng.pick(NAMES)), *rng.pick(Level::ALL));
        func.threads = rng.chance(20).then(|| rng.next() as u32);
        let params = rng.below(4);
        let mut body = block(rng, &mut func, &[], params, 0);
        for &kind in kinds.iter().filter(|_| i == 0) {
            let mut scope = body.params.clone();
            scope.extend(body.ops.iter().flat_map(Op::defined));
            let op = op(rng, &mut func, &scope, kind, 0);
            body.ops.push(op);
        }
        func.body = body;
        func.renumber();
        module.funcs.push(func);
    }
    module
}
