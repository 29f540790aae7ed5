//! Writes the typed views of ops, `src/ops/generated`, from the rows of the op table, and holds the files that are there against it.
//!
//! `cargo xtask codegen` runs this test with `TRIDENT_CODEGEN=1`, which writes the files. They are generated, as macros that
//! make the same functions would double the time in which the crate is checked.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use trident_ir::op::shared::{SHARED, Shared};
use trident_ir::op::{Arity, AttrDecl, Default, OpDecl};
use trident_ir::{AttrKind, OpKind};

const HEAD: &str = "// Generated from the op table by `cargo xtask codegen`.\n";

/// The type by which a view gives the values of an attribute.
fn given(attr: &AttrDecl) -> String {
    let list = matches!(attr.kind(), AttrKind::Ints | AttrKind::Floats | AttrKind::Strs);
    match (attr.rust, attr.kind()) {
        ("Flag", _) => "bool".to_owned(),
        ("Str", _) => "&'a str".to_owned(),
        (_, kind) if list => format!("&'a [{}]", element(kind)),
        ("Type", _) => "&'a Type".to_owned(),
        ("Tensor", _) => "&'a Literal".to_owned(),
        _ => taken(attr),
    }
}

/// The type by which a value of an attribute is set.
fn taken(attr: &AttrDecl) -> String {
    match attr.kind() {
        AttrKind::Str if attr.rust == "Str" => "String".to_owned(),
        AttrKind::Str => attr.rust.to_owned(),
        AttrKind::Int if attr.rust == "Flag" => "bool".to_owned(),
        AttrKind::Int => "i64".to_owned(),
        AttrKind::Float => "f32".to_owned(),
        AttrKind::DType => "DType".to_owned(),
        AttrKind::Type => "Type".to_owned(),
        AttrKind::Tensor => "Literal".to_owned(),
        kind => format!("Vec<{}>", element(kind)),
    }
}

fn element(kind: AttrKind) -> &'static str {
    match kind {
        AttrKind::Ints => "i64",
        AttrKind::Floats => "f32",
        _ => "String",
    }
}

/// The path of an attribute's kind.
fn kind(attr: &AttrDecl) -> String {
    match attr.texts.is_empty() {
        true => format!("kinds::{}", attr.rust),
        false => attr.rust.to_owned(),
    }
}

/// The functions of a view, and the places that they read.
fn view(decl: &OpDecl) -> String {
    let name = decl.variant;
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").unwrap();
    let names = decl.operands.iter().map(|o| o.name).chain(decl.results.iter().map(|r| r.name));
    let operands = decl.operands.iter().enumerate().map(|(at, o)| (o.name, at));
    let results = decl.results.iter().enumerate().map(|(at, r)| (r.name, at));
    let fields: Vec<String> = names.map(|name| format!("pub {name}: usize")).collect();
    let places: Vec<String> =
        operands.chain(results).map(|(name, at)| format!("{name}: {at}")).collect();
    line(format_args!("\n/// A view of [`OpKind::{name}`].\n#[derive(Clone, Copy)]"));
    line(format_args!("pub struct {name}<'a>(&'a Op);"));
    line(format_args!("\n/// Places of the operands and results of [`OpKind::{name}`]."));
    line(format_args!("pub struct {name}At {{ {} }}", fields.join(", ")));
    line(format_args!("\nimpl<'a> {name}<'a> {{"));
    line(format_args!("    pub const KIND: OpKind = OpKind::{name};"));
    line(format_args!("    pub const AT: {name}At = {name}At {{ {} }};", places.join(", ")));
    line(format_args!(
        "    #[inline] pub fn of(op: &'a Op) -> Option<{name}<'a>> {{ view::fits(op, Self::KIND).then_some({name}(op)) }}"
    ));
    line(format_args!("    #[inline] pub fn as_op(self) -> &'a Op {{ self.0 }}"));
    for (at, operand) in decl.operands.iter().enumerate() {
        let (of, body) = match operand.arity {
            Arity::One => ("ValueId", format!("view::operand(self.0, {at})")),
            Arity::Optional => ("Option<ValueId>", format!("self.0.input({at})")),
            Arity::Many => (
                "impl ExactSizeIterator<Item = ValueId> + 'a",
                format!("view::operands(self.0, {at})"),
            ),
        };
        line(format_args!("    #[inline] pub fn {}(self) -> {of} {{ {body} }}", operand.name));
    }
    for (at, result) in decl.results.iter().enumerate() {
        let (of, body) = match result.arity {
            Arity::Many => ("&'a [Option<ValueId>]", format!("view::results(self.0, {at})")),
            _ => ("Option<ValueId>", format!("self.0.output({at})")),
        };
        line(format_args!("    #[inline] pub fn {}(self) -> {of} {{ {body} }}", result.name));
    }
    for attr in decl.attrs {
        line(format_args!("{}", reader(attr)));
    }
    for Shared { name, accessor, .. } in groups(decl) {
        let body = format!("super::{name}(self.0)");
        let of = format!("super::{name}<'a>");
        line(format_args!("    #[inline] pub fn {accessor}(self) -> {of} {{ {body} }}"));
    }
    line(format_args!("}}"));
    text
}

/// Groups of attributes of which the row has all.
fn groups(decl: &OpDecl) -> impl Iterator<Item = &'static Shared> {
    SHARED.iter().filter(|group| group.attrs.iter().all(|name| decl.attr(name).is_some()))
}

/// The view of a group of attributes.
fn shared(group: &Shared) -> String {
    let rows: Vec<&OpDecl> = OpKind::ALL
        .iter()
        .map(|kind| kind.decl())
        .filter(|decl| groups(decl).any(|own| own.name == group.name))
        .collect();
    let name = group.name;
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").unwrap();
    let kinds: Vec<String> = rows.iter().map(|row| format!("K::{}", row.variant)).collect();
    line(format_args!("\n/// The attributes {} of an op that has them.", group.attrs.join(", ")));
    line(format_args!("#[derive(Clone, Copy)]\npub struct {name}<'a>(pub(super) &'a Op);"));
    line(format_args!("\nimpl<'a> {name}<'a> {{"));
    line(format_args!("    pub fn of(op: &'a Op) -> Option<{name}<'a>> {{"));
    line(format_args!("        let has = matches!(op.kind, {});", kinds.join(" | ")));
    line(format_args!("        (has && view::fits(op, op.kind)).then_some({name}(op))"));
    line(format_args!("    }}"));
    for attr in group.attrs {
        let declared: Vec<_> = rows.iter().filter_map(|row| row.attr(attr)).collect();
        // Where some rows require it and others do not, it may be absent.
        let absent = declared.iter().find(|d| matches!(d.default, Default::Absent(_)));
        let taken = absent.unwrap_or(&declared[0]);
        for other in &declared {
            let fits = other.default == taken.default || absent.is_some() && other.is_required();
            assert!(other.rust == taken.rust && fits, "rows differ in `{attr}` of {name}");
        }
        line(format_args!("{}", reader(taken)));
    }
    line(format_args!("}}"));
    text
}

/// The function of a view that reads an attribute.
fn reader(attr: &AttrDecl) -> String {
    let (name, kind, of) = (attr.name, kind(attr), given(attr));
    let (of, read) = match attr.default {
        Default::Absent(_) => (format!("Option<{of}>"), "optional"),
        _ => (of, "attr"),
    };
    let body = format!("view::{read}::<{kind}>(self.0, {name:?})");
    format!("    #[inline] pub fn {name}(self) -> {of} {{ {body} }}")
}

/// The constructor and the setters of a view.
fn setters(decl: &OpDecl) -> String {
    let name = decl.variant;
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").unwrap();
    let params: Vec<String> = decl
        .operands
        .iter()
        .map(|operand| {
            let of = match operand.arity {
                Arity::One => "ValueId",
                Arity::Optional => "Option<ValueId>",
                Arity::Many => "&[ValueId]",
            };
            format!("{}: {of}", operand.name)
        })
        .collect();
    let inputs: Vec<String> = decl
        .operands
        .iter()
        .filter(|operand| operand.arity != Arity::Many)
        .map(|operand| match operand.arity {
            Arity::One => format!("Some({})", operand.name),
            _ => operand.name.to_owned(),
        })
        .collect();
    let many = decl.operands.iter().find(|operand| operand.arity == Arity::Many);
    let many = many.map_or("&[]", |operand| operand.name);
    line(format_args!("\nimpl {name}<'static> {{"));
    line(format_args!("    pub fn new({}) -> New<Self> {{", params.join(", ")));
    line(format_args!("        view::new(OpKind::{name}, vec![{}], {many})", inputs.join(", ")));
    line(format_args!("    }}"));
    line(format_args!(
        "    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> {{ view::edit(op, OpKind::{name}) }}"
    ));
    line(format_args!("}}"));
    if !decl.attrs.is_empty() {
        line(format_args!("\nimpl<O: BorrowMut<Op>> Set<{name}<'static>, O> {{"));
        for attr in decl.attrs {
            let (name, kind, of) = (attr.name, kind(attr), taken(attr));
            let body = format!("self.put::<{kind}>({name:?}, value)");
            line(format_args!(
                "    #[inline] pub fn {name}(self, value: {of}) -> Self {{ {body} }}"
            ));
        }
        line(format_args!("}}"));
    }
    text
}

/// The import of the enumerations that these attributes are of; empty if there are none.
fn words(attrs: impl Iterator<Item = &'static AttrDecl>) -> String {
    let words: BTreeSet<&str> =
        attrs.filter(|attr| !attr.texts.is_empty()).map(|attr| attr.rust).collect();
    match words.is_empty() {
        true => String::new(),
        false => {
            let words = words.into_iter().collect::<Vec<_>>().join(", ");
            format!("use crate::op::words::{{{words}}};\n")
        }
    }
}

/// The import of these names and of the types that the code uses.
fn types(names: &[&'static str], code: &str) -> String {
    let is_used = |name: &str| {
        let is_word = |line: &str| line.split(|c: char| !c.is_alphanumeric()).any(|w| w == name);
        code.lines().any(|line| is_word(&line.replace("kinds::", "kinds")))
    };
    let types = ["DType", "Literal", "Type", "ValueId"].into_iter().filter(|name| is_used(name));
    let mut names: Vec<&str> = names.iter().copied().chain(types).collect();
    names.sort_unstable();
    format!("use crate::{{{}}};\n", names.join(", "))
}

/// The text of each file, by its name.
fn files() -> BTreeMap<String, String> {
    let mut families: BTreeMap<String, Vec<&OpDecl>> = BTreeMap::new();
    for kind in OpKind::ALL {
        let decl = kind.decl();
        families.entry(format!("{:?}", decl.group).to_lowercase()).or_default().push(decl);
    }
    let mut files = BTreeMap::new();
    let mut root = HEAD.to_owned();
    for (family, decls) in &families {
        let module = if family == "move" { "r#move" } else { family };
        write!(root, "\n#[rustfmt::skip]\nmod {module};\npub use {module}::*;\n").unwrap();
        let mut body = String::new();
        for decl in decls {
            body += &view(decl);
            body += &setters(decl);
        }
        let mut text = format!(
            "{HEAD}#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]\n\n"
        );
        let has = |part: &str| body.contains(part);
        if has("kinds::") {
            text += "use crate::op::kinds;\n";
        }
        text += "use crate::op::view::{self, New, Set};\n";
        text += &words(decls.iter().flat_map(|decl| decl.attrs));
        text += &types(&["Op", "OpKind"], &body);
        if has("BorrowMut") {
            text += "use std::borrow::BorrowMut;\n";
        }
        files.insert(format!("{family}.rs"), text + &body);
    }
    let groups: String = SHARED.iter().map(shared).collect();
    let attrs = OpKind::ALL.iter().flat_map(|kind| kind.decl().attrs);
    let in_groups =
        attrs.filter(|attr| SHARED.iter().any(|group| group.attrs.contains(&attr.name)));
    let words = words(in_groups.filter(|attr| groups.contains(&format!("{}>", attr.rust))));
    let uses =
        "use crate::op::{kinds, view};\n".to_owned() + &types(&["Op", "OpKind as K"], &groups);
    files.insert("shared.rs".to_owned(), format!("{HEAD}\n{words}{uses}{groups}"));
    root += "\n#[rustfmt::skip]\nmod shared;\npub use shared::*;\n";
    files.insert("mod.rs".to_owned(), root);
    files
}

#[test]
fn views_are_those_of_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ops/generated");
    let files = files();
    if std::env::var_os("TRIDENT_CODEGEN").is_some() {
        for entry in fs::read_dir(&folder).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for (name, text) in &files {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let there: BTreeMap<String, String> = names
        .map(|name| {
            let text = fs::read_to_string(folder.join(&name)).unwrap();
            (name.into_string().unwrap(), text)
        })
        .collect();
    assert!(there == files, "the op table has changed: run `cargo xtask codegen`");
}
