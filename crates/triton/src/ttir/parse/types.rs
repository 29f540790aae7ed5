//! Types: `f32`, `tensor<64x!tt.ptr<f16>>`, `!tt.ptr<f32, "constant">`, `!tt.tensordesc<16x16xsi32>` …

use super::Parser;
use super::lexer::Token;
use crate::ttir::types::{descriptor_element, element};
use crate::{ErrorKind, Failure, MAX_DEPTH, MAX_ELEMENTS, MAX_RANK};
use trident_ir::types::{DescriptorType, PointerType, Space};
use trident_ir::{Dim, Type};

/// Whether the token starts a type.
pub(super) fn starts_type(token: &Token<'_>) -> bool {
    match token {
        Token::Bang(_) => true,
        Token::Word(word) => {
            matches!(*word, "tensor" | "vector" | "index") || element(word).is_some()
        }
        _ => false,
    }
}

impl<'s> Parser<'s, '_> {
    pub(super) fn ty(&mut self) -> Result<Type, Failure> {
        self.nested_ty(0)
    }

    /// Types with commas between them.
    pub(super) fn types(&mut self) -> Result<Vec<Type>, Failure> {
        let mut types = vec![self.ty()?];
        while self.eat(",")? {
            types.push(self.ty()?);
        }
        Ok(types)
    }

    /// Types in parentheses.
    pub(super) fn type_list(&mut self) -> Result<Vec<Type>, Failure> {
        self.expect("(", "`(`")?;
        self.list(")", "`,` or `)`", Self::ty)
    }

    /// The types after an arrow: one type, or a list in parentheses.
    pub(super) fn arrow_types(&mut self) -> Result<Vec<Type>, Failure> {
        if self.is("(") { self.type_list() } else { Ok(vec![self.ty()?]) }
    }

    /// A pointer type that may be printed without `!tt.ptr`.
    pub(super) fn bare_pointer(&mut self) -> Result<Type, Failure> {
        if self.is("<") { self.pointer(self.at, 0) } else { self.ty() }
    }

    /// A descriptor type that may be printed without `!tt.tensordesc`.
    pub(super) fn bare_descriptor(&mut self) -> Result<Type, Failure> {
        if self.is("<") { self.descriptor() } else { self.ty() }
    }

    fn nested_ty(&mut self, depth: usize) -> Result<Type, Failure> {
        if depth == MAX_DEPTH {
            return self.too_deep();
        }
        let at = self.at;
        match self.token {
            Token::Word("tensor") => {
                self.bump()?;
                self.expect("<", "`<`")?;
                let dims = self.dims(at)?;
                let element = self.nested_ty(depth + 1)?;
                if self.is(",") {
                    let reason = "layouts belong to a later, GPU-specific stage of Triton's compiler; give the `ttir` stage";
                    return self.refused(at, reason);
                }
                self.expect(">", "`>`")?;
                if element.shape().is_none_or(|shape| !shape.is_empty()) {
                    return self.refused(at, "blocks hold numbers or pointers");
                }
                Ok(element.with_shape(Some(dims.into_iter().map(Dim::Fixed).collect())))
            }
            Token::Bang("tt.ptr") => {
                self.bump()?;
                self.pointer(at, depth)
            }
            Token::Bang("tt.tensordesc") => {
                self.bump()?;
                self.descriptor()
            }
            Token::Word(name) => match element(name) {
                Some(dtype) => self.bump().map(|_| Type::fixed(dtype, &[])),
                None if is_other_type(name) => {
                    self.bump()?;
                    self.refused(at, "it is not an element type of Triton")
                }
                None => self.expected("a type"),
            },
            Token::Bang(_) => {
                self.bump()?;
                self.refused(at, "only `!tt.ptr` and `!tt.tensordesc` occur in Triton IR")
            }
            _ => self.expected("a type"),
        }
    }

    fn refused<T>(&self, at: usize, reason: &'static str) -> Result<T, Failure> {
        let ty = self.text_from(at).chars().take(80).collect();
        Err(Failure::new(at, ErrorKind::RefusedType { ty, reason }))
    }

    /// `<f32>`, `<f32, "constant">`, `<f32, 1>`.
    fn pointer(&mut self, at: usize, depth: usize) -> Result<Type, Failure> {
        self.expect("<", "`<`")?;
        let to = match self.nested_ty(depth + 1)? {
            Type::Tensor(t) if t.shape.as_ref().is_some_and(Vec::is_empty) => t.dtype,
            Type::Tensor(_) => {
                return self.refused(
                    at,
                    "block pointers were removed from Triton; use tensor descriptors",
                );
            }
            _ => return self.refused(at, "pointers point to numbers"),
        };
        let mut space = Space::Device;
        if self.eat(",")? {
            match &self.token {
                Token::Str(name) if matches!(&**name, "constant" | "global") => {
                    if name == "constant" {
                        space = Space::Constant;
                    }
                    self.bump()?;
                }
                Token::Number("1") => drop(self.bump()?),
                _ => return self.expected("`\"global\"` or `\"constant\"`"),
            }
        }
        self.expect(">", "`,` or `>`")?;
        Ok(Type::Pointer(PointerType { to, space, shape: Some(vec![]) }))
    }

    /// `<64x32xf16>`, or of older versions `<tensor<64x32xf16>>`.
    fn descriptor(&mut self) -> Result<Type, Failure> {
        let at = self.at;
        self.expect("<", "`<`")?;
        let older = self.eat_word("tensor")?;
        if older {
            self.expect("<", "`<`")?;
        }
        let block = self.dims(at)?;
        let Token::Word(name) = self.token else { return self.expected("an element type") };
        let Some(dtype) = descriptor_element(name) else { return self.expected("an element type") };
        self.bump()?;
        if older {
            self.expect(">", "`>`")?;
        }
        self.expect(">", "`>`")?;
        Ok(Type::Descriptor(DescriptorType { dtype, block }))
    }

    /// `64x32x` before an element type. The lexer joins an `x` and the text after it into one word.
    fn dims(&mut self, at: usize) -> Result<Vec<usize>, Failure> {
        let mut dims = vec![];
        let mut elements = Some(1usize);
        while let Token::Number(text) = self.token {
            let dim = text.parse::<usize>().ok().filter(|n| n.is_power_of_two());
            self.bump()?;
            match self.token {
                Token::Word(word) if word.starts_with('x') => self.reread(self.at + 1)?,
                _ => return self.expected("`x`"),
            }
            elements = dim.and_then(|n| elements?.checked_mul(n)).filter(|&n| n <= MAX_ELEMENTS);
            dims.push(dim.unwrap_or(0));
            if elements.is_none() || dims.len() > MAX_RANK {
                let text = self.rest(at).split_inclusive('>').next().unwrap_or("");
                return Err(Failure::new(at, ErrorKind::Dims(text.chars().take(80).collect())));
            }
        }
        Ok(dims)
    }
}

/// Names of MLIR's own types.
fn is_other_type(name: &str) -> bool {
    let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    matches!(name, "index" | "none" | "vector" | "memref" | "complex" | "tuple")
        || ["i", "si", "ui", "f", "tf"].iter().any(|p| name.strip_prefix(p).is_some_and(digits))
        || name.starts_with("f8E")
        || name.starts_with("f6E")
        || name.starts_with("f4E")
}
