//! Cases for ops: all element types that they take, all choices of their attributes, special and random numbers.

use std::fmt;
use trident_ir::interp::number::{float, from_float, from_int, int, mask};
use trident_ir::op::{AttrDecl, Default};
use trident_ir::tile::is_element;
use trident_ir::{Attr, DType, OpKind};

/// Elements of each operand.
pub(crate) const LEN: usize = 512;

/// An op with attributes and operands.
pub(crate) struct Case {
    pub(crate) kind: OpKind,
    pub(crate) attrs: Vec<(&'static str, Attr)>,
    pub(crate) types: Vec<DType>,
    /// The bits of each operand's elements: [`LEN`], or 1 of a scalar.
    pub(crate) data: Vec<Vec<u64>>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types: Vec<&str> = self.types.iter().map(|d| d.name()).collect();
        write!(f, "{}({})", self.kind.decl().name, types.join(", "))?;
        match self.attrs[..] {
            [] => Ok(()),
            _ => write!(f, " {{{}}}", self.attributes()),
        }
    }
}

impl Case {
    /// The attributes in the text form.
    pub(crate) fn attributes(&self) -> String {
        let each: Vec<String> = self.attrs.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        each.join(", ")
    }

    fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.iter().find(|a| a.0 == name).map(|a| &a.1)
    }

    /// Whether graph ops do not have these attributes.
    pub(crate) fn is_for_tile_only(&self) -> bool {
        self.attr("rounding") == Some(&Attr::Str("rtz".into()))
    }

    /// Whether the table tells what result `i` is.
    pub(crate) fn is_defined(&self, i: usize, result: DType) -> bool {
        let (from, x) = (self.types[0], self.data[0][i]);
        let cut = self.kind == OpKind::Cast && from.is_float() && result.is_int();
        let holds = |x: f64| {
            let whole = x.trunc() as i128;
            x.is_finite() && int(result, from_int(result, whole)) == whole
        };
        match self.kind {
            OpKind::Cast if cut => holds(float(from, x)),
            // Computed in f64, which does not hold all of 64 bits.
            OpKind::Shrink if from.is_int() => int(from, x).unsigned_abs() < 1 << 53,
            _ => true,
        }
    }
}

/// All cases of an op.
pub(crate) fn cases(kind: OpKind) -> Vec<Case> {
    let decl = kind.decl();
    let (least, most) = decl.operand_count();
    let takes = |i: usize, dtype: DType| decl.operand(i).is_some_and(|o| o.takes.accept(dtype));
    let mut cases = vec![];
    // The element type is that of the last operand: of `where` the first is a condition.
    let main = decl.operands.len() - 1;
    for &dtype in DType::ALL.iter().filter(|&&d| is_element(d) && takes(main, d)) {
        if kind == OpKind::Pow && !dtype.is_float() {
            continue;
        }
        // Of a function any number of operands would do; each of these has one.
        let most = if kind == OpKind::Libm { 1 } else { most.min(3) };
        for count in least.max(1)..=most {
            let types: Vec<DType> =
                (0..count).map(|i| if takes(i, dtype) { dtype } else { DType::Bool }).collect();
            for attrs in attributes(kind, dtype) {
                for data in data(kind, &types) {
                    let (attrs, types) = (attrs.clone(), types.clone());
                    cases.push(Case { kind, attrs, types, data });
                }
            }
        }
    }
    cases
}

/// Every combination of attributes.
fn attributes(kind: OpKind, dtype: DType) -> Vec<Vec<(&'static str, Attr)>> {
    let mut all = vec![vec![]];
    for attr in kind.decl().attrs {
        let mut longer = vec![];
        for choice in choices(kind, attr, dtype) {
            longer.extend(all.iter().cloned().map(|mut set: Vec<_>| {
                set.push((attr.name, choice.clone()));
                set
            }));
        }
        all = longer;
    }
    all
}

fn choices(kind: OpKind, attr: &AttrDecl, dtype: DType) -> Vec<Attr> {
    let texts = |all: &[&str]| all.iter().map(|&s| Attr::Str(s.into())).collect();
    match (attr.name, attr.default) {
        ("function", _) if dtype.is_float() => {
            texts(&["cbrt", "erfc", "expm1", "log1p", "normcdf", "trunc"])
        }
        ("function", _) if dtype.is_int() && dtype.bits() == 32 => texts(&["abs", "clz", "popc"]),
        ("function", _) => vec![],
        ("to", _) if kind == OpKind::Libm => vec![Attr::DType(dtype)],
        ("to", _) => {
            let fits = |to: &&DType| {
                let bits = to.bits() == dtype.bits() && **to != DType::Bool && dtype != DType::Bool;
                is_element(**to) && (kind == OpKind::Cast || **to == dtype || bits)
            };
            DType::ALL.iter().filter(fits).map(|&to| Attr::DType(to)).collect()
        }
        ("rounding", _) if !dtype.is_float() => texts(&["rtne"]),
        _ if !attr.texts.is_empty() => texts(attr.texts),
        (_, Default::Int(0 | 1)) => vec![Attr::Int(0), Attr::Int(1)],
        (_, Default::Float(v)) => vec![Attr::Float(v), Attr::Float(v + 0.25)],
        (name, default) => panic!(
            "no choices for `{name}` ({default:?}) of {kind:?}: add them to `choices` in {}",
            file!()
        ),
    }
}

/// The contents of operands: for the bounds of `clip`, which are scalars, one of several pairs.
fn data(kind: OpKind, types: &[DType]) -> Vec<Vec<Vec<u64>>> {
    let whole: Vec<Vec<u64>> = (0..types.len()).map(|i| operand(kind, types[i], i)).collect();
    if kind != OpKind::Clip {
        return vec![whole];
    }
    let bounds = [(-1.0, 1.0), (0.0, 3.0), (-0.0, 0.0), (1.0, -1.0), (f64::NAN, 2.0)];
    let number = |dtype: DType, x: f64| match dtype.is_float() {
        true => from_float(dtype, x),
        false => from_int(dtype, x as i128),
    };
    let pairs = bounds.iter().map(|&(low, high)| {
        let each = [low, high].into_iter().zip(&types[1..]);
        let scalars = each.map(|(x, &dtype)| vec![number(dtype, x)]);
        std::iter::once(whole[0].clone()).chain(scalars).collect()
    });
    pairs.collect()
}

/// The elements of operand `place`. Those of two operands are all pairs of special ones, then random ones.
fn operand(kind: OpKind, dtype: DType, place: usize) -> Vec<u64> {
    let specials = specials(dtype);
    let n = specials.len();
    let mut random = Random(0x9e37_79b9 + 97 * place as u64 + dtype.bits() as u64);
    let element = |i: usize| {
        let pair = match place {
            0 => i % n,
            1 => i / n,
            _ => (5 * i + 3) % n,
        };
        let x = if i < n * n && i < LEN * 3 / 4 { specials[pair] } else { random.element(dtype) };
        defined(kind, dtype, place, x)
    };
    (0..LEN).map(element).collect()
}

/// The element, or where the op has no answer for it another one.
fn defined(kind: OpKind, dtype: DType, place: usize, x: u64) -> u64 {
    match (kind, place) {
        (OpKind::Div | OpKind::Mod, 1) if dtype.is_int() && x == 0 => 1,
        (OpKind::BitShift, 1) => x % dtype.bits() as u64,
        // Sums of the greatest numbers overflow where they are computed in f32, and do not in f64.
        (OpKind::Mean, _) if float(dtype, x).is_finite() && float(dtype, x).abs() > 1e38 => {
            from_float(dtype, 1.0)
        }
        _ => x,
    }
}

fn specials(dtype: DType) -> Vec<u64> {
    if dtype == DType::Bool {
        return vec![0, 1];
    }
    if dtype.is_int() {
        let top = 1i128 << (dtype.bits() - 1);
        return [0, 1, -1, 2, -4, 7, -100, 126, top - 1, -top, top, 2 * top - 1]
            .map(|x| from_int(dtype, x))
            .to_vec();
    }
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -4.0,
        1.5,
        -2.5,
        3.0,
        20.0,
        -6e4,
        6e4,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        // Subnormal in each type.
        match dtype.bits() {
            64 => 5e-310,
            32 => 1e-40,
            _ => 2f64.powi(-16),
        },
        match dtype {
            DType::F64 => f64::MAX,
            DType::F32 | DType::BF16 => 3e38,
            _ => 240.0,
        },
    ];
    numbers.map(|x| from_float(dtype, x)).to_vec()
}

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let Random(state) = self;
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 16
    }

    /// Integers of any size, floats around 1.
    fn element(&mut self, dtype: DType) -> u64 {
        let bits = self.next() ^ self.next() << 32;
        match dtype {
            DType::Bool => bits & 1,
            _ if dtype.is_int() => mask(dtype, bits >> (bits % 64)),
            _ => {
                let unit = (bits >> 11) as f64 / (1u64 << 53) as f64;
                from_float(dtype, (2.0 * unit - 1.0) * 2f64.powi((bits % 7) as i32 - 2))
            }
        }
    }
}
