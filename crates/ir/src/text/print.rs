//! Writes modules and functions as text.

use super::lexer::{is_name_char, is_word_char};
use super::{LISTED, data};
use crate::literal::LiteralData;
use crate::{Attr, Block, Dim, Func, Literal, Module, Op, Space, Type, ValueId, ops};
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Display, Formatter, Write};

/// A text in quotes, with escapes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// A name after `%` or `@`: in quotes where it has other characters than names have.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match !self.0.is_empty() && self.0.chars().all(is_name_char) {
            true => f.write_str(self.0),
            false => Quoted(self.0).fmt(f),
        }
    }
}

/// A text that stands bare where it is a word, else in quotes.
pub(crate) struct Word<'a>(pub(crate) &'a str);

impl Display for Word<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let word = !self.0.starts_with(|c: char| c.is_ascii_digit()) && !self.0.is_empty();
        match word && self.0.chars().all(is_word_char) {
            true => f.write_str(self.0),
            false => Quoted(self.0).fmt(f),
        }
    }
}

/// Writes items with `, ` between them.
fn list<T>(
    f: &mut Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    mut item: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (i, x) in items.into_iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        item(f, x)?;
    }
    Ok(())
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.ty())?;
        match self.data() {
            _ if self.len() > LISTED && f.alternate() => f.write_str("...")?,
            LiteralData::Strings(items) => list(f, items.iter(), |f, s| Quoted(s).fmt(f))?,
            LiteralData::Bytes(bytes) => {
                let short = self.len() <= LISTED;
                match short.then(|| data::spell(self.dtype(), bytes)).flatten() {
                    Some(words) => list(f, words, |f, w| f.write_str(&w))?,
                    None => {
                        f.write_str("0x")?;
                        // Weights are long: digits go out in lines, not one by one.
                        bytes.chunks(1 << 12).try_for_each(|line| f.write_str(&data::hex(line)))?;
                    }
                }
            }
        }
        f.write_char(')')
    }
}

fn float(f: &mut Formatter<'_>, x: f32) -> fmt::Result {
    const SPELLED: [u32; 2] = [0x7fc0_0000, 0xffc0_0000];
    match x.is_nan() && !SPELLED.contains(&x.to_bits()) {
        true => write!(f, "nan(0x{:08x})", x.to_bits()),
        false => f.write_str(&data::float(x)),
    }
}

fn attr_list<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    item: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    f.write_char('[')?;
    match items.len() > LISTED && f.alternate() {
        true => f.write_str("...")?,
        false => list(f, items, item)?,
    }
    f.write_char(']')
}

impl Display for Attr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Attr::Int(v) => v.fmt(f),
            Attr::Float(v) => float(f, *v),
            Attr::Str(v) => Quoted(v).fmt(f),
            Attr::Ints(v) => attr_list(f, v, |f, v| v.fmt(f)),
            Attr::Floats(v) => attr_list(f, v, |f, v| float(f, *v)),
            Attr::Strs(v) => attr_list(f, v, |f, v| Quoted(v).fmt(f)),
            Attr::DType(v) => v.fmt(f),
            Attr::Type(v) => v.fmt(f),
            Attr::Tensor(v) => v.fmt(f),
        }
    }
}

/// Prints one function; values get distinct names even where the function has the same twice.
struct Printer<'a> {
    func: &'a Func,
    names: HashMap<ValueId, String>,
    /// Stands for the elements of long constants, if they are left out.
    describe: Option<&'a dyn Fn(&Literal) -> String>,
}

impl<'a> Printer<'a> {
    fn new(func: &'a Func, describe: Option<&'a dyn Fn(&Literal) -> String>) -> Printer<'a> {
        let mut taken = HashSet::new();
        let mut twice = vec![];
        let mut names = HashMap::new();
        for (i, info) in func.values.iter().enumerate() {
            let id = ValueId(i as u32);
            match taken.insert(info.name.as_str()) {
                true => drop(names.insert(id, info.name.clone())),
                false => twice.push(id),
            }
        }
        for id in twice {
            let base = &func.info(id).name;
            let mut name = format!("{base}#{}", id.0);
            while taken.contains(name.as_str()) {
                name.push('#');
            }
            names.insert(id, name);
        }
        Printer { func, names, describe }
    }

    fn value(&self, f: &mut Formatter<'_>, id: ValueId) -> fmt::Result {
        match self.names.get(&id) {
            Some(name) => write!(f, "%{}", Name(name)),
            // Only a broken function has such a value; its text still shows which.
            None => write!(f, "%\"#{}\"", id.0),
        }
    }

    fn optional(&self, f: &mut Formatter<'_>, id: &Option<ValueId>) -> fmt::Result {
        match id {
            Some(id) => self.value(f, *id),
            None => f.write_char('_'),
        }
    }

    fn ty(&self, f: &mut Formatter<'_>, id: ValueId) -> fmt::Result {
        match self.func.values.get(id.index()) {
            Some(info) => info.ty.fmt(f),
            None => f.write_char('?'),
        }
    }

    fn params(&self, f: &mut Formatter<'_>, params: &[ValueId]) -> fmt::Result {
        f.write_char('(')?;
        list(f, params, |f, &id| {
            self.value(f, id)?;
            f.write_str(": ")?;
            self.ty(f, id)
        })?;
        f.write_char(')')
    }

    fn block(&self, f: &mut Formatter<'_>, block: &Block, end: &str, depth: usize) -> fmt::Result {
        f.write_str("{\n")?;
        let indent = 2 * (depth + 1);
        for op in &block.ops {
            write!(f, "{:indent$}", "")?;
            self.op(f, op, depth + 1)?;
            f.write_char('\n')?;
        }
        write!(f, "{:indent$}{end}", "")?;
        for (i, &id) in block.results.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { " " })?;
            self.value(f, id)?;
        }
        write!(f, "\n{:1$}}}", "", 2 * depth)
    }

    fn op(&self, f: &mut Formatter<'_>, op: &Op, depth: usize) -> fmt::Result {
        if !op.outputs.is_empty() {
            list(f, &op.outputs, |f, id| self.optional(f, id))?;
            f.write_str(" = ")?;
        }
        f.write_str(op.decl().name)?;
        if !op.inputs.is_empty() {
            f.write_char('(')?;
            list(f, &op.inputs, |f, id| self.optional(f, id))?;
            f.write_char(')')?;
        }
        if !op.attrs.is_empty() {
            f.write_str(" {")?;
            list(f, op.attrs.iter(), |f, (name, value)| {
                write!(f, "{name} = ")?;
                match (value, self.describe) {
                    (Attr::Tensor(constant), Some(describe)) if constant.len() > LISTED => {
                        write!(f, "{}(... {})", constant.ty(), describe(constant))
                    }
                    _ => value.fmt(f),
                }
            })?;
            f.write_char('}')?;
        }
        if op.defined().next().is_some() && !self.is_plain_constant(op) {
            f.write_str(" : ")?;
            list(f, op.defined(), |f, id| self.ty(f, id))?;
        }
        if let Some(loc) = &op.loc {
            write!(f, " loc({})", Quoted(&loc.to_string()))?;
        }
        for region in &op.regions {
            f.write_str(" region ")?;
            if !region.params.is_empty() {
                self.params(f, &region.params)?;
                f.write_char(' ')?;
            }
            self.block(f, region, "yield", depth)?;
        }
        Ok(())
    }

    /// A constant whose type is that of its data, and so stands in the text already.
    fn is_plain_constant(&self, op: &Op) -> bool {
        let Some(value) = ops::Constant::of(op).map(|op| op.value()) else { return false };
        let ty = |id: &Option<ValueId>| id.and_then(|id| self.func.values.get(id.index()));
        op.outputs.len() == 1 && ty(&op.outputs[0]).is_some_and(|info| info.ty == value.ty())
    }
}

impl Printer<'_> {
    fn print(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let func = self.func;
        write!(f, "func @{} {} ", Name(&func.name), func.level)?;
        if let Some(threads) = func.threads {
            write!(f, "{{threads = {threads}}} ")?;
        }
        self.params(f, &func.body.params)?;
        f.write_str(" -> (")?;
        list(f, &func.body.results, |f, &id| self.ty(f, id))?;
        f.write_str(") ")?;
        self.block(f, &func.body, "return", 0)?;
        f.write_char('\n')
    }
}

impl Display for Func {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer::new(self, None).print(f)
    }
}

/// A function whose long constants are described, as [`Func::described`] makes it.
pub struct Described<'a> {
    func: &'a Func,
    describe: &'a dyn Fn(&Literal) -> String,
}

impl Display for Described<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer::new(self.func, Some(self.describe)).print(f)
    }
}

impl Func {
    /// The function as a text for people: three dots and a description stand for the elements of each constant that has more
    /// than [`LISTED`]. Such a text does not parse.
    pub fn described<'a>(&'a self, describe: &'a dyn Fn(&Literal) -> String) -> Described<'a> {
        Described { func: self, describe }
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.metadata {
            writeln!(f, "metadata {} = {}", Quoted(key), Quoted(value))?;
        }
        for (i, func) in self.funcs.iter().enumerate() {
            if i > 0 || !self.metadata.is_empty() {
                f.write_char('\n')?;
            }
            func.fmt(f)?;
        }
        Ok(())
    }
}

fn dims(f: &mut Formatter<'_>, shape: Option<&[Dim]>) -> fmt::Result {
    f.write_char('[')?;
    match shape {
        None => f.write_char('*')?,
        Some(dims) => list(f, dims, |f, dim| dim.fmt(f))?,
    }
    f.write_char(']')
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Tensor(t) => {
                t.dtype.fmt(f)?;
                dims(f, t.shape.as_deref())
            }
            Type::Pointer(p) => {
                write!(f, "ptr<{}", p.to)?;
                if p.space != Space::Device {
                    write!(f, ", {}", p.space)?;
                }
                f.write_char('>')?;
                dims(f, p.shape.as_deref())
            }
            Type::Descriptor(d) => {
                write!(f, "desc<{}>[", d.dtype)?;
                list(f, &d.block, |f, n| n.fmt(f))?;
                f.write_char(']')
            }
            Type::Matrix(dtype) => write!(f, "matrix<{dtype}>"),
            Type::Accumulator(a) => write!(f, "accumulator<{}, {}>", a.factor, a.letters()),
            Type::Seq(item) => write!(f, "seq<{item}>"),
            Type::Optional(item) => write!(f, "opt<{item}>"),
            Type::Map(key, value) => write!(f, "map<{key}, {value}>"),
        }
    }
}
