//! Ops of a `ProgramDesc` as the file has them.

use crate::error::PaddleErrorKind;
use crate::program::{Attr, Names, repeated};
use crate::wire::{Fields, Wire};

/// A slot with the names of its variables.
pub(super) type Slot<'a> = (&'a str, Vec<&'a str>);

/// An op: its type, its slots, and its attributes, which are read when they are needed. Attributes that are variables are
/// slots, too.
pub(super) struct RawOp<'a> {
    pub name: &'a str,
    pub inputs: Vec<Slot<'a>>,
    pub outputs: Vec<Slot<'a>>,
    attrs: Vec<&'a [u8]>,
}

/// Attributes that tell how a program was made, and nothing of what an op computes.
const IGNORED: &[&str] =
    &["op_callstack", "op_role", "op_role_var", "op_device", "op_namescope", "struct_name"];

impl<'a> RawOp<'a> {
    pub(super) fn read(message: &'a [u8]) -> Result<RawOp<'a>, PaddleErrorKind> {
        let mut op = RawOp { name: "", inputs: vec![], outputs: vec![], attrs: vec![] };
        for field in Fields(message) {
            match field? {
                (1, value) => op.inputs.push(slot(value)?),
                (2, value) => op.outputs.push(slot(value)?),
                (3, value) => op.name = value.text()?,
                (4, value) => op.attrs.push(value.bytes()?),
                _ => {}
            }
        }
        if op.name.is_empty() {
            return Err(PaddleErrorKind::Malformed("an op has no type".into()));
        }
        for message in &op.attrs {
            let attr = RawAttr::read(message)?;
            if let Some(field) = attr.field_of_variables() {
                let names = attr.values(field).map(|name| name?.text());
                op.inputs.push((attr.name, names.collect::<Result<_, _>>()?));
            }
        }
        let name = |slot: &Slot<'a>| slot.0;
        match repeated(op.inputs.iter().map(name)).or(repeated(op.outputs.iter().map(name))) {
            Some(error) => Err(error),
            None => Ok(op),
        }
    }

    /// The variables of an input slot.
    pub(super) fn input(&self, slot: &str) -> &[&'a str] {
        variables(&self.inputs, slot)
    }

    /// The variables of an output slot.
    pub(super) fn output(&self, slot: &str) -> &[&'a str] {
        variables(&self.outputs, slot)
    }

    /// The first variable of an input slot, which the op must have.
    pub(super) fn required(&self, slot: &str) -> Result<&'a str, PaddleErrorKind> {
        self.input(slot).first().copied().ok_or_else(|| missing("input", slot))
    }

    /// The attributes by name, without those that only tell how the program was made.
    pub(super) fn attrs(
        &self,
        names: &mut Names,
    ) -> Result<Vec<(std::rc::Rc<str>, Attr)>, PaddleErrorKind> {
        let mut attrs = vec![];
        for message in &self.attrs {
            let raw = RawAttr::read(message)?;
            if !IGNORED.contains(&raw.name) && raw.field_of_variables().is_none() {
                attrs.push((names.shared(raw.name), raw.attr(names)?));
            }
        }
        match repeated(attrs.iter().map(|(name, _)| &**name)) {
            Some(error) => Err(error),
            None => Ok(attrs),
        }
    }

    fn raw_attr(&self, name: &str) -> Result<Option<RawAttr<'a>>, PaddleErrorKind> {
        let mut found = None;
        for message in &self.attrs {
            let raw = RawAttr::read(message)?;
            if raw.name == name && found.replace(raw).is_some() {
                return Err(PaddleErrorKind::Malformed(format!("the op has `{name}` twice")));
            }
        }
        Ok(found)
    }

    /// An attribute that is a block: its number.
    pub(super) fn block(&self, name: &str) -> Result<usize, PaddleErrorKind> {
        let raw = self.raw_attr(name)?.ok_or_else(|| missing("attribute", name))?;
        let number = last(message(raw.message, 12), |value| value.int())?;
        number.and_then(|n| usize::try_from(n).ok()).ok_or_else(|| missing("attribute", name))
    }

    /// An attribute that is an integer or a truth value.
    pub(super) fn number(&self, name: &str) -> Result<Option<i64>, PaddleErrorKind> {
        let Some(raw) = self.raw_attr(name)? else { return Ok(None) };
        Ok(raw.attr(&mut Names::default())?.as_int())
    }

    /// The layer that made the op: its path, or else its name scope.
    pub(super) fn layer(&self) -> Result<Option<&'a str>, PaddleErrorKind> {
        const NAMES: [&str; 2] = ["struct_name", "op_namescope"];
        let mut layers = [None; NAMES.len()];
        for attr in &self.attrs {
            let raw = RawAttr::read(attr)?;
            if let Some(at) = NAMES.iter().position(|name| *name == raw.name) {
                layers[at] = last(message(raw.message, 5), |value| value.text())?;
            }
        }
        Ok(layers.into_iter().flatten().find(|layer| !matches!(*layer, "" | "/")))
    }
}

fn missing(what: &str, name: &str) -> PaddleErrorKind {
    PaddleErrorKind::Malformed(format!("{what} `{name}` is missing"))
}

fn variables<'s, 'a>(slots: &'s [Slot<'a>], name: &str) -> &'s [&'a str] {
    slots.iter().find(|(slot, _)| *slot == name).map_or(&[], |(_, variables)| variables)
}

fn slot(value: Wire<'_>) -> Result<Slot<'_>, PaddleErrorKind> {
    let (mut name, mut variables) = ("", vec![]);
    for field in value.fields()? {
        match field? {
            (1, value) => name = value.text()?,
            (2, value) => variables.push(value.text()?),
            _ => {}
        }
    }
    Ok((name, variables))
}

/// The values of a field, which may occur many times.
fn message(message: &[u8], number: u32) -> impl Iterator<Item = Result<Wire<'_>, PaddleErrorKind>> {
    Fields(message).filter_map(move |field| match field {
        Ok((found, value)) => (found == number).then_some(Ok(value)),
        Err(error) => Some(Err(error)),
    })
}

/// The last of a field's values: the one that counts.
fn last<'a, T>(
    values: impl Iterator<Item = Result<Wire<'a>, PaddleErrorKind>>,
    read: impl Fn(Wire<'a>) -> Result<T, PaddleErrorKind>,
) -> Result<Option<T>, PaddleErrorKind> {
    let mut found = None;
    for value in values {
        found = Some(read(value?)?);
    }
    Ok(found)
}

/// An attribute whose value is not read yet.
struct RawAttr<'a> {
    name: &'a str,
    kind: i64,
    message: &'a [u8],
}

impl<'a> RawAttr<'a> {
    fn read(message: &'a [u8]) -> Result<RawAttr<'a>, PaddleErrorKind> {
        let mut attr = RawAttr { name: "", kind: -1, message };
        for field in Fields(message) {
            match field? {
                (1, value) => attr.name = value.text()?,
                (2, value) => attr.kind = value.int()?,
                _ => {}
            }
        }
        Ok(attr)
    }

    /// The field that has the names of variables, if the attribute is one or several of them.
    fn field_of_variables(&self) -> Option<u32> {
        match self.kind {
            13 => Some(17),
            14 => Some(18),
            _ => None,
        }
    }

    fn values(&self, number: u32) -> impl Iterator<Item = Result<Wire<'a>, PaddleErrorKind>> {
        message(self.message, number)
    }

    fn one<T>(
        &self,
        number: u32,
        read: impl Fn(Wire<'a>) -> Result<T, PaddleErrorKind>,
    ) -> Result<T, PaddleErrorKind> {
        last(self.values(number), read)?.ok_or_else(|| missing("the value of", self.name))
    }

    fn integers(&self, number: u32) -> Result<Vec<i64>, PaddleErrorKind> {
        let mut ints = vec![];
        self.values(number).try_for_each(|value| value?.ints_to(&mut ints))?;
        Ok(ints)
    }

    fn floats(&self, number: u32, width: usize) -> Result<Attr, PaddleErrorKind> {
        let mut floats = vec![];
        self.values(number).try_for_each(|value| value?.floats_to(&mut floats, width))?;
        Ok(Attr::Floats(floats.into()))
    }

    fn texts(&self, number: u32, names: &mut Names) -> Result<Attr, PaddleErrorKind> {
        let texts = self.values(number).map(|value| Ok(names.shared(value?.text()?)));
        Ok(Attr::Texts(texts.collect::<Result<_, PaddleErrorKind>>()?))
    }

    /// The value; its kind says in which field it is.
    fn attr(&self, names: &mut Names) -> Result<Attr, PaddleErrorKind> {
        // Integers of 32 bits that are negative are stored with 32 or with 64.
        let narrow = |value: i64| i64::from(value as i32);
        let wide = |value: Wire<'a>| value.int();
        Ok(match self.kind {
            0 => Attr::Int(narrow(self.one(3, wide)?)),
            1 => Attr::Float(self.one(4, |value| value.float())?),
            2 => Attr::Text(names.shared(self.one(5, |value| value.text())?)),
            3 => Attr::Ints(self.integers(6)?.into_iter().map(narrow).collect()),
            4 => self.floats(7, 4)?,
            5 => self.texts(8, names)?,
            6 => Attr::Bool(self.one(10, wide)? != 0),
            7 => Attr::Bools(self.integers(11)?.into_iter().map(|value| value != 0).collect()),
            8 | 10 => Attr::Other(names.shared("block")),
            9 => Attr::Int(self.one(13, wide)?),
            11 => Attr::Ints(self.integers(15)?.into()),
            12 => self.floats(16, 8)?,
            15 => Attr::Float(self.one(19, |value| value.float())?),
            16 => scalar(self.one(20, |value| value.bytes())?)?,
            17 => {
                let scalars = self.values(21).map(|value| scalar(value?.bytes()?));
                Attr::List(scalars.collect::<Result<_, PaddleErrorKind>>()?)
            }
            _ => Attr::Other("attribute".into()),
        })
    }
}

/// A message `Scalar`: its kind, then a truth value, an integer, a float, or a complex number.
fn scalar(message: &[u8]) -> Result<Attr, PaddleErrorKind> {
    let (mut kind, mut value) = (0, None);
    for field in Fields(message) {
        match field? {
            (1, number) => kind = number.int()?,
            (2, flag) => value = Some(Attr::Bool(flag.int()? != 0)),
            (3, number) => value = Some(Attr::Int(number.int()?)),
            (4, number) => value = Some(Attr::Float(number.float()?)),
            (5, number) => value = Some(complex(number)?),
            _ => {}
        }
    }
    // Fields that have their defaults may be left out.
    Ok(value.unwrap_or(match kind {
        1 => Attr::Bool(false),
        2 => Attr::Int(0),
        _ => Attr::Float(0.0),
    }))
}

fn complex(value: Wire<'_>) -> Result<Attr, PaddleErrorKind> {
    let (mut real, mut imaginary) = (0.0, 0.0);
    for field in value.fields()? {
        match field? {
            (1, value) => real = value.float()?,
            (2, value) => imaginary = value.float()?,
            _ => {}
        }
    }
    Ok(Attr::Complex(real, imaginary))
}
