//! The versions of operator sets, and which of them have an op as it is.
//!
//! `operators.txt` lists for each version of an operator its attributes, numbers of operands and results, and element
//! types; `python -m onnx_suite.operators` makes it from the standard's own schemas. The importer's table of changes
//! ([`crate::opset`]) says from which version on an operator has its present meaning. Before version [`OLDEST`], other
//! operators had other meanings without a change of form (negative axes and indices, flattened softmax), so no older
//! version is written.

use super::error::ExportError;
use crate::{catalog, opset};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;
use trident_ir::op::{Default, Onnx};
use trident_ir::{Attr, DType, Func, Op, OpKind, Type, generic, ops};

/// The oldest version of `ai.onnx` that is written.
const OLDEST: i64 = 13;

/// Operators of later versions are written as others where that is possible: version 22 is of 2024, and most runtimes
/// that are in use read it.
const COMMON: i64 = 22;

/// Texts of attributes that are younger than the attribute: the schemas do not list texts.
static TEXTS: &[(OpKind, &str, &str, i64)] = &[
    (OpKind::Pad, "mode", "wrap", 19),
    (OpKind::Resize, "coordinate_transformation_mode", "half_pixel_symmetric", 19),
    (OpKind::ScatterElements, "reduction", "max", 18),
    (OpKind::ScatterElements, "reduction", "min", 18),
    (OpKind::ScatterND, "reduction", "max", 18),
    (OpKind::ScatterND, "reduction", "min", 18),
];

/// Ops whose first operand may have another element type than the second one from a version on. The schemas' types of single
/// places do not show which ones must be the same.
static UNTIED: &[(OpKind, i64)] = &[(OpKind::BatchNormalization, 15), (OpKind::QuantizeLinear, 23)];

/// Texts of attributes that no version in reach has.
static GONE: &[(OpKind, &str, &str)] =
    &[(OpKind::Resize, "coordinate_transformation_mode", "tf_half_pixel_for_nn")];

/// Versions of the file format, by the first version of `ai.onnx` that needs them, and of `ai.onnx.ml`.
static FORMATS: &[(&str, i64, i64)] = &[
    ("", 13, 7),
    ("", 15, 8),
    ("", 19, 9),
    ("", 21, 10),
    ("", 23, 11),
    ("", 24, 12),
    ("", 25, 13),
    ("", 28, 14),
    ("ai.onnx.ml", 3, 8),
    ("ai.onnx.ml", 4, 9),
    ("ai.onnx.ml", 5, 10),
];

/// The types that a place of an operator takes.
struct Takes {
    /// Element types of tensors.
    dtypes: Vec<DType>,
    /// Names of other types, whatever they hold.
    others: Vec<&'static str>,
}

impl Takes {
    fn has(&self, ty: &Type) -> bool {
        match ty {
            Type::Tensor(tensor) => self.dtypes.contains(&tensor.dtype),
            Type::Seq(_) => self.others.contains(&"seq"),
            Type::Optional(_) => self.others.contains(&"optional"),
            Type::Map(..) => self.others.contains(&"map"),
            Type::Pointer(_) | Type::Descriptor(_) | Type::Matrix(_) | Type::Accumulator(_) => {
                false
            }
        }
    }
}

/// A version of an operator.
struct Version {
    since: i64,
    /// The greatest numbers of operands and results.
    counts: [usize; 2],
    attrs: Vec<&'static str>,
    /// For operands and results: the types of each; the last entry also holds for further ones.
    takes: [Vec<&'static Takes>; 2],
}

/// Versions by operator set and operator, the oldest first.
type Table = HashMap<(&'static str, &'static str), Vec<Version>>;

static TABLE: LazyLock<Table> = LazyLock::new(|| table().unwrap_or_default());

/// The table of `operators.txt`; `None` if the text is not in its form, which a test rules out.
fn table() -> Option<Table> {
    static TAKES: LazyLock<HashMap<&str, Takes>> = LazyLock::new(|| {
        let sets = include_str!("operators.txt").lines().filter_map(|line| line.split_once(" = "));
        let takes = |names: &'static str| Takes {
            dtypes: names.split(' ').filter_map(|name| name.parse().ok()).collect(),
            // 6-bit floats, which are not types of ours, are among them.
            others: names.split(' ').filter(|name| name.parse::<DType>().is_err()).collect(),
        };
        sets.map(|(name, names)| (name, takes(names))).collect()
    });
    let list = |text: &'static str| text.split(' ').filter(|word| *word != "-");
    let count = |text: &str| if text == "*" { Some(usize::MAX) } else { text.parse().ok() };
    let takes = |text| list(text).map(|name| TAKES.get(name)).collect::<Option<Vec<_>>>();
    let mut table = Table::new();
    let lines = include_str!("operators.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#') && !line.contains(" = ")) {
        let mut parts = line.split(" | ");
        let mut part = || parts.next();
        let (head, counts, attrs, operands, results) =
            (part()?, part()?, part()?, part()?, part()?);
        let mut head = head.split(' ');
        let (domain, name, since) = (head.next()?, head.next()?, head.next()?.parse().ok()?);
        let (most_operands, most_results) = counts.split_once(' ')?;
        table.entry((catalog::canonical(domain), name)).or_default().push(Version {
            since,
            counts: [count(most_operands)?, count(most_results)?],
            attrs: list(attrs).collect(),
            takes: [takes(operands)?, takes(results)?],
        });
    }
    Some(table)
}

/// The attribute's name in files.
pub(super) fn spelled(kind: OpKind, attr: &'static str) -> &'static str {
    match (kind, attr) {
        (OpKind::Optional, "elem_type") => "type",
        (OpKind::Gemm, "trans_a") => "transA",
        (OpKind::Gemm, "trans_b") => "transB",
        _ => attr,
    }
}

/// The version that brought the operator of an op.
pub(super) fn since(kind: OpKind) -> Option<i64> {
    kind.decl().onnx.map(|onnx| onnx.since)
}

/// The newest version whose operators are kept as they are where others could stand for them.
pub(super) fn limit(opset: Option<i64>) -> Result<i64, ExportError> {
    let newest = catalog::newest("").unwrap_or(OLDEST);
    match opset {
        None => Ok(COMMON),
        Some(given) if (OLDEST..=newest).contains(&given) => Ok(given),
        Some(given) => Err(ExportError::Opset { given, oldest: OLDEST, newest }),
    }
}

/// The operator of an op.
pub(super) fn operator(op: &Op) -> Result<Onnx, ExportError> {
    op.decl().onnx.ok_or_else(|| ExportError::NoOperator { op: op.describe() })
}

/// The attributes that an op sets, by their names in files, and whether each has the value of its default.
pub(super) fn attributes<'a>(
    op: &'a Op,
) -> impl Iterator<Item = (&'static str, &'a Attr, bool)> + 'a {
    op.decl().attrs.iter().filter_map(|decl| {
        let value = generic::get(op, decl)?;
        let is_default = decl.default_value().as_ref() == Some(value);
        Some((spelled(op.kind, decl.name), value, is_default))
    })
}

/// Checks that an op sets no attribute that only passes set.
fn check_internal(op: &Op) -> Result<(), ExportError> {
    for decl in op.decl().attrs.iter().filter(|decl| decl.internal) {
        let set = generic::get(op, decl).is_some_and(|value| {
            decl.default_value().as_ref() != Some(value)
                || matches!(decl.default, Default::Absent(_))
        });
        if set {
            return Err(ExportError::Internal { op: op.describe(), attr: decl.name });
        }
    }
    Ok(())
}

impl Version {
    /// Checks that this version has all that the op uses; an error names the part that it lacks.
    fn check(&self, func: &Func, op: &Op) -> Result<(), String> {
        for (name, _, is_default) in attributes(op) {
            if !self.has(name) && !is_default {
                return Err(format!("the attribute `{name}`"));
            }
        }
        let values = [("operand", &op.inputs), ("result", &op.outputs)];
        for (what, values) in values {
            let place = usize::from(what == "result");
            let used = values.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            if used > self.counts[place] {
                return Err(format!("{used} {what}s"));
            }
            for (i, value) in values.iter().enumerate() {
                let (Some(value), takes) = (value, &self.takes[place]) else { continue };
                let Some(takes) = takes.get(i).or(takes.last()) else { continue };
                let ty = func.ty(*value);
                if !takes.has(ty) {
                    return Err(format!("{what} {i} (`{}`) as {ty}", func.info(*value).name));
                }
            }
        }
        Ok(())
    }

    /// Whether it has an attribute.
    fn has(&self, name: &str) -> bool {
        self.attrs.contains(&name)
    }
}

/// The versions of an op's operator; empty for operator sets without a version of their own, such as ONNX Runtime's.
fn versions(onnx: Onnx) -> &'static [Version] {
    TABLE.get(&(onnx.domain, onnx.name)).map_or(&[], Vec::as_slice)
}

/// The oldest version of the op's operator set that has the op as it is.
fn oldest(func: &Func, op: &Op, onnx: Onnx) -> Result<i64, ExportError> {
    check_internal(op)?;
    if let Some((_, name, text)) =
        GONE.iter().find(|(kind, name, text)| *kind == op.kind && has_text(op, name, text))
    {
        let what = format!("`{name}` as `{text}` from version {OLDEST} on");
        return Err(ExportError::Misfit { op: op.describe(), operator: onnx.name, what });
    }
    let floor = if onnx.domain.is_empty() { OLDEST.max(onnx.since) } else { onnx.since };
    let versions = versions(onnx);
    let mut lacking = None;
    let found = versions.iter().find(|version| match version.check(func, op) {
        Ok(()) => true,
        Err(what) => {
            lacking = Some(what);
            false
        }
    });
    match (found, lacking) {
        (None, Some(what)) => {
            Err(ExportError::Misfit { op: op.describe(), operator: onnx.name, what })
        }
        (found, _) => {
            let form = found.map_or(floor, |version| version.since.max(floor));
            let parts = [of_texts(op), of_types(func, op), of_remainder(func, op)];
            Ok(parts.into_iter().fold(form.max(opset::settled(op.kind)), i64::max))
        }
    }
}

/// Whether an op has a text as an attribute.
fn has_text(op: &Op, name: &str, text: &str) -> bool {
    attributes(op).any(|(n, v, _)| n == name && matches!(v, Attr::Str(v) if v == text))
}

/// The oldest version in which the element types of the op's operands may differ as they do.
fn of_types(func: &Func, op: &Op) -> i64 {
    let dtype = |i| op.input(i).and_then(|id| func.ty(id).dtype());
    let untied = UNTIED.iter().filter(|(kind, _)| *kind == op.kind && dtype(0) != dtype(1));
    untied.map(|(_, since)| *since).max().unwrap_or(0)
}

/// The oldest version that has the texts of the op's attributes.
fn of_texts(op: &Op) -> i64 {
    let texts = TEXTS.iter().filter(|(kind, ..)| *kind == op.kind);
    let set = texts.filter(|(_, name, text, _)| has_text(op, name, text));
    set.map(|(.., since)| *since).max().unwrap_or(0)
}

/// The oldest version that defines the remainder of floats with the sign of the divisor.
fn of_remainder(func: &Func, op: &Op) -> i64 {
    let floats = op.used().any(|id| func.ty(id).dtype().is_some_and(DType::is_float));
    match ops::Mod::of(op) {
        Some(remainder) if floats && !remainder.fmod() => 28,
        _ => 0,
    }
}

/// The oldest version of `ai.onnx` whose values have an element type.
fn of_type(dtype: DType) -> i64 {
    let versions = TABLE.get(&("", "Identity")).map_or(&[][..], Vec::as_slice);
    let has = |v: &&Version| v.takes[0].first().is_some_and(|takes| takes.dtypes.contains(&dtype));
    versions.iter().find(has).map_or(OLDEST, |version| version.since)
}

/// The versions of operator sets that a model declares.
pub(super) struct Versions {
    declared: BTreeMap<&'static str, i64>,
}

impl Versions {
    /// The oldest versions that hold a function, or the demanded version of `ai.onnx`.
    pub(super) fn of(func: &Func, opset: Option<i64>) -> Result<Versions, ExportError> {
        let mut declared = BTreeMap::from([("", opset.unwrap_or(OLDEST))]);
        let mut checked = Ok(());
        func.body.walk(&mut |op| {
            if checked.is_ok() && op.kind != OpKind::Constant {
                checked = operator(op).and_then(|onnx| {
                    let needs = oldest(func, op, onnx)?;
                    let given = declared.entry(onnx.domain).or_insert(needs);
                    match opset.filter(|given| onnx.domain.is_empty() && needs > *given) {
                        Some(given) => {
                            let domain = catalog::display(onnx.domain);
                            Err(ExportError::TooOld { op: op.describe(), domain, needs, given })
                        }
                        None => {
                            *given = needs.max(*given);
                            Ok(())
                        }
                    }
                });
            }
        });
        checked?;
        if opset.is_none() {
            let of_values = func.values.iter().filter_map(|value| value.ty.dtype()).map(of_type);
            let needs = of_values.max().unwrap_or(OLDEST);
            declared.entry("").and_modify(|given| *given = needs.max(*given));
        }
        let versions = Versions { declared };
        let mut checked = Ok(());
        func.body.walk(&mut |op| {
            if checked.is_ok() && op.kind != OpKind::Constant {
                checked = versions.check(func, op);
            }
        });
        checked.map(|()| versions)
    }

    /// Checks that the declared version has an op as it is: another op may need one that has dropped a part of it.
    fn check(&self, func: &Func, op: &Op) -> Result<(), ExportError> {
        let onnx = operator(op)?;
        let Some(version) = self.version(onnx) else { return Ok(()) };
        version.check(func, op).map_err(|what| ExportError::TooNew {
            op: op.describe(),
            domain: catalog::display(onnx.domain),
            given: self.declared.get(onnx.domain).copied().unwrap_or(0),
            what,
        })
    }

    /// The version of an operator that the declared operator set has.
    fn version(&self, onnx: Onnx) -> Option<&'static Version> {
        let declared = self.declared.get(onnx.domain).copied()?;
        versions(onnx).iter().rfind(|version| version.since <= declared)
    }

    /// The attributes to write: without those that have the value of their default and do not exist in the declared version.
    pub(super) fn attributes<'a>(
        &self,
        op: &'a Op,
        onnx: Onnx,
    ) -> impl Iterator<Item = (&'static str, &'a Attr)> + 'a {
        let version = self.version(onnx);
        attributes(op)
            .filter(move |(name, _, is_default)| {
                !is_default || version.is_none_or(|version| version.has(name))
            })
            .map(|(name, value, _)| (name, value))
    }

    /// Operator sets and their versions.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, i64)> + '_ {
        self.declared.iter().map(|(domain, version)| (*domain, *version))
    }

    /// The oldest version of the file format that has these operator sets.
    pub(super) fn ir_version(&self) -> i64 {
        let needed = FORMATS.iter().filter(|(domain, since, _)| {
            self.declared.get(domain).is_some_and(|version| version >= since)
        });
        needed.map(|(.., format)| *format).max().unwrap_or(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_operators_is_read_to_its_end() {
        let table = table().unwrap();
        let relu = &table[&("", "Relu")];
        assert_eq!(relu.iter().map(|v| v.since).collect::<Vec<_>>(), [13, 14]);
        assert!(!relu[0].takes[0][0].dtypes.contains(&DType::I32));
        assert!(relu[1].takes[0][0].dtypes.contains(&DType::I32));
    }

    /// Rows agree with the standard's schemas: each attribute of a row exists in some version of its operator, and each place.
    #[test]
    fn rows_have_the_attributes_of_the_schemas() {
        for kind in OpKind::ALL {
            let decl = kind.decl();
            let Some(onnx) = decl.onnx.filter(|onnx| catalog::newest(onnx.domain).is_some()) else {
                continue;
            };
            let versions = versions(onnx);
            if onnx.domain.starts_with("ai.onnx.preview") {
                continue;
            }
            let last = versions.last().unwrap_or_else(|| panic!("{} is not listed", onnx.name));
            assert!(last.since <= catalog::newest(onnx.domain).unwrap(), "{}", onnx.name);
            for attr in decl.attrs.iter().filter(|attr| !attr.internal) {
                let name = spelled(*kind, attr.name);
                assert!(last.has(name), "{}: the attribute `{name}`", onnx.name);
            }
        }
    }
}
