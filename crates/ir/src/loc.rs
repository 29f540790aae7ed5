//! Places that ops come from.

use crate::OpKind;
use std::fmt;
use std::sync::Arc;

/// The place that an op comes from. It is kept through all passes and lowerings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Loc {
    /// A node of a model, by its name.
    Node(Arc<str>),
    /// A place in the source of a program.
    Source(Arc<SourceLoc>),
}

/// A place in a source file, with the calls that lead there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLoc {
    /// Name of the file.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column, as the front end counts.
    pub column: u32,
    /// The place of the call, in a function that was inlined.
    pub caller: Option<Arc<SourceLoc>>,
}

impl Loc {
    /// A node of a model.
    pub fn node(name: impl Into<Arc<str>>) -> Loc {
        Loc::Node(name.into())
    }

    /// A place in a source file, outside of any call.
    pub fn source(file: impl Into<Arc<str>>, line: u32, column: u32) -> Loc {
        Loc::Source(Arc::new(SourceLoc { file: file.into(), line, column, caller: None }))
    }

    /// The place in a source file, if it is one.
    pub fn as_source(&self) -> Option<&SourceLoc> {
        match self {
            Loc::Node(_) => None,
            Loc::Source(source) => Some(source),
        }
    }

    /// The place of its text: `file:line:column`, or else the name of a node. The text form of functions has it without callers.
    pub(crate) fn of_text(text: &str) -> Loc {
        let number = |digits: &str| {
            let number: u32 = digits.parse().ok()?;
            (number.to_string() == digits).then_some(number)
        };
        let source = || {
            let (rest, column) = text.rsplit_once(':')?;
            let (file, line) = rest.rsplit_once(':')?;
            Some(Loc::source(file, number(line)?, number(column)?))
        };
        source().unwrap_or_else(|| Loc::node(text))
    }
}

impl SourceLoc {
    /// The place with these [`frames`](SourceLoc::frames): file, line and column of each. `None` without frames.
    pub fn of_frames<'a>(
        frames: impl IntoIterator<Item = (&'a str, u32, u32), IntoIter: DoubleEndedIterator>,
    ) -> Option<Arc<SourceLoc>> {
        frames.into_iter().rev().fold(None, |caller, (file, line, column)| {
            Some(Arc::new(SourceLoc { file: file.into(), line, column, caller }))
        })
    }

    /// The place itself, then the calls that lead to it, the innermost first.
    pub fn frames(&self) -> impl Iterator<Item = &SourceLoc> {
        std::iter::successors(Some(self), |frame| frame.caller.as_deref())
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loc::Node(name) => f.write_str(name),
            Loc::Source(source) => source.fmt(f),
        }
    }
}

impl fmt::Display for SourceLoc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The name of an op in errors: its kind, and its place where known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpName {
    /// The kind.
    pub kind: OpKind,
    /// The place that it comes from.
    pub loc: Option<Loc>,
}

impl fmt::Display for OpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decl = self.kind.decl();
        // An op for some forms of an operator is called as the operator.
        let kind = match &decl.onnx {
            Some(onnx) if decl.name.starts_with("runtime_") => onnx.name,
            _ => decl.name,
        };
        match &self.loc {
            Some(Loc::Node(name)) if name.is_empty() => f.write_str(kind),
            Some(loc) => write!(f, "{kind} `{loc}`"),
            None => f.write_str(kind),
        }
    }
}

impl OpName {
    /// The name of the model's node; `None` if the op comes from none, or from one without a name.
    pub fn node(&self) -> Option<String> {
        self.loc.as_ref().map(ToString::to_string).filter(|node| !node.is_empty())
    }
}

/// The part of a function that an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FuncPart {
    /// An op.
    Op(Box<OpName>),
    /// Another part, such as the parameters, by its name in errors.
    Other(String),
}

impl FuncPart {
    /// The name of the model's node that an op comes from.
    pub fn node(&self) -> Option<String> {
        match self {
            FuncPart::Op(op) => op.node(),
            FuncPart::Other(_) => None,
        }
    }
}

impl fmt::Display for FuncPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FuncPart::Op(op) => op.fmt(f),
            FuncPart::Other(name) => f.write_str(name),
        }
    }
}

impl From<OpName> for FuncPart {
    fn from(op: OpName) -> FuncPart {
        FuncPart::Op(Box::new(op))
    }
}

impl From<String> for FuncPart {
    fn from(name: String) -> FuncPart {
        FuncPart::Other(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_places_are_read_again() {
        let source = |file: &str, line, column| Loc::source(file, line, column);
        for (text, expected) in [
            ("a.py:3:14", source("a.py", 3, 14)),
            ("c:/a.py:3:0", source("c:/a.py", 3, 0)),
            ("conv1", Loc::node("conv1")),
            ("", Loc::node("")),
            ("a.py:3", Loc::node("a.py:3")),
            ("a.py:03:1", Loc::node("a.py:03:1")),
            ("a.py:3:+1", Loc::node("a.py:3:+1")),
            ("a.py:3:99999999999", Loc::node("a.py:3:99999999999")),
        ] {
            assert_eq!(Loc::of_text(text), expected);
            assert_eq!(expected.to_string(), text);
        }
    }

    #[test]
    fn names_have_a_place_where_it_is_known() {
        let name = |loc| OpName { kind: OpKind::Conv, loc }.to_string();
        assert_eq!(name(None), "conv");
        assert_eq!(name(Some(Loc::node(""))), "conv");
        assert_eq!(name(Some(Loc::source("a.py", 1, 2))), "conv `a.py:1:2`");
    }

    #[test]
    fn frames_begin_inside() {
        let inner = SourceLoc::of_frames([("b.py", 2, 3), ("a.py", 9, 1)]).unwrap();
        let frames: Vec<String> = inner.frames().map(SourceLoc::to_string).collect();
        assert_eq!(frames, ["b.py:2:3", "a.py:9:1"]);
    }
}
