//! The declarations of a text, at program scope, and the parameters of its kernels.

use super::token::{Class, Token};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A function with its body.
    Function,
    /// A variable, with an initialiser or without.
    Variable,
    /// A struct, class, union or enum.
    Record,
    /// Declarations of functions, `using`, `typedef`, assertions.
    Other,
}

/// A declaration, as positions of tokens.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub sort: Sort,
    /// All before the body and the `;`.
    pub head: Range<usize>,
    /// Between the braces.
    pub body: Range<usize>,
}

/// The declarations among `tokens[range]`, those inside of namespaces too.
pub(crate) fn items(tokens: &[Token<'_>], range: Range<usize>) -> Vec<Item> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        if tokens[at].class == Class::Directive || tokens[at].is(";") {
            at += 1;
            continue;
        }
        let start = at;
        let word = |i: usize, text: &str| tokens.get(i).is_some_and(|token| token.is(text));
        if word(at, "namespace")
            || word(at, "extern") && tokens.get(at + 1).is_some_and(|t| t.class == Class::Literal)
        {
            while at < range.end && !tokens[at].is("{") && !tokens[at].is(";") {
                at += 1;
            }
            if word(at, "{") {
                let end = close(tokens, at).min(range.end);
                found.extend(items(tokens, at + 1..end));
                at = end;
            }
            at += 1;
            continue;
        }
        let (mut parenthesis, mut assigned, mut body) = (false, false, 0..0);
        let mut record = false;
        let mut head = range.end;
        while at < range.end && !tokens[at].is(";") {
            let token = &tokens[at];
            record |= !parenthesis
                && !assigned
                && ["struct", "class", "union", "enum"].contains(&token.text);
            if token.is("template") && word(at + 1, "<") {
                at = angle(tokens, at + 1);
                continue;
            }
            if token.is("=") {
                assigned = true;
            }
            if token.is("(") || token.is("[") {
                parenthesis |= token.is("(") && !assigned;
                at = close(tokens, at) + 1;
                continue;
            }
            if token.is("{") {
                let end = close(tokens, at).min(range.end);
                if !assigned && body.is_empty() {
                    head = at;
                    body = at + 1..end.max(at + 1);
                }
                at = end + 1;
                if !assigned && parenthesis {
                    break;
                }
                continue;
            }
            at += 1;
        }
        let head = start..head.min(at);
        let first = tokens[start].text;
        let other = ["using", "typedef", "static_assert", "template"].contains(&first);
        let function = parenthesis && !assigned && head.end < at;
        let sort = if function {
            Sort::Function
        } else if record && head.end < at {
            Sort::Record
        } else if other || parenthesis && !assigned || record && !assigned {
            Sort::Other
        } else {
            Sort::Variable
        };
        found.push(Item { sort, head, body });
    }
    found
}

/// The position of the bracket that closes the one at `open`, or the last position.
pub(crate) fn close(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        if token.class != Class::Sign {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return i;
                }
            }
            _ => {}
        }
    }
    tokens.len().saturating_sub(1)
}

/// The position after the `>` that closes the `<` at `open`, or `open + 1` if none does before a `;` or brace.
pub(crate) fn angle(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0usize;
    let mut at = open;
    while at < tokens.len() {
        match tokens[at].text {
            "<" => depth += 1,
            ">" => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            "(" | "[" => at = close(tokens, at),
            ";" | "{" | "}" => break,
            _ => {}
        }
        at += 1;
    }
    open + 1
}

/// An attribute in double brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub name: String,
    pub index: Option<u32>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// The type, without the name: `device const float*`.
    pub ty: String,
    pub name: String,
    pub attributes: Vec<Attribute>,
    /// Positions of its tokens.
    pub range: Range<usize>,
}

impl Parameter {
    /// The first attribute of a name, with its index.
    pub(crate) fn index(&self, name: &str) -> Option<u32> {
        self.attributes.iter().find(|a| a.name == name).and_then(|a| a.index)
    }

    /// The index of `[[buffer(index)]]`.
    pub(crate) fn buffer(&self) -> Option<u32> {
        self.index("buffer")
    }

    /// Whether the kernel may write through it.
    pub(crate) fn is_writable(&self) -> bool {
        let words: Vec<&str> = self.ty.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        words.contains(&"device") && !words.contains(&"const")
    }
}

/// A function of a text.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    pub is_kernel: bool,
    pub attributes: Vec<Attribute>,
    pub parameters: Vec<Parameter>,
    /// Positions of the tokens before the name.
    pub result: Range<usize>,
    /// Position of the name.
    pub at: usize,
    pub body: Range<usize>,
}

/// The function that an item is.
pub(crate) fn function(tokens: &[Token<'_>], item: &Item) -> Option<Function> {
    let mut attributes = Vec::new();
    let mut at = item.head.start;
    let mut name = None;
    while at < item.head.end {
        if tokens[at].is("[") && tokens.get(at + 1).is_some_and(|t| t.is("[")) {
            let end = close(tokens, at);
            attributes.extend(read_attributes(&tokens[at + 2..end.saturating_sub(1).max(at + 2)]));
            at = end + 1;
        } else if tokens[at].is("<") {
            at = angle(tokens, at);
        } else if tokens[at].is("(") {
            name = at.checked_sub(1).filter(|i| tokens[*i].is_word());
            break;
        } else {
            at += 1;
        }
    }
    let name = name?;
    let end = close(tokens, at);
    let parameters = split(tokens, at + 1..end).into_iter().map(|range| parameter(tokens, range));
    let result = item.head.start..name;
    let is_kernel = tokens[result.clone()].iter().any(|token| token.is("kernel"));
    Some(Function {
        name: tokens[name].text.to_owned(),
        is_kernel,
        attributes,
        parameters: parameters.collect(),
        result,
        at: name,
        body: item.body.clone(),
    })
}

/// The parts between commas outside of brackets.
pub(crate) fn split(tokens: &[Token<'_>], range: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (range.start, range.start);
    while at < range.end {
        match tokens[at].text {
            "(" | "[" | "{" => at = close(tokens, at) + 1,
            "<" => at = angle(tokens, at),
            "," => {
                parts.push(start..at);
                at += 1;
                start = at;
            }
            _ => at += 1,
        }
    }
    if start < range.end {
        parts.push(start..range.end);
    }
    parts
}

fn parameter(tokens: &[Token<'_>], range: Range<usize>) -> Parameter {
    let mut attributes = Vec::new();
    let mut end = range.end;
    for at in range.clone() {
        if tokens[at].is("[") && tokens.get(at + 1).is_some_and(|t| t.is("[")) {
            let close = close(tokens, at);
            attributes
                .extend(read_attributes(&tokens[at + 2..close.saturating_sub(1).max(at + 2)]));
            end = end.min(at);
        }
    }
    let words = &tokens[range.start..end];
    let name = words.iter().rposition(Token::is_word).unwrap_or(0);
    let ty: Vec<&str> = words[..name.min(words.len())].iter().map(|token| token.text).collect();
    let name = words.get(name).map(|token| token.text.to_owned()).unwrap_or_default();
    Parameter { ty: ty.join(" "), name, attributes, range }
}

fn read_attributes(tokens: &[Token<'_>]) -> Vec<Attribute> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is_word() {
            let name = tokens[at].text.to_owned();
            let mut index = None;
            if tokens.get(at + 1).is_some_and(|token| token.is("(")) {
                index = tokens.get(at + 2).and_then(|token| token.text.parse().ok());
                at = close(tokens, at + 1);
            }
            found.push(Attribute { name, index });
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn declarations_are_told_apart() {
        let source = "#include <metal_stdlib>\nusing namespace metal;\nstruct S { float x; };\n\
             constant float t[2] = {1, 2};\nconstant int n [[function_constant(3)]];\n\
             template <typename T> T f(T x) { return x; }\nfloat g(float x);\n\
             [[max_total_threads_per_threadgroup(64)]] kernel void k(device float* o [[buffer(0)]], \
             constant array<int, 2>& p [[buffer(1)]], uint i [[thread_position_in_grid]]) { o[i] = 1; }\n\
             namespace a { int h() { return 1; } }";
        let all = tokens(source);
        let found = items(&all, 0..all.len());
        let sorts: Vec<Sort> = found.iter().map(|item| item.sort).collect();
        use Sort::*;
        assert_eq!(sorts, [Other, Record, Variable, Variable, Function, Other, Function, Function]);
        let kernel = function(&all, &found[6]).unwrap();
        assert!(kernel.is_kernel);
        assert_eq!(kernel.name, "k");
        assert_eq!(kernel.attributes[0].index, Some(64));
        let types: Vec<_> = kernel.parameters.iter().map(|p| (&*p.ty, &*p.name)).collect();
        let expected =
            [("device float *", "o"), ("constant array < int , 2 > &", "p"), ("uint", "i")];
        assert_eq!(types, expected);
        assert_eq!(kernel.parameters[1].buffer(), Some(1));
        assert!(kernel.parameters[0].is_writable() && !kernel.parameters[1].is_writable());
    }
}
