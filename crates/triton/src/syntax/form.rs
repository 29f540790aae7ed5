//! The custom forms: for each op the items before its types, and the types that it prints.

use super::parser::Parser;
use super::special::*;
use super::{Attr, Op};
use crate::Failure;
use crate::lexer::Token;
use std::borrow::Cow;
use trident_ir::{DType, Type};

/// A part of a custom form in front of the types.
#[derive(Clone, Copy)]
pub(super) enum Item {
    /// Operands with commas between them.
    Operands,
    /// `[…]`: operands whose position is after the following ones.
    Offsets,
    /// `[…]`: operands in their place.
    Index,
    /// `(…)`: operands.
    Args,
    /// A keyword that is the value of this attribute.
    Word(&'static str),
    /// A string that is the value of this attribute.
    Str(&'static str),
    /// A symbol that is the value of this attribute.
    Symbol(&'static str),
    /// This keyword and an operand, or nothing.
    Keyword(&'static str),
    /// Any of `name`, `name = value`, `name<…>`.
    Options,
    /// `{…}`.
    Dict,
}

/// The types of a custom form.
#[derive(Clone, Copy)]
pub(super) enum Types {
    /// None.
    Nothing,
    /// `: T` of all operands and the result.
    All,
    /// `: T` of all operands; the result is as many truth values.
    Truth,
    /// `: T to T`.
    To,
    /// `: T -> T` of the first operand and the result.
    Arrow,
    /// `: T -> T` of all operands and the result.
    AllArrow,
    /// `: T -> T` of the operand and both results.
    ArrowBoth,
    /// `: T` of the first operand, a pointer; the result has the pointee's type.
    Pointee,
    /// `: T` of the first operand; there is no result.
    First,
    /// `: T` of the first operand, a block; the result is its element.
    Element,
    /// `: T, T` of the operands; the first is the result's too.
    EachFirst,
    /// `: T, T` of the operands, if there are any.
    Each,
    /// `: T, T -> T`.
    EachArrow,
    /// `: T * T -> T`; the third operand has the result's type.
    Product,
    /// `: (T, T) -> (T, T)`.
    Function,
    /// `: T` of the result.
    Result,
    /// `: T` of the result and the last two operands, with `: T, T` the first operand's in front.
    Choice,
}

pub(super) enum Custom {
    Form(&'static [Item], Types),
    Own(for<'s> fn(&mut Parser<'s, '_>, &mut Op<'s>) -> Result<(), Failure>),
}

/// The printed form of the op; `None` if there is no such op.
pub(super) fn custom(name: &str) -> Option<Custom> {
    use Custom::{Form, Own};
    use Item::{Args, Dict, Index, Keyword, Offsets, Operands, Options, Str, Symbol, Word};
    const PLAIN: &[Item] = &[Operands, Options, Dict];
    const ORDERED: &[Item] = &[Word("sem"), Word("scope"), Operands, Keyword("timeout"), Dict];
    Some(match name {
        "arith.constant" => Own(constant),
        "arith.cmpi" | "arith.cmpf" => {
            Form(&[Word("predicate"), Operands, Options, Dict], Types::Truth)
        }
        "arith.select" => Form(PLAIN, Types::Choice),
        "arith.extf" | "arith.extsi" | "arith.extui" | "arith.truncf" | "arith.trunci"
        | "arith.sitofp" | "arith.uitofp" | "arith.fptosi" | "arith.fptoui" | "arith.bitcast" => {
            Form(PLAIN, Types::To)
        }
        "math.isnan" | "math.isinf" => Form(PLAIN, Types::Truth),
        "tt.get_program_id" | "tt.get_num_programs" => Form(&[Word("axis"), Dict], Types::Result),
        "tt.make_range" | "ub.poison" => Form(&[Dict], Types::Result),
        "tt.splat" | "tt.broadcast" | "tt.expand_dims" | "tt.reshape" | "tt.trans"
        | "tt.bitcast" | "tt.int_to_ptr" | "tt.ptr_to_int" | "tt.histogram" => {
            Form(PLAIN, Types::Arrow)
        }
        "tt.fp_to_fp" => Form(&[Operands, Dict, Options, Dict], Types::Arrow),
        "tt.cat" | "tt.join" => Form(PLAIN, Types::AllArrow),
        "tt.split" => Form(PLAIN, Types::ArrowBoth),
        "tt.unsplat" => Form(PLAIN, Types::Element),
        "tt.addptr" => Form(PLAIN, Types::EachFirst),
        "tt.load" => Form(PLAIN, Types::Pointee),
        "tt.store" => Form(PLAIN, Types::First),
        "tt.atomic_rmw" => Form(
            &[Word("atomic_rmw_op"), Word("sem"), Word("scope"), Operands, Dict],
            Types::Function,
        ),
        "tt.atomic_cas" | "tt.atomic_load" => Form(ORDERED, Types::Function),
        "tt.atomic_store" => Form(ORDERED, Types::First),
        "tt.atomic_poll" => Form(ORDERED, Types::EachArrow),
        "tt.clampf" | "tt.precise_sqrt" | "tt.precise_divf" | "tt.approx_divf" | "tt.mulhiui" => {
            Form(PLAIN, Types::All)
        }
        "tt.dot" => Form(PLAIN, Types::Product),
        "tt.dot_scaled" => Own(dot_scaled),
        "tt.gather" => Form(&[Operands, Index, Options, Dict], Types::Function),
        "tt.extern_elementwise" => Form(PLAIN, Types::Function),
        "tt.make_tensor_descriptor" => Own(make_tensor_descriptor),
        "tt.descriptor_load" => Form(&[Operands, Offsets, Options, Dict], Types::EachArrow),
        "tt.descriptor_store" => Form(&[Operands, Offsets, Operands, Dict], Types::Each),
        "tt.descriptor_reduce" => {
            Form(&[Word("kind"), Operands, Offsets, Operands, Dict], Types::Each)
        }
        "tt.descriptor_gather" => Form(&[Operands, Index, Dict], Types::Function),
        "tt.descriptor_scatter" => Form(&[Operands, Index, Operands, Dict], Types::Each),
        "tt.print" => Own(print),
        "tt.assert" => Form(&[Operands, Str("message"), Dict], Types::First),
        "llvm.intr.assume" => Form(PLAIN, Types::First),
        "ttg.barrier" => Own(barrier),
        "gpu.barrier" | "tt.grid_dependency_wait" | "tt.grid_dependency_launch_dependents" => {
            Form(&[Dict], Types::Nothing)
        }
        "tt.call" => Form(&[Symbol("callee"), Args, Dict], Types::Function),
        "tt.return"
        | "scf.yield"
        | "tt.reduce.return"
        | "tt.scan.return"
        | "tt.map_elementwise.return" => Form(&[Dict, Operands, Dict], Types::Each),
        "scf.condition" => Form(&[Args, Operands, Dict], Types::Each),
        "scf.for" => Own(scf_for),
        "scf.if" => Own(scf_if),
        "scf.while" => Own(scf_while),
        "cf.br" | "cf.cond_br" => Own(branch),
        "tt.func" => Own(func),
        "module" | "builtin.module" => Own(module),
        _ if name.starts_with("arith.") || name.starts_with("math.") => Form(PLAIN, Types::All),
        _ => return None,
    })
}

/// Why an op that is known is not supported.
pub(crate) fn refused(name: &str) -> Option<&'static str> {
    let dialect = name.split('.').next().unwrap_or("");
    Some(match name {
        "tt.elementwise_inline_asm" => {
            "assembly is for one GPU; write the operation in Triton, or call a function of `libdevice`"
        }
        "tt.make_tensor_ptr" | "tt.advance" => {
            "block pointers were removed from Triton; use tensor descriptors or pointer arithmetic"
        }
        "tt.atomic_rmw_tensor"
        | "tt.experimental_descriptor_load"
        | "tt.experimental_descriptor_store" => {
            "it belongs to an older version of Triton; Trident reads the IR of versions 3.7 to 3.9"
        }
        "scf.execute_region" | "scf.index_switch" | "scf.parallel" | "scf.forall" => {
            "Triton's compiler never emits it"
        }
        "cf.switch" | "cf.assert" => "Triton's compiler never emits it",
        "arith.index_cast" | "arith.index_castui" => "Triton IR has no index type",
        "ttg.barrier" | "gpu.barrier" | "llvm.intr.assume" => return None,
        _ => match dialect {
            "ttg" | "ttng" | "gpu" | "nvgpu" | "nvvm" | "nvws" | "amdgpu" | "amdg" | "rocdl"
            | "gluon" => {
                "it belongs to a later, GPU-specific stage of Triton's compiler; give the `ttir` stage"
            }
            "llvm" => "it belongs to a later stage of Triton's compiler; give the `ttir` stage",
            _ => return None,
        },
    })
}

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
        op: &mut Op<'s>,
        items: &[Item],
        types: Types,
    ) -> Result<(), Failure> {
        let mut offsets = vec![];
        for item in items {
            match *item {
                Item::Operands => {
                    // Between operands and offsets in brackets stands a comma.
                    self.eat(",")?;
                    op.operands.extend(self.operands()?);
                }
                Item::Offsets => offsets = self.bracketed("[", "]")?,
                Item::Index => op.operands.extend(self.bracketed("[", "]")?),
                Item::Args => op.operands.extend(self.bracketed("(", ")")?),
                Item::Word(name) => {
                    let word = self.word("a keyword")?;
                    op.dict.set(name, Attr::Word(word));
                    self.eat(",")?;
                }
                Item::Str(name) => {
                    let text = self.string()?;
                    op.dict.set(name, Attr::Str(text));
                }
                Item::Symbol(name) => {
                    let symbol = self.symbol()?;
                    op.dict.set(name, Attr::Symbol(symbol));
                }
                Item::Keyword(word) => {
                    if self.eat_word(word)? {
                        op.operands.push(self.operand()?);
                    }
                }
                Item::Options => self.options(op)?,
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
    ) -> Result<Vec<super::Use<'s>>, Failure> {
        let described = if open == "[" { "`[`" } else { "`(`" };
        self.expect(open, described)?;
        self.list(close, "`,` or the closing bracket", Self::operand)
    }

    /// Flags and keyword arguments.
    pub(super) fn options(&mut self, op: &mut Op<'s>) -> Result<(), Failure> {
        self.eat(",")?;
        while let Token::Word(name) = self.token
            && name != "loc"
        {
            self.bump()?;
            let value = if self.eat("=")? {
                match self.token {
                    Token::Word(word) if !matches!(word, "true" | "false" | "array" | "dense") => {
                        self.bump()?;
                        Attr::Word(word)
                    }
                    _ => self.attr(0)?,
                }
            } else {
                if self.is("<") {
                    self.skip_angles()?;
                }
                Attr::Unit
            };
            op.dict.0.push((Cow::Borrowed(name), value));
            self.eat(",")?;
        }
        Ok(())
    }

    fn form_types(&mut self, op: &mut Op<'s>, types: Types) -> Result<(), Failure> {
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

    fn wrong(&self, op: &Op<'_>, at: usize, ty: &Type, expected: &str) -> Failure {
        Failure::new(
            at,
            crate::ErrorKind::Type {
                op: op.name.into(),
                what: "the type".into(),
                actual: ty.to_string(),
                expected: expected.into(),
            },
        )
    }
}
