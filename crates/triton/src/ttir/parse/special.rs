//! Custom forms that no sequence of items describes.

use super::lexer::Token;
use super::{Draft, Param, Parser};
use crate::Failure;
use crate::ttir::form::Own;
use crate::ttir::loc::LocId;
use crate::ttir::{Attr as Text, AttrDict};
use trident_ir::{DType, Type};

type Parsed = Result<(), Failure>;

fn truth() -> Type {
    Type::fixed(DType::Bool, &[])
}

/// Reads the form into `op`, whose name is read.
pub(super) fn own<'s>(p: &mut Parser<'s, '_>, form: Own, op: &mut Draft<'s>) -> Parsed {
    match form {
        Own::Constant => constant(p, op),
        Own::DotScaled => dot_scaled(p, op),
        Own::MakeDescriptor => make_tensor_descriptor(p, op),
        Own::Print => print(p, op),
        Own::Barrier => barrier(p, op),
        Own::For => scf_for(p, op),
        Own::If => scf_if(p, op),
        Own::While => scf_while(p, op),
        Own::Branch => branch(p, op),
        Own::Func => func(p, op),
        Own::Module => module(p, op),
    }
}

/// `1 : i32`, `true`, `dense<0.0> : tensor<16xf32>`.
fn constant<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    p.attr_dict(&mut op.dict)?;
    let value = match p.token {
        Token::Number(_) | Token::Punct("-") => {
            let at = p.at;
            let number = p.signed()?;
            p.expect(":", "`:`")?;
            let ty = p.ty()?;
            let value = super::attr::scalar(at, &number, &ty)?;
            op.result_types = vec![ty];
            value
        }
        _ => p.attr(0)?,
    };
    match &value {
        Text::Bool(_) => op.result_types = vec![truth()],
        Text::Dense(dense) => op.result_types = vec![dense.ty.clone()],
        Text::Int(..) | Text::Float(..) => {}
        _ => return p.expected("a number, `true`, `false` or `dense<…>`"),
    }
    op.dict.set("value", value);
    Ok(())
}

/// `%a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e2m1 {…} : TA, TSA * TB, TSB -> TC`. The operands are put in the
/// order of the generic form, scales last.
fn dot_scaled<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    let mut scales = [None, None];
    for scale in &mut scales {
        op.operands.push(p.operand()?);
        if p.eat_word("scale")? {
            *scale = Some(p.operand()?);
        }
        p.expect(",", "`,`")?;
    }
    op.operands.push(p.operand()?);
    p.options(op)?;
    p.attr_dict(&mut op.dict)?;
    p.expect(":", "`:`")?;
    let mut scale_types = vec![];
    for (i, scale) in scales.iter().enumerate() {
        op.operand_types.push(p.ty()?);
        if scale.is_some() {
            p.expect(",", "`,`")?;
            scale_types.push(p.ty()?);
        }
        match i {
            0 => p.expect("*", "`*`")?,
            _ => p.expect("->", "`->`")?,
        }
    }
    let c = p.ty()?;
    op.result_types = vec![c.clone()];
    op.operand_types.push(c);
    op.operand_types.extend(scale_types);
    let sizes = [true, true, true, scales[0].is_some(), scales[1].is_some()];
    op.dict.set("operandSegmentSizes", Text::Array(DType::I32, sizes.map(i64::from).to_vec()));
    op.operands.extend(scales.into_iter().flatten());
    Ok(())
}

/// `%base, [%shape…], [%strides…] {…} : <f16>, <64x32xf16>`.
fn make_tensor_descriptor<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    op.operands.push(p.operand()?);
    for _ in 0..2 {
        p.expect(",", "`,`")?;
        op.operands.extend(p.bracketed("[", "]")?);
    }
    p.options(op)?;
    p.attr_dict(&mut op.dict)?;
    p.expect(":", "`:`")?;
    op.operand_types = vec![p.bare_pointer()?];
    p.expect(",", "`,`")?;
    op.result_types = vec![p.bare_descriptor()?];
    Ok(())
}

/// `"prefix" {…} : %a, %b : T, T`; without operands nothing follows the attributes.
fn print<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    let prefix = p.string()?;
    op.dict.set("prefix", Text::Str(prefix.into()));
    p.attr_dict(&mut op.dict)?;
    if p.eat(":")? {
        op.operands = p.operands()?;
        p.expect(":", "`:`")?;
        op.operand_types = p.types()?;
    }
    Ok(())
}

/// `all`, `local`, `global_read|global_write` …
fn barrier<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    let at = p.at;
    p.word("the memory that the barrier orders")?;
    while p.token == Token::Stray('|') {
        p.bump()?;
        p.word("the memory that the barrier orders")?;
    }
    op.dict.set("memory", Text::Word(p.text_from(at).to_owned().into()));
    p.attr_dict(&mut op.dict)
}

/// `%i = %lower to %upper step %step iter_args(%a = %x) -> (T) : i32 {…}`.
fn scf_for<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    if p.is_word("unsigned") {
        return p.expected("a loop with a signed counter");
    }
    let at = p.at;
    let counter = p.value_name("the counter, `%…`")?;
    p.expect("=", "`=`")?;
    op.operands.push(p.operand()?);
    p.expect_word("to", "`to`")?;
    op.operands.push(p.operand()?);
    p.expect_word("step", "`step`")?;
    op.operands.push(p.operand()?);
    let mut carried = vec![];
    if p.eat_word("iter_args")? {
        carried = carried_values(p, op)?;
        p.expect("->", "`->`")?;
        op.result_types = p.arrow_types()?;
    }
    // The type of the counter is left out where it is MLIR's `index`.
    p.expect(":", "`:`")?;
    let ty = p.ty()?;
    op.operand_types = vec![ty.clone(); 3];
    op.operand_types.extend(op.result_types.iter().cloned());
    let mut params =
        vec![Param { at, name: counter, ty, dict: AttrDict::default(), loc: LocId::UNKNOWN }];
    params.extend(typed(p, carried, &op.result_types)?);
    op.regions.push(p.region(params)?);
    p.attr_dict(&mut op.dict)
}

/// `(%a = %x, %b = %y)`: the names, their places, and the operands to `op`.
fn carried_values<'s>(
    p: &mut Parser<'s, '_>,
    op: &mut Draft<'s>,
) -> Result<Vec<(usize, &'s str)>, Failure> {
    p.expect("(", "`(`")?;
    p.list(")", "`,` or `)`", |p| {
        let at = p.at;
        let name = p.value_name("a carried value, `%…`")?;
        p.expect("=", "`=`")?;
        op.operands.push(p.operand()?);
        Ok((at, name))
    })
}

fn typed<'s>(
    p: &Parser<'s, '_>,
    names: Vec<(usize, &'s str)>,
    types: &[Type],
) -> Result<Vec<Param<'s>>, Failure> {
    if names.len() != types.len() {
        return p.expected("as many types as carried values");
    }
    let params = names.into_iter().zip(types.iter().cloned());
    Ok(params
        .map(|((at, name), ty)| Param {
            at,
            name,
            ty,
            dict: AttrDict::default(),
            loc: LocId::UNKNOWN,
        })
        .collect())
}

/// `%c -> (T) {…} else {…}`.
fn scf_if<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    op.operands.push(p.operand()?);
    op.operand_types.push(truth());
    if p.eat("->")? {
        op.result_types = p.arrow_types()?;
    }
    op.regions.push(p.region(vec![])?);
    if p.eat_word("else")? {
        op.regions.push(p.region(vec![])?);
    }
    p.attr_dict(&mut op.dict)
}

/// `(%a = %x) : (T) -> (T) {…} do {…} attributes {…}`.
fn scf_while<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    let carried = if p.is("(") { carried_values(p, op)? } else { vec![] };
    p.expect(":", "`:`")?;
    op.operand_types = p.type_list()?;
    p.expect("->", "`->`")?;
    op.result_types = p.arrow_types()?;
    let params = typed(p, carried, &op.operand_types)?;
    op.regions.push(p.region(params)?);
    p.expect_word("do", "`do`")?;
    op.regions.push(p.region(vec![])?);
    if p.eat_word("attributes")? {
        p.attr_dict(&mut op.dict)?;
    }
    Ok(())
}

/// `^bb(%x : T)`, or `%c, ^bb1, ^bb2(%x : T)`.
fn branch<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    if op.name == "cf.cond_br" {
        op.operands.push(p.operand()?);
        op.operand_types.push(truth());
        if p.is_word("weights") {
            p.bump()?;
            p.expect("(", "`(`")?;
            p.list(")", "`,` or `)`", Parser::signed)?;
        }
        p.expect(",", "`,`")?;
        op.successors.push(p.successor()?);
        p.expect(",", "`,`")?;
    }
    op.successors.push(p.successor()?);
    p.attr_dict(&mut op.dict)
}

/// `public @name(%a: T {…}) -> (T) attributes {…} {…}`.
fn func<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    if let Token::Word(visibility @ ("public" | "private" | "nested")) = p.token {
        p.bump()?;
        op.dict.set("sym_visibility", Text::Word(visibility.to_owned().into()));
    }
    let name = p.symbol()?;
    op.dict.set("sym_name", Text::Symbol(name.into()));
    p.expect("(", "`(`")?;
    let params = p.params()?;
    let mut results = vec![];
    if p.eat("->")? {
        results = if p.eat("(")? {
            p.list(")", "`,` or `)`", |p| {
                let ty = p.ty()?;
                p.attr_dict(&mut AttrDict::default())?;
                Ok(ty)
            })?
        } else {
            vec![p.ty()?]
        };
    }
    op.dict.set("results", Text::List(results.into_iter().map(Text::Type).collect()));
    if p.eat_word("attributes")? {
        p.attr_dict(&mut op.dict)?;
    }
    op.regions.push(p.region(params)?);
    Ok(())
}

/// `@name attributes {…} {…}`.
fn module<'s>(p: &mut Parser<'s, '_>, op: &mut Draft<'s>) -> Parsed {
    if let Token::Symbol(_) = p.token {
        p.symbol()?;
    }
    if p.eat_word("attributes")? {
        p.attr_dict(&mut op.dict)?;
    }
    op.regions.push(p.region(vec![])?);
    Ok(())
}
