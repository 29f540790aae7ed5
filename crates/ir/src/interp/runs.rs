//! Lines of file tests that state the results of a function:
//!
//! ```text
//! ; run: @f(3, f32[4](1, 2, 3, 4)) == 6, f32[4](2, 4, 6, 8)
//! ; run: @kernel[2, 1, 1](&i32[2](0, 0), &f32[8]?, 1.5) == &i32[2](1, 2), &f32[8](…)
//! ; run: @f(0, …) == error: @f: assert, program (0, 0, 0): assertion failed: not zero
//! ```
//!
//! * A scalar is written without a type, blocks and tensors with their type. `&` before a tensor puts it into memory
//!   under the parameter's name and passes its address; `?` in place of elements leaves them unwritten.
//! * A grid may follow the name: then all its programs run and results are ignored. Without one the function is the
//!   only program.
//! * The outcome is the results, then the contents of the tensors in memory, then the printed lines, in quotes.

use super::{Block, InterpValue, Interpreter, Memory};
use crate::{DType, Literal, Module, Type};

/// Runs the lines of `text` that start with `; run:` on the functions of a module, and compares the outcomes. Returns
/// the number of such lines.
///
/// # Errors
/// The first line that is malformed, or whose outcome differs.
pub fn check(module: &Module, text: &str) -> Result<usize, String> {
    let runs = text.lines().filter_map(|line| line.strip_prefix("; run:")).map(str::trim);
    let mut n = 0;
    for line in runs {
        n += 1;
        let (call, expected) =
            line.split_once("==").ok_or_else(|| format!("`{line}`: there is no `==`"))?;
        let actual = run(module, call.trim()).map_err(|e| format!("`{line}`: {e}"))?;
        if actual != expected.trim() {
            return Err(format!("{} == {actual}\nthe file says {}", call.trim(), expected.trim()));
        }
    }
    if n == 0 { Err("there is no line that starts with `; run:`".into()) } else { Ok(n) }
}

fn run(module: &Module, call: &str) -> Result<String, String> {
    let (head, args) = call
        .strip_prefix('@')
        .and_then(|rest| rest.strip_suffix(')')?.split_once('('))
        .ok_or("a call looks like `@name(arguments)`")?;
    let (name, grid) = match head.split_once('[') {
        Some((name, grid)) => (name, Some(axes(grid)?)),
        None => (head, None),
    };
    let func = module.funcs.iter().find(|f| f.name == name).ok_or("there is no such function")?;
    let mut memory = Memory::default();
    let mut values = vec![];
    let mut tensors = vec![];
    for (i, arg) in split(args).into_iter().enumerate() {
        let id = func.body.params.get(i).ok_or("more arguments than parameters")?;
        let info = func.info(*id);
        values.push(match arg.strip_prefix('&') {
            Some(tensor) => {
                let literal = tensor.strip_suffix('?').map_or_else(|| parse(tensor), unwritten)?;
                let bytes = literal.len() * literal.dtype().size();
                let address = memory.reserve(&info.name, bytes);
                if !tensor.ends_with('?') {
                    fill(&mut memory, address, &literal)?;
                }
                tensors.push((info.name.clone(), literal));
                InterpValue::address(address)
            }
            None => InterpValue::Block(argument(arg, &info.ty)?),
        });
    }
    let mut interpreter = Interpreter::new(module).map_err(|e| e.to_string())?;
    interpreter.max_steps = 1 << 20;
    let outcome = match grid {
        Some(grid) => interpreter.launch(grid, &values, &mut memory).map(|()| vec![]),
        None => interpreter.call(name, &values, &mut memory),
    };
    let results = match outcome {
        Ok(results) => results,
        Err(error) => return Ok(format!("error: {error}")),
    };
    let mut shown: Vec<String> = results.iter().map(show).collect();
    for (name, literal) in tensors {
        let bytes = memory.bytes(&name).unwrap_or_default().to_vec();
        let now = Literal::from_bytes(literal.dtype(), literal.dims().to_vec(), bytes.into());
        shown.push(format!("&{}", now.map_err(|e| e.to_string())?));
    }
    shown.extend(interpreter.printed.iter().map(|line| format!("{line:?}")));
    Ok(shown.join(", "))
}

fn axes(grid: &str) -> Result<[u32; 3], String> {
    let grid = grid.strip_suffix(']').ok_or("the grid ends with `]`")?;
    let axes: Result<Vec<u32>, _> = grid.split(',').map(|n| n.trim().parse()).collect();
    axes.ok().and_then(|axes| axes.try_into().ok()).ok_or_else(|| "a grid is three numbers".into())
}

/// Cuts at commas outside of parentheses and brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, vec![]);
    for (i, c) in list.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                items.push(list[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    let last = list[start..].trim();
    if !last.is_empty() {
        items.push(last);
    }
    items
}

fn parse(text: &str) -> Result<Literal, String> {
    text.parse().map_err(|e: crate::text::ParseError| e.to_string())
}

/// A tensor of zeros of the type in `text`.
fn unwritten(text: &str) -> Result<Literal, String> {
    let (dtype, dims) = text.split_once('[').ok_or("a type looks like `f32[4]`")?;
    let dtype: DType = dtype.parse().map_err(|e: crate::dtype::UnknownDType| e.to_string())?;
    let dims = dims.strip_suffix(']').ok_or("a type ends with `]`")?;
    let dims: Result<Vec<usize>, _> = split(dims).into_iter().map(str::parse).collect();
    let dims = dims.map_err(|_| "dimensions are numbers")?;
    let bytes = crate::literal::checked_len(&dims).and_then(|n| n.checked_mul(dtype.size()));
    let bytes = bytes.filter(|&n| n <= 1 << 28).ok_or("the tensor is too large")?;
    Literal::from_bytes(dtype, dims, vec![0; bytes].into()).map_err(|e| e.to_string())
}

fn fill(memory: &mut Memory, address: u64, literal: &Literal) -> Result<(), String> {
    let size = literal.dtype().size() as u64;
    let block = Block::from_literal(literal).ok_or("no such elements in memory")?;
    for (i, &bits) in (0u64..).zip(block.bits.iter()) {
        memory.write(address + i * size, size as usize, bits).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// A block with its type, or a bare scalar of the parameter's.
fn argument(text: &str, ty: &Type) -> Result<Block, String> {
    let literal = match (text.ends_with(')'), ty.dtype()) {
        (true, _) | (_, None) => parse(text)?,
        (false, Some(dtype)) => parse(&format!("{dtype}[]({text})"))?,
    };
    Block::from_literal(&literal).ok_or_else(|| "no such elements in blocks".into())
}

/// As the text form, scalars bare.
fn show(value: &InterpValue) -> String {
    let InterpValue::Block(block) = value else { return value.describe() };
    let Some(literal) = block.to_literal() else { return value.describe() };
    let text = literal.to_string();
    match block.dims.is_empty() {
        true => text.split_once('(').map_or("", |(_, rest)| rest).trim_end_matches(')').to_owned(),
        false => text,
    }
}
