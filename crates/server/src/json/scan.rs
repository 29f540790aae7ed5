//! The scanner: one pass over a text, without recursion.

use super::document::{JsonError, Kind, Node, Numbers, ParseFault};
use super::{number, string};

pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    /// The arrays and objects that are not closed yet, as indices of their nodes.
    open: Vec<u32>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Result<Scanner<'a>, JsonError> {
        // Values take a byte each at least, so their number fits, too.
        if u32::try_from(text.len()).is_err() {
            return Err(JsonError { fault: ParseFault::Length, position: 0 });
        }
        let at = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Ok(Scanner { text, at, nodes: Vec::with_capacity(32), open: Vec::with_capacity(8) })
    }

    /// All values of the text.
    pub(super) fn document(mut self) -> Result<Vec<Node>, JsonError> {
        self.space();
        if self.peek() == 0 {
            return self.fault(ParseFault::Empty);
        }
        self.value()?;
        while let Some(&container) = self.open.last() {
            self.element_of(container)?;
        }
        self.space();
        match self.peek() {
            0 => Ok(self.nodes),
            _ => self.fault(ParseFault::Trailing),
        }
    }

    /// The next byte, 0 at the end.
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    fn fault<T>(&self, fault: ParseFault) -> Result<T, JsonError> {
        Err(JsonError { fault, position: self.at })
    }

    fn push(&mut self, kind: Kind, start: usize) -> u32 {
        let index = self.nodes.len() as u32;
        let (start, end) = (start as u32, self.at as u32);
        self.nodes.push(Node { kind, start, end, count: 0, next: index + 1 });
        index
    }

    /// The next value: a scalar, an array of numbers, or the start of another array or an object.
    fn value(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        match self.peek() {
            b'"' => self.string(),
            b'{' => {
                self.container(Kind::Object, b'}');
                Ok(())
            }
            b'[' => {
                if !self.numbers()? {
                    self.container(Kind::Array, b']');
                }
                Ok(())
            }
            b't' => self.word(b"true", Kind::True),
            b'f' => self.word(b"false", Kind::False),
            b'n' => self.word(b"null", Kind::Null),
            _ => {
                (self.at, _) = number::read(self.text, start)?;
                self.push(Kind::Number, start);
                Ok(())
            }
        }
    }

    /// One of the three words. A fault stands after the characters that fit.
    fn word(&mut self, word: &[u8], kind: Kind) -> Result<(), JsonError> {
        let start = self.at;
        for &letter in word {
            if self.peek() != letter {
                return self.fault(ParseFault::Value);
            }
            self.at += 1;
        }
        self.push(kind, start);
        Ok(())
    }

    fn string(&mut self) -> Result<(), JsonError> {
        let (end, escapes) = string::end(self.text, self.at)?;
        let start = self.at + 1;
        self.at = end;
        self.push(if escapes { Kind::Escaped } else { Kind::Plain }, start);
        self.at = end + 1;
        Ok(())
    }

    /// The opening of an array or object, and its end if it has no element.
    fn container(&mut self, kind: Kind, close: u8) {
        let start = self.at;
        self.at += 1;
        self.space();
        let index = self.push(kind, start);
        if self.peek() == close {
            self.at += 1;
            self.nodes[index as usize].end = self.at as u32;
        } else {
            self.open.push(index);
        }
    }

    /// An element of an array or a member of an object.
    fn element(&mut self, kind: Kind) -> Result<(), JsonError> {
        if kind == Kind::Object {
            if self.peek() != b'"' {
                return self.fault(ParseFault::Name);
            }
            self.string()?;
            self.space();
            if self.peek() != b':' {
                return self.fault(ParseFault::Colon);
            }
            self.at += 1;
            self.space();
        }
        self.value()
    }

    /// The next part of the innermost open array or object: its first element, another one after a comma, or its end.
    fn element_of(&mut self, container: u32) -> Result<(), JsonError> {
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[container as usize];
        let kind = node.kind;
        if node.count == 0 {
            node.count = 1;
            return self.element(kind);
        }
        let (close, fault) = match kind {
            Kind::Object => (b'}', ParseFault::Member),
            _ => (b']', ParseFault::Element),
        };
        self.space();
        match self.peek() {
            b',' => {
                self.nodes[container as usize].count += 1;
                self.at += 1;
                self.space();
                self.element(kind)
            }
            byte if byte == close => {
                self.at += 1;
                let node = &mut self.nodes[container as usize];
                (node.end, node.next) = (self.at as u32, next);
                self.open.pop();
                Ok(())
            }
            _ => self.fault(fault),
        }
    }

    /// An array of numbers, if the array that begins here is one and not empty. Otherwise nothing is read.
    fn numbers(&mut self) -> Result<bool, JsonError> {
        let start = self.at;
        let (mut count, mut class) = (0, Numbers::Unsigned);
        loop {
            self.at += 1;
            self.space();
            if !number::begins(self.peek()) {
                break;
            }
            let own;
            (self.at, own) = number::read(self.text, self.at)?;
            class = class.max(own);
            count += 1;
            self.space();
            match self.peek() {
                b',' => {}
                b']' => {
                    self.at += 1;
                    let index = self.push(Kind::Numbers(class), start);
                    self.nodes[index as usize].count = count;
                    return Ok(true);
                }
                _ => return self.fault(ParseFault::Element),
            }
        }
        self.at = start;
        Ok(false)
    }
}
