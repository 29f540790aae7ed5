//! Reading the forms of the table.

use super::{Draft, Parser, Use};
use crate::Failure;
use crate::ttir::Attr;
use crate::ttir::form::{Item, Types};
use crate::ttir::parse::lexer::Token;
use std::borrow::Cow;
use trident_ir::{DType, Type};

/// The type with other elements.
pub(super) fn elements(ty: &Type, dtype: DType) -> Type {
    match ty {
        Type::Tensor(_) | Type::Pointer(_) => {
            Type::unranked(dtype).with_shape(ty.shape().map(<[_]>::to_vec))
        }
        other => other.clone(),
    }
}

impl<'s> Parser<'s, '_> {
    pub(super) fn form(
        &mut self,
        op: &mut Draft<'s>,
        items: &[Item],
        types: Types,
    ) -> Result<(), Failure> {
        let mut offsets = vec![];
        for item in items {
            match *item {
                Item::Operands(_) => {
                    // Between operands and offsets in brackets stands a comma.
                    self.eat(",")?;
                    op.operands.extend(self.operands()?);
                }
                Item::Offsets => offsets = self.bracketed("[", "]")?,
                Item::Index(_) => op.operands.extend(self.bracketed("[", "]")?),
                Item::Args(_) => op.operands.extend(self.bracketed("(", ")")?),
                Item::Word(name) => {
                    let word = self.word("a keyword")?;
                    op.dict.set(name, Attr::Word(word.to_owned().into()));
                    self.eat(",")?;
                }
                Item::Str(name) => {
                    let text = self.string()?;
                    op.dict.set(name, Attr::Str(text.into()));
                }
                Item::Symbol(name) => {
                    let symbol = self.symbol()?;
                    op.dict.set(name, Attr::Symbol(symbol.into()));
                }
                Item::Keyword(word) => {
                    if self.eat_word(word)? {
                        op.operands.push(self.operand()?);
                    }
                }
                Item::Options(_) => self.options(op)?,
                // `words` finds it among the options.
                Item::Alone(_) => {}
                Item::Dict => self.attr_dict(&mut op.dict)?,
            }
        }
        op.operands.extend(offsets);
        self.form_types(op, types)
    }

    pub(super) fn bracketed(
        &mut self,
        open: &'static str,
        close: &'static str,
    ) -> Result<Vec<Use<'s>>, Failure> {
        let described = if open == "[" { "`[`" } else { "`(`" };
        self.expect(open, described)?;
        self.list(close, "`,` or the closing bracket", Self::operand)
    }

    /// Flags and keyword arguments.
    pub(super) fn options(&mut self, op: &mut Draft<'s>) -> Result<(), Failure> {
        self.eat(",")?;
        while let Token::Word(name) = self.token
            && name != "loc"
        {
            self.bump()?;
            let value = if self.eat("=")? {
                match self.token {
                    Token::Word(word) if !matches!(word, "true" | "false" | "array" | "dense") => {
                        self.bump()?;
                        Attr::Word(word.to_owned().into())
                    }
                    _ => self.attr(0)?,
                }
            } else {
                if self.is("<") {
                    self.skip_angles()?;
                }
                Attr::Unit
            };
            op.dict.0.push((Cow::Owned(name.to_owned()), value));
            self.eat(",")?;
        }
        Ok(())
    }

    fn form_types(&mut self, op: &mut Draft<'s>, types: Types) -> Result<(), Failure> {
        let n = op.operands.len();
        match types {
            Types::Nothing => return Ok(()),
            Types::Each if !self.is(":") && n == 0 => return Ok(()),
            // The condition in parentheses has no type in the text.
            Types::Each if op.name == "scf.condition" && !self.is(":") => return Ok(()),
            _ => self.expect(":", "`:`")?,
        }
        let at = self.at;
        match types {
            Types::Nothing => {}
            Types::All | Types::Truth => {
                let ty = self.ty()?;
                op.result_types = vec![match types {
                    Types::Truth => elements(&ty, DType::Bool),
                    _ => ty.clone(),
                }];
                op.operand_types = vec![ty; n];
            }
            Types::To | Types::Arrow | Types::AllArrow | Types::ArrowBoth => {
                let ty = self.ty()?;
                match types {
                    Types::To => self.expect_word("to", "`to`")?,
                    _ => self.expect("->", "`->`")?,
                }
                op.operand_types = vec![ty; if matches!(types, Types::AllArrow) { n } else { 1 }];
                let result = self.ty()?;
                op.result_types =
                    vec![result; if matches!(types, Types::ArrowBoth) { 2 } else { 1 }];
            }
            Types::Pointee | Types::First | Types::Element => {
                let ty = self.bare_pointer()?;
                match (types, &ty) {
                    (Types::Pointee, Type::Pointer(p)) => {
                        op.result_types = vec![elements(&ty, p.to)]
                    }
                    (Types::Pointee, _) => return Err(self.wrong(op, at, &ty, "pointers")),
                    (Types::Element, _) => op.result_types = vec![ty.with_shape(Some(vec![]))],
                    _ => {}
                }
                op.operand_types = vec![ty];
            }
            Types::EachFirst => {
                op.operand_types = self.types()?;
                op.result_types = op.operand_types.iter().take(1).cloned().collect();
            }
            Types::Each => {
                op.operand_types = self.types()?;
                if op.name == "scf.condition" {
                    op.operand_types.insert(0, Type::fixed(DType::Bool, &[]));
                }
            }
            Types::EachArrow => {
                op.operand_types = self.types()?;
                self.expect("->", "`->`")?;
                op.result_types = self.arrow_types()?;
            }
            Types::Product => {
                let a = self.ty()?;
                self.expect("*", "`*`")?;
                let b = self.ty()?;
                self.expect("->", "`->`")?;
                let c = self.ty()?;
                op.result_types = vec![c.clone()];
                op.operand_types = vec![a, b, c];
            }
            Types::Function => {
                op.operand_types = self.type_list()?;
                self.expect("->", "`->`")?;
                op.result_types = self.arrow_types()?;
            }
            Types::Result => op.result_types = vec![self.ty()?],
            Types::Choice => {
                let mut types = self.types()?;
                let ty = types.pop().unwrap_or(Type::fixed(DType::Bool, &[]));
                let condition = types.pop().unwrap_or(Type::fixed(DType::Bool, &[]));
                op.operand_types = vec![condition, ty.clone(), ty.clone()];
                op.result_types = vec![ty];
            }
        }
        Ok(())
    }

    fn wrong(&self, op: &Draft<'_>, at: usize, ty: &Type, expected: &str) -> Failure {
        Failure::new(
            at,
            crate::ErrorKind::Type {
                op: op.name.to_string(),
                what: "the type".into(),
                actual: ty.to_string(),
                expected: expected.into(),
            },
        )
    }
}
