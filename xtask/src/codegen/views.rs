//! Writes the kinds of ops and their typed views.

use super::rows::{Arity, Attr, Row, Unset};
use anyhow::{Context, Result, ensure};
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const HEAD: &str = "// Generated from the rows of ops by `cargo xtask codegen`.\n";

/// Rows of a file of `crates/ir/src/ops`, by its name.
pub(crate) type Families = BTreeMap<String, Vec<Row>>;

/// A group of attributes that several rows share. It has its own view, which the function `accessor` of the ops' views
/// returns.
struct Shared {
    name: String,
    accessor: String,
    attrs: Vec<String>,
}

/// The groups of attributes that `crates/ir/src/op/shared.rs` declares.
fn shared_groups(text: &str) -> Result<Vec<Shared>> {
    let group = Regex::new(
        r#"Shared \{\s*name: "(\w+)",\s*accessor: "(\w+)",\s*attrs: &\[([^\]]*)\],?\s*\}"#,
    )?;
    let groups = group.captures_iter(text).map(|found| Shared {
        name: found[1].to_owned(),
        accessor: found[2].to_owned(),
        attrs: found[3].split('"').skip(1).step_by(2).map(str::to_owned).collect(),
    });
    Ok(groups.collect())
}

impl Shared {
    fn fits(&self, row: &Row) -> bool {
        self.attrs.iter().all(|name| row.attrs.iter().any(|attr| attr.name == *name))
    }
}

/// The kinds of `crates/ir/src/op/kinds.rs`: how views give their values and how they are set. Others are enumerations.
const KINDS: &[(&str, &str, &str)] = &[
    ("DType", "DType", "DType"),
    ("Flag", "bool", "bool"),
    ("Float", "f32", "f32"),
    ("Floats", "&'a [f32]", "Vec<f32>"),
    ("Int", "i64", "i64"),
    ("Ints", "&'a [i64]", "Vec<i64>"),
    ("Str", "&'a str", "String"),
    ("Strs", "&'a [String]", "Vec<String>"),
    ("Tensor", "&'a Literal", "Literal"),
    ("Type", "&'a Type", "Type"),
];

impl Attr {
    fn known(&self) -> Option<&'static (&'static str, &'static str, &'static str)> {
        KINDS.iter().find(|(name, ..)| *name == self.kind)
    }

    /// The path of its kind.
    fn path(&self) -> String {
        match self.known() {
            Some((name, ..)) => format!("kinds::{name}"),
            None => self.kind.clone(),
        }
    }

    /// The type by which views give its values.
    fn given(&self) -> &str {
        self.known().map_or(&self.kind, |(_, given, _)| given)
    }

    /// The type by which its values are set.
    fn taken(&self) -> &str {
        self.known().map_or(&self.kind, |(.., taken)| taken)
    }

    /// The function of a view that reads it.
    fn reader(&self) -> String {
        let (name, of) = (&self.name, self.given());
        let (of, read) = match self.unset {
            Unset::Absent => (format!("Option<{of}>"), "optional"),
            _ => (of.to_owned(), "attr"),
        };
        let body = format!("view::{read}(self.0, Self::AT.{name})");
        format!("    #[inline] pub fn {name}(self) -> {of} {{ {body} }}\n")
    }
}

/// The fields of a struct with the places of values and the names of attributes, and a constant of it.
fn places<'a>(
    values: impl Iterator<Item = (&'a String, usize)>,
    attrs: &[Attr],
) -> (String, String) {
    let (mut fields, mut constant) = (vec![], vec![]);
    for (name, at) in values {
        fields.push(format!("pub {name}: usize"));
        constant.push(format!("{name}: {at}"));
    }
    for attr in attrs {
        let (name, path) = (&attr.name, attr.path());
        fields.push(format!("pub {name}: AttrName<{path}>"));
        constant.push(format!("{name}: AttrName::new({name:?})"));
    }
    (fields.join(", "), constant.join(", "))
}

/// A part of a list in the text form.
fn shown(name: &str, arity: Arity) -> String {
    match arity {
        Arity::One => name.to_owned(),
        Arity::Optional => format!("{name}[opt]"),
        Arity::Many => format!("{name}[many]"),
    }
}

/// The op in the text form.
fn form(row: &Row) -> String {
    let list = |places: &[super::rows::Place]| -> String {
        let parts: Vec<String> = places.iter().map(|p| shown(&p.name, p.arity)).collect();
        parts.join(", ")
    };
    let attrs = row.attrs.iter().map(|attr| match &attr.unset {
        Unset::Required => format!("{}: {}", attr.name, attr.kind),
        Unset::Absent => format!("{}[opt]: {}", attr.name, attr.kind),
        Unset::Default(value) => format!("{}: {} = {value}", attr.name, attr.kind),
    });
    let attrs: Vec<String> = attrs.collect();
    let (results, operands) = (list(&row.results), list(&row.operands));
    format!("({results}) = {}({operands}) {{{}}}", row.name, attrs.join(", "))
}

/// The enumeration of ops, and where each one's row is.
fn kinds(families: &Families) -> Result<String> {
    let mut text = format!(
        "{HEAD}
use crate::op::OpDecl;

/// Every op. Each variant tells what it computes, and below that its form in the text, optional operands and results with
/// `[opt]`, repeated ones with `[many]`; [`OpKind::decl`] gives the same as data.
///
#[doc = include_str!(\"../../op/conventions.md\")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpKind {{
"
    );
    let rows = || families.values().flatten();
    for row in rows() {
        for line in &row.doc {
            writeln!(text, "    ///{line}")?;
        }
        writeln!(text, "    ///\n    /// `{}`\n    {},", form(row), row.variant)?;
    }
    text += "}\n\nimpl OpKind {\n    /// Every op in the order of the table.\n    pub const ALL: &'static [OpKind] = &[\n";
    for row in rows() {
        writeln!(text, "        OpKind::{},", row.variant)?;
    }
    let count = rows().count();
    writeln!(
        text,
        "    ];\n}}\n\n/// Rows by the number of their kind.\npub(crate) static TABLE: [&OpDecl; {count}] = ["
    )?;
    for (family, rows) in families {
        for at in 0..rows.len() {
            writeln!(text, "    &crate::ops::{family}::ROWS[{at}],")?;
        }
    }
    text += "];\n";
    Ok(text)
}

/// The functions of a view, and the places that they read.
fn view(row: &Row, groups: &[Shared]) -> Result<String> {
    let name = &row.variant;
    let mut text = String::new();
    let operands = row.operands.iter().enumerate();
    let values = operands.chain(row.results.iter().enumerate());
    let (fields, values) = places(values.map(|(at, place)| (&place.name, at)), &row.attrs);
    write!(
        text,
        "
/// A view of [`OpKind::{name}`].
#[derive(Clone, Copy)]
pub struct {name}<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::{name}`], and names of its attributes.
pub struct {name}At {{ {fields} }}

impl<'a> {name}<'a> {{
    pub const KIND: OpKind = OpKind::{name};
    pub const AT: {name}At = {name}At {{ {values} }};
    #[inline] pub fn of(op: &'a Op) -> Option<{name}<'a>> {{ view::fits(op, Self::KIND).then_some({name}(op)) }}
    #[inline] pub fn as_op(self) -> &'a Op {{ self.0 }}
"
    )?;
    for (at, operand) in row.operands.iter().enumerate() {
        let (of, body) = match operand.arity {
            Arity::One => ("ValueId", format!("view::operand(self.0, {at})")),
            Arity::Optional => ("Option<ValueId>", format!("self.0.input({at})")),
            Arity::Many => (
                "impl ExactSizeIterator<Item = ValueId> + 'a",
                format!("view::operands(self.0, {at})"),
            ),
        };
        writeln!(text, "    #[inline] pub fn {}(self) -> {of} {{ {body} }}", operand.name)?;
    }
    for (at, result) in row.results.iter().enumerate() {
        let (of, body) = match result.arity {
            Arity::Many => ("&'a [Option<ValueId>]", format!("view::results(self.0, {at})")),
            _ => ("Option<ValueId>", format!("self.0.output({at})")),
        };
        writeln!(text, "    #[inline] pub fn {}(self) -> {of} {{ {body} }}", result.name)?;
    }
    row.attrs.iter().for_each(|attr| text += &attr.reader());
    for Shared { name, accessor, .. } in groups.iter().filter(|group| group.fits(row)) {
        let (of, body) = (format!("super::{name}<'a>"), format!("super::{name}(self.0)"));
        writeln!(text, "    #[inline] pub fn {accessor}(self) -> {of} {{ {body} }}")?;
    }
    text += "}\n";
    Ok(text)
}

/// The constructor and the setters of a view.
fn setters(row: &Row) -> Result<String> {
    let name = &row.variant;
    let mut text = String::new();
    let params = row.operands.iter().map(|operand| {
        let of = match operand.arity {
            Arity::One => "ValueId",
            Arity::Optional => "Option<ValueId>",
            Arity::Many => "&[ValueId]",
        };
        format!("{}: {of}", operand.name)
    });
    let params: Vec<String> = params.collect();
    let single = row.operands.iter().filter(|operand| operand.arity != Arity::Many);
    let inputs = single.map(|operand| match operand.arity {
        Arity::One => format!("Some({})", operand.name),
        _ => operand.name.clone(),
    });
    let inputs: Vec<String> = inputs.collect();
    let many = row.operands.iter().find(|operand| operand.arity == Arity::Many);
    let many = many.map_or("&[]", |operand| &operand.name);
    let (params, inputs) = (params.join(", "), inputs.join(", "));
    write!(
        text,
        "
impl {name}<'static> {{
    pub fn new({params}) -> New<Self> {{
        view::new(OpKind::{name}, vec![{inputs}], {many})
    }}
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> {{ view::edit(op, OpKind::{name}) }}
}}
"
    )?;
    if !row.attrs.is_empty() {
        writeln!(text, "\nimpl<O: BorrowMut<Op>> Set<{name}<'static>, O> {{")?;
        for attr in &row.attrs {
            let (name, of) = (&attr.name, attr.taken());
            let body = format!("self.put({}::AT.{name}, value)", row.variant);
            writeln!(text, "    #[inline] pub fn {name}(self, value: {of}) -> Self {{ {body} }}")?;
        }
        text += "}\n";
    }
    Ok(text)
}

/// Whether a text has a word.
fn mentions(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    text.split(|c| !is_part(c)).any(|found| found == word)
}

/// The names of enumerations among attributes, as an import.
fn words<'a>(attrs: impl Iterator<Item = &'a Attr>) -> String {
    let words: BTreeSet<&str> =
        attrs.filter(|attr| attr.known().is_none()).map(|attr| attr.kind.as_str()).collect();
    let words: Vec<&str> = words.into_iter().collect();
    match words.is_empty() {
        true => String::new(),
        false => format!("use crate::op::words::{{{}}};\n", words.join(", ")),
    }
}

/// The views of a family.
fn family(rows: &[Row], groups: &[Shared]) -> Result<String> {
    let mut body = String::new();
    for row in rows {
        body += &view(row, groups)?;
        body += &setters(row)?;
    }
    let mut text =
        format!("{HEAD}#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]\n\n");
    if body.contains("kinds::") {
        text += "use crate::op::kinds;\n";
    }
    text += "use crate::op::view::{self, New, Set};\n";
    text += &words(rows.iter().flat_map(|row| &row.attrs));
    let uses = ["AttrName", "DType", "Literal", "Op", "OpKind", "Type", "ValueId"];
    let used = uses.iter().filter(|name| ["Op", "OpKind"].contains(name) || mentions(&body, name));
    writeln!(text, "use crate::{{{}}};", used.copied().collect::<Vec<_>>().join(", "))?;
    if body.contains("BorrowMut") {
        text += "use std::borrow::BorrowMut;\n";
    }
    Ok(text + &body)
}

/// The view of a group of attributes.
fn shared(group: &Shared, families: &Families) -> Result<(String, Vec<Attr>)> {
    let rows: Vec<&Row> = families.values().flatten().filter(|row| group.fits(row)).collect();
    let name = &group.name;
    let kinds: Vec<String> = rows.iter().map(|row| format!("K::{}", row.variant)).collect();
    let mut attrs = vec![];
    for name in &group.attrs {
        let declared = rows.iter().flat_map(|row| &row.attrs).filter(|attr| attr.name == *name);
        let declared: Vec<&Attr> = declared.collect();
        // Where some rows require it and others do not, it may be absent.
        let absent = declared.iter().find(|attr| attr.unset == Unset::Absent);
        let first = declared.first().with_context(|| format!("no row has {}", group.name))?;
        let taken = *absent.unwrap_or(first);
        for other in &declared {
            let may_differ = match &other.unset {
                Unset::Required => absent.is_some(),
                // A view reads the default of the op's own row.
                Unset::Default(_) => matches!(taken.unset, Unset::Default(_)),
                Unset::Absent => false,
            };
            let fits = other.kind == taken.kind && (other.unset == taken.unset || may_differ);
            ensure!(fits, "rows differ in `{name}` of {}", group.name);
        }
        attrs.push(taken.clone());
    }
    let (fields, names) = places(std::iter::empty(), &attrs);
    let mut text = format!(
        "
/// The attributes {} of an op that has them.
#[derive(Clone, Copy)]
pub struct {name}<'a>(pub(super) &'a Op);

/// Names of these attributes.
pub struct {name}At {{ {fields} }}

impl<'a> {name}<'a> {{
    pub const AT: {name}At = {name}At {{ {names} }};
    pub fn of(op: &'a Op) -> Option<{name}<'a>> {{
        let has = matches!(op.kind, {});
        (has && view::fits(op, op.kind)).then_some({name}(op))
    }}
",
        group.attrs.join(", "),
        kinds.join(" | ")
    );
    attrs.iter().for_each(|attr| text += &attr.reader());
    text += "}\n";
    Ok((text, attrs))
}

/// The text of each generated file, by its name.
pub(crate) fn files(families: &Families, groups: &str) -> Result<BTreeMap<String, String>> {
    let groups = shared_groups(groups)?;
    let mut files = BTreeMap::new();
    let mut root = HEAD.to_owned();
    let mut module = |name: &str| {
        write!(root, "\n#[rustfmt::skip]\nmod {name};\npub use {name}::*;\n")
            .map(|()| name.to_owned())
    };
    for (name, rows) in families {
        files.insert(format!("{}.rs", module(name)?), family(rows, &groups)?);
    }
    let mut body = String::new();
    let mut attrs = vec![];
    for group in &groups {
        let (text, own) = shared(group, families)?;
        body += &text;
        attrs.extend(own);
    }
    let imports = words(attrs.iter());
    let used = ["DType", "Literal", "Type"].into_iter().filter(|name| mentions(&body, name));
    let used: String = used.map(|name| format!("{name}, ")).collect();
    let uses = format!(
        "{imports}use crate::op::{{kinds, view}};\nuse crate::{{AttrName, {used}Op, OpKind as K}};\n"
    );
    files.insert(format!("{}.rs", module("shared")?), format!("{HEAD}\n{uses}{body}"));
    root +=
        "\n#[rustfmt::skip]\nmod kinds;\npub use kinds::OpKind;\npub(crate) use kinds::TABLE;\n";
    files.insert("kinds.rs".to_owned(), kinds(families)?);
    files.insert("mod.rs".to_owned(), root);
    Ok(files)
}
