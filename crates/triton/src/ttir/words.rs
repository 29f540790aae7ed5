//! Enumerations that MLIR's generic form gives by number, and older versions under other names. The tree has words, and
//! the names of Triton 3.9.

use super::{Attr, AttrDict};
use std::borrow::Cow;

/// An enumeration as an attribute of some ops.
struct Enumeration {
    ops: &'static [&'static str],
    /// The attribute's names; the first is the one of the tree.
    names: &'static [&'static str],
    /// The number of the first word.
    first: i64,
    words: &'static [&'static str],
}

const fn row(
    ops: &'static [&'static str],
    names: &'static [&'static str],
    first: i64,
    words: &'static [&'static str],
) -> Enumeration {
    Enumeration { ops, names, first, words }
}

const ORDERED: &[&str] =
    &["tt.atomic_rmw", "tt.atomic_cas", "tt.atomic_load", "tt.atomic_store", "tt.atomic_poll"];
const FORMATS: &[&str] = &["e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "bf16", "fp16"];

const ENUMERATIONS: &[Enumeration] = &[
    row(&["tt.get_program_id", "tt.get_num_programs"], &["axis"], 0, &["x", "y", "z"]),
    row(
        &["arith.cmpi"],
        &["predicate"],
        0,
        &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"],
    ),
    row(
        &["arith.cmpf"],
        &["predicate"],
        0,
        &[
            "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
            "ule", "une", "uno", "true",
        ],
    ),
    row(
        &["arith.truncf"],
        &["roundingmode"],
        0,
        &["to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"],
    ),
    row(&["tt.fp_to_fp"], &["rounding"], 0, &["rtz", "rtne"]),
    row(&["tt.clampf"], &["propagateNan"], 0, &["none"]),
    row(&["tt.clampf"], &["propagateNan"], 0xffff, &["all"]),
    row(ORDERED, &["sem"], 1, &["relaxed", "acquire", "release", "acq_rel"]),
    row(ORDERED, &["scope"], 1, &["gpu", "cta", "sys"]),
    row(
        &["tt.atomic_rmw"],
        &["atomic_rmw_op"],
        1,
        &["and", "or", "xor", "add", "fadd", "max", "min", "umax", "umin", "exch"],
    ),
    row(
        &["tt.descriptor_reduce"],
        &["kind"],
        1,
        &["add", "min", "max", "inc", "dec", "and", "or", "xor"],
    ),
    row(&["tt.dot"], &["inputPrecision"], 0, &["tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"]),
    row(&["tt.dot_scaled"], &["lhs", "a_elem_type"], 0, FORMATS),
    row(&["tt.dot_scaled"], &["rhs", "b_elem_type"], 0, FORMATS),
    row(
        &["tt.load", "tt.store", "tt.descriptor_load"],
        &["cacheModifier", "cache"],
        1,
        &["none", "ca", "cg", "wb", "cs", "wt", "cv"],
    ),
    row(
        &["tt.load", "tt.store", "tt.descriptor_load"],
        &["evictionPolicy", "evict"],
        1,
        &["evict_normal", "evict_first", "evict_last"],
    ),
];

/// Writes the words of an op's enumerations for their numbers. A number without a word stays.
pub(super) fn spell(op: &str, dict: &mut AttrDict) {
    for (name, value) in &mut dict.0 {
        let rows = ENUMERATIONS.iter().filter(|e| e.ops.contains(&op));
        let alone = *value == Attr::Unit;
        let named = |e: &&Enumeration| e.names.contains(&&**name);
        if let Some(e) = rows.clone().find(|e| alone && e.words.contains(&&**name)) {
            // The keyword stands alone.
            *value = Attr::Word(std::mem::take(name));
            *name = e.names.first().copied().unwrap_or_default().into();
            continue;
        }
        for e in rows.filter(named) {
            if let Attr::Int(number, _) = *value {
                let place = number.checked_sub(e.first).and_then(|n| usize::try_from(n).ok());
                if let Some(word) = place.and_then(|n| e.words.get(n)) {
                    *value = Attr::Word(Cow::Borrowed(word));
                }
            }
            if let (Attr::Word(_), Some(&first)) = (&*value, e.names.first()) {
                *name = Cow::Borrowed(first);
                break;
            }
        }
    }
}
