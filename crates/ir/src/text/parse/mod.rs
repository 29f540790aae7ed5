//! Reads modules and functions from text: recursive descent with one token of lookahead.

mod attr;
mod func;

use super::lexer::{Lexer, Token};
use super::{MAX_DEPTH, ParseError, Syntax};
use crate::types::{AccumulatorType, DescriptorType, PointerType, TensorType};
use crate::{Attr, DType, Dim, Func, Literal, Module, Shape, Space, Type};
use std::str::FromStr;

/// An error and the byte it is about; the outermost layer looks up line and column.
type Failure = (usize, Syntax);

struct Parser<'s> {
    lexer: Lexer<'s>,
    token: Token<'s>,
    /// Where `token` starts.
    at: usize,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str) -> Result<Parser<'s>, Failure> {
        let mut lexer = Lexer::new(source);
        let (at, token) = lexer.next()?;
        Ok(Parser { lexer, token, at })
    }

    /// Takes the token and reads the next.
    fn bump(&mut self) -> Result<Token<'s>, Failure> {
        let (at, next) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn expected<T>(&self, expected: &'static str) -> Result<T, Failure> {
        Err((self.at, Syntax::Expected { expected, found: self.token.describe() }))
    }

    fn is(&self, punct: &str) -> bool {
        matches!(self.token, Token::Punct(p) if p == punct)
    }

    fn eat(&mut self, punct: &str) -> Result<bool, Failure> {
        let found = self.is(punct);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    /// `described` is the punctuation in quotes, as the error names it.
    fn expect(&mut self, punct: &str, described: &'static str) -> Result<(), Failure> {
        if self.eat(punct)? { Ok(()) } else { self.expected(described) }
    }

    fn eat_word(&mut self, word: &str) -> Result<bool, Failure> {
        let found = self.token == Token::Word(word);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    fn string(&mut self) -> Result<String, Failure> {
        match &self.token {
            Token::Str(_) => match self.bump()? {
                Token::Str(text) => Ok(text.into_owned()),
                _ => Ok(String::new()),
            },
            _ => self.expected("a string"),
        }
    }

    /// Items with commas between them, up to `close`, which is taken too.
    fn list<T>(
        &mut self,
        close: &'static str,
        described: &'static str,
        mut item: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let mut items = vec![];
        if self.eat(close)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(",")? {
                self.expect(close, described)?;
                return Ok(items);
            }
        }
    }

    fn dtype(&mut self) -> Result<DType, Failure> {
        match self.token {
            Token::Word(word) => match word.parse() {
                Ok(dtype) => self.bump().map(|_| dtype),
                Err(_) => self.expected("an element type"),
            },
            _ => self.expected("an element type"),
        }
    }

    fn ty(&mut self, depth: usize) -> Result<Type, Failure> {
        if depth == MAX_DEPTH {
            return Err((self.at, Syntax::TooDeep));
        }
        let Token::Word(word) = self.token else { return self.expected("a type") };
        match word {
            "ptr" => return self.pointer(),
            "desc" => return self.descriptor(),
            "matrix" => return self.matrix(),
            "accumulator" => return self.accumulator(),
            _ => {}
        }
        if !matches!(word, "seq" | "opt" | "map") {
            let Ok(dtype) = word.parse() else { return self.expected("a type") };
            self.bump()?;
            let shape = self.dims()?;
            return Ok(Type::Tensor(TensorType { dtype, shape }));
        }
        self.bump()?;
        self.expect("<", "`<`")?;
        let key = if word == "map" {
            let key = self.dtype()?;
            self.expect(",", "`,`")?;
            Some(key)
        } else {
            None
        };
        let inner = Box::new(self.ty(depth + 1)?);
        self.expect(">", "`>`")?;
        Ok(match key {
            Some(key) => Type::Map(key, inner),
            None if word == "seq" => Type::Seq(inner),
            None => Type::Optional(inner),
        })
    }

    /// `matrix<f32>`.
    fn matrix(&mut self) -> Result<Type, Failure> {
        self.bump()?;
        self.expect("<", "`<`")?;
        let dtype = self.dtype()?;
        self.expect(">", "`>`")?;
        Ok(Type::Matrix(dtype))
    }

    /// `accumulator<f16, nt>`.
    fn accumulator(&mut self) -> Result<Type, Failure> {
        self.bump()?;
        self.expect("<", "`<`")?;
        let factor = self.dtype()?;
        self.expect(",", "`,`")?;
        let ty = match self.token {
            Token::Word(letters) => AccumulatorType::by_letters(factor, letters),
            _ => None,
        };
        let Some(ty) = ty else { return self.expected("`nn`, `nt`, `tn` or `tt`") };
        self.bump()?;
        self.expect(">", "`>`")?;
        Ok(Type::Accumulator(ty))
    }

    /// `ptr<f32>[16]`, `ptr<f32, constant>[]`, `ptr<f32, threadgroup>[]`.
    fn pointer(&mut self) -> Result<Type, Failure> {
        self.bump()?;
        self.expect("<", "`<`")?;
        let to = self.dtype()?;
        let space = if self.eat(",")? { self.space()? } else { Space::Device };
        self.expect(">", "`,` or `>`")?;
        let shape = self.dims()?;
        Ok(Type::Pointer(PointerType { to, space, shape }))
    }

    /// A memory that is not the device's.
    fn space(&mut self) -> Result<Space, Failure> {
        let space = match self.token {
            Token::Word(word) => Space::by_name(word).filter(|&space| space != Space::Device),
            _ => None,
        };
        match space {
            Some(space) => self.bump().map(|_| space),
            None => self.expected("`constant`, `threadgroup` or `thread`"),
        }
    }

    /// `desc<f16>[64, 32]`.
    fn descriptor(&mut self) -> Result<Type, Failure> {
        self.bump()?;
        self.expect("<", "`<`")?;
        let dtype = self.dtype()?;
        self.expect(">", "`>`")?;
        let at = self.at;
        let dims = self.dims()?.unwrap_or_default();
        match dims.iter().map(Dim::fixed).collect() {
            Some(block) => Ok(Type::Descriptor(DescriptorType { dtype, block })),
            None => Err((
                at,
                Syntax::Expected {
                    expected: "dimensions that are numbers",
                    found: "others".into(),
                },
            )),
        }
    }

    /// The dimensions after an element type; `None` for `[*]`.
    fn dims(&mut self) -> Result<Option<Shape>, Failure> {
        self.expect("[", "`[`")?;
        if self.eat("*")? {
            self.expect("]", "`]`")?;
            return Ok(None);
        }
        Ok(Some(self.list("]", "`,` or `]`", Self::dim)?.into_iter().collect()))
    }

    fn dim(&mut self) -> Result<Dim, Failure> {
        let dim = match &self.token {
            Token::Number(text) => match text.parse() {
                Ok(n) => Dim::Fixed(n),
                Err(_) => {
                    let what = "dimension";
                    return Err((self.at, Syntax::Number { text: (*text).into(), what }));
                }
            },
            Token::Word(name) => Dim::sym(name),
            Token::Str(name) => Dim::sym(name),
            Token::Punct("?") => Dim::Unknown,
            _ => return self.expected("a dimension"),
        };
        self.bump()?;
        Ok(dim)
    }

    fn module(&mut self) -> Result<Module, Failure> {
        let mut module = Module::default();
        while self.eat_word("metadata")? {
            let at = self.at;
            let key = self.string()?;
            self.expect("=", "`=`")?;
            let value = self.string()?;
            if module.metadata.insert(key.clone(), value).is_some() {
                return Err((at, Syntax::SetTwice(key)));
            }
        }
        while self.token != Token::End {
            module.funcs.push(func::func(self)?);
        }
        Ok(module)
    }
}

impl FromStr for Module {
    type Err = ParseError;

    fn from_str(source: &str) -> Result<Module, ParseError> {
        let module = Parser::new(source).and_then(|mut p| p.module());
        module.map_err(|(at, syntax)| syntax.at(source, at))
    }
}

impl FromStr for Literal {
    type Err = ParseError;

    /// Reads a tensor with its type: `f32[2](1, 2)`.
    fn from_str(source: &str) -> Result<Literal, ParseError> {
        let literal = Parser::new(source).and_then(|mut p| match p.typed()? {
            Attr::Tensor(literal) if p.token == Token::End => Ok(literal),
            _ => p.expected("a tensor and no more"),
        });
        literal.map_err(|(at, syntax)| syntax.at(source, at))
    }
}

impl FromStr for Func {
    type Err = ParseError;

    /// Reads a text that holds one function and nothing else.
    fn from_str(source: &str) -> Result<Func, ParseError> {
        let func = Parser::new(source).and_then(|mut p| {
            let func = func::func(&mut p)?;
            if p.token == Token::End { Ok(func) } else { p.expected("the end of the text") }
        });
        func.map_err(|(at, syntax)| syntax.at(source, at))
    }
}
