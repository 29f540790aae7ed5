//! Programs in PIR's JSON.
//!
//! The text is read op by op. An identifier `#` names the kind of a node, `%` the number of a value; `A` are attributes,
//! `I` operands, `O` results. Keys that are not read here carry nothing that inference needs.

mod attr;
mod json;
mod types;

use crate::error::{Fault, PaddleErrorKind};
use crate::params::Stored;
use crate::program::{
    Args, Attr, Block, Budget, Form, Names, Op, Param, Port, Program, Var, VarInfo, VarType,
    repeated,
};
use json::Node;
use std::collections::HashMap;
use std::rc::Rc;

/// The oldest and the newest version of the format. Builds between releases write 0.
const VERSIONS: (i64, i64) = (0, 4);

/// The most blocks within each other.
const MOST_DEPTH: usize = 32;

/// Dialects that have a short form in identifiers.
const DIALECTS: &[(&str, &str)] =
    &[("0", "builtin"), ("1", "pd_op"), ("2", "cf"), ("3", "custom_op"), ("4", "pd_dist")];

/// Attributes that files before a version do not have: the version, the op, the attribute and its value.
///
/// Other differences between versions are in the width of numbers, which are all read as the widest kind.
const ADDED: &[(i64, &str, &str, Attr)] = &[
    (3, "repeat_interleave", "output_size", Attr::Int(-1)),
    (3, "repeat_interleave_with_tensor_index", "output_size", Attr::Int(-1)),
];

/// Reads a program. Its parameters are listed apart from it, until their data are read.
pub(crate) fn read(text: &str) -> Result<(Program, Vec<Stored>), Fault> {
    let root = Node::root(text)?;
    let not_pir = || PaddleErrorKind::NotPir;
    let [head, program] = root.fields(["base_code", "program"]).map_err(|_| not_pir())?;
    let [magic, version] = head.ok_or_else(not_pir)?.fields(["magic", "version"])?;
    if magic.ok_or_else(not_pir)?.string()? != "pir" {
        return Err(not_pir().into());
    }
    let version = version.ok_or_else(not_pir)?.int()?;
    let (oldest, newest) = VERSIONS;
    if !(oldest..=newest).contains(&version) {
        return Err(PaddleErrorKind::Version { found: version, oldest, newest }.into());
    }
    let [regions] = required(program, root, "a program")?.fields(["regions"])?;
    let body = only_block(required(regions, root, "regions")?)?;
    let mut reader = Reader { version, budget: Budget::of(text.len()), ..Reader::default() };
    let main = reader.block(body, 0)?;
    reader.outputs.sort_by_key(|(column, _)| *column);
    let program = Program {
        form: Form::Pir,
        version,
        vars: reader.vars,
        inputs: reader.inputs,
        outputs: reader.outputs.into_iter().map(|(_, port)| port).collect(),
        params: reader.unstored,
        main,
    };
    Ok((program, reader.stored))
}

fn required<'a>(
    node: Option<Node<'a>>,
    whole: Node<'a>,
    what: &str,
) -> Result<Node<'a>, PaddleErrorKind> {
    node.ok_or_else(|| whole.expected(what))
}

/// The block of the only region in a list.
fn only_block(regions: Node<'_>) -> Result<Node<'_>, PaddleErrorKind> {
    let [region] = regions.items()?[..] else { return Err(regions.expected("one region")) };
    block_of(region)
}

/// The only block of a region.
fn block_of(region: Node<'_>) -> Result<Node<'_>, PaddleErrorKind> {
    let [blocks] = region.fields(["blocks"])?;
    let [block] = required(blocks, region, "blocks")?.items()?[..] else {
        return Err(region.expected("one block"));
    };
    Ok(block)
}

/// The state while a program is read.
#[derive(Default)]
struct Reader {
    version: i64,
    budget: Budget,
    vars: Vec<VarInfo>,
    /// Values that may be used, by their numbers in the file.
    visible: HashMap<i64, Var>,
    names: Names,
    /// Number of ops that were read.
    ops: u32,
    inputs: Vec<Port>,
    /// Outputs with their columns.
    outputs: Vec<(i64, Port)>,
    unstored: Vec<Param>,
    stored: Vec<Stored>,
}

impl Reader {
    fn block(&mut self, node: Node<'_>, depth: usize) -> Result<Block, Fault> {
        if depth > MOST_DEPTH {
            return Err(PaddleErrorKind::TooDeep { limit: MOST_DEPTH }.into());
        }
        let [args, ops] = node.fields(["args", "ops"])?;
        let mut block = Block::default();
        let mut defined = vec![];
        if let Some(args) = args {
            args.each(|arg| {
                let [number, ty] = arg.fields(["#", "TT"])?;
                let number = required(number, arg, "a block's argument")?.int()?;
                block.params.push(self.define(number, types::read(ty)?, None)?);
                defined.push(number);
                Ok(())
            })?;
        }
        let mut complete = false;
        required(ops, node, "a block with ops")?.each(|op| {
            if complete {
                return Err(op.expected("the end of the block after `yield`").into());
            }
            complete = self.op(op, &mut block, &mut defined, depth)?;
            Ok(())
        })?;
        // What a block defines is not visible after it.
        defined.iter().for_each(|number| {
            self.visible.remove(number);
        });
        Ok(block)
    }

    /// Reads an op into a block; whether it ends the block.
    fn op(
        &mut self,
        node: Node<'_>,
        block: &mut Block,
        defined: &mut Vec<i64>,
        depth: usize,
    ) -> Result<bool, Fault> {
        let [identifier] = node.fields(["#"])?;
        let identifier = required(identifier, node, "an op")?.string()?;
        self.budget.take::<Op>()?;
        let number = self.ops;
        self.ops += 1;
        let (dialect, name) = match &*identifier {
            "p" => ("0", "parameter"),
            text => text.split_once('.').ok_or_else(|| node.expected("an op of a dialect"))?,
        };
        let dialect = DIALECTS.iter().find(|(id, _)| *id == dialect).map_or(dialect, |(_, d)| d);
        let mut op = Op {
            dialect: self.names.shared(dialect),
            name: self.names.shared(name),
            operands: Args::default(),
            results: Args::default(),
            attrs: vec![],
            blocks: vec![],
            layer: None,
            number,
        };
        let read = match &*identifier {
            "p" => self.parameter(node, defined).map(|()| false),
            _ => self.contents(node, &mut op, block, defined, depth),
        };
        match read {
            Ok(true) => block.ops.push(op),
            Ok(false) => return Ok(&*op.dialect == "cf" && &*op.name == "yield"),
            Err(fault) => return Err(fault.at(&op)),
        }
        Ok(false)
    }

    /// Reads a parameter, whose attributes have positions.
    fn parameter(&mut self, node: Node<'_>, defined: &mut Vec<i64>) -> Result<(), Fault> {
        let [attrs, result, flags] = node.fields(["A", "O", "OA"])?;
        let attrs = required(attrs, node, "attributes")?.items()?;
        let name = attrs.get(3).copied();
        let name: Rc<str> = required(name, node, "a parameter's name")?.string()?.into();
        let result = required(result, node, "a parameter with a result")?;
        let result = match result.is_object() {
            true => result,
            false => required(result.items()?.first().copied(), node, "a result")?,
        };
        // Files for inference only may leave the flags out: all of their parameters are stored.
        let persistable = flags.map(Node::items).transpose()?;
        let persistable = persistable.as_ref().and_then(|flags| flags.first());
        let is_stored = persistable.map_or(Ok(true), |flag| flag.flag())?;
        let var = self.result(result, Some(name.clone()), defined)?;
        let var = var.ok_or_else(|| result.expected("a parameter's value"))?;
        match is_stored {
            true => self.stored.push(Stored { name, var }),
            false => self.unstored.push(Param { var, data: None }),
        }
        Ok(())
    }

    /// Reads everything of an op but its identifier; whether it is one of the block's ops.
    fn contents(
        &mut self,
        node: Node<'_>,
        op: &mut Op,
        block: &mut Block,
        defined: &mut Vec<i64>,
        depth: usize,
    ) -> Result<bool, Fault> {
        let [operands, results, attrs, quant_attrs, regions] =
            node.fields(["I", "O", "A", "QA", "regions"])?;
        let mut listed = vec![];
        for attrs in [attrs, quant_attrs].into_iter().flatten() {
            attrs.each(|attr| {
                let [name, value] = attr.fields(["N", "AT"])?;
                let name = required(name, attr, "an attribute with a name")?.string()?;
                let value = attr::read(required(value, attr, "an attribute with a value")?)?;
                match (&*name, &value) {
                    ("struct_name", Attr::Text(layer)) => op.layer = Some(self.names.shared(layer)),
                    _ => listed.push((self.names.shared(&name), value)),
                }
                Ok(())
            })?;
        }
        if let Some(error) = repeated(listed.iter().map(|(name, _)| &**name)) {
            return Err(error.into());
        }
        op.attrs = listed;
        for (since, name, attr, value) in ADDED {
            if self.version < *since && *name == &*op.name && op.attr(attr).is_none() {
                op.attrs.push((self.names.shared(attr), value.clone()));
            }
        }
        op.operands = self.operands(operands)?;
        let is_paddle = &*op.dialect == "pd_op";
        match &*op.name {
            "data" | "feed" if is_paddle && depth == 0 => {
                let name: Rc<str> = text(op, "name")?.into();
                let result = first(results, node)?;
                let var = self.result(result, Some(name.clone()), defined)?;
                let var = var.ok_or_else(|| result.expected("an input's value"))?;
                self.inputs.push(Port { name, var });
                return Ok(false);
            }
            "fetch" | "shadow_output" if is_paddle && depth == 0 => {
                let is_fetch = &*op.name == "fetch";
                let name = text(op, if is_fetch { "name" } else { "output_name" })?.into();
                let column = op.attr("col").and_then(Attr::as_int);
                let column = column.unwrap_or(self.outputs.len() as i64);
                let var = op.operands.at(0).ok_or_else(|| node.expected("an output's value"))?;
                self.outputs.push((column, Port { name, var }));
                return Ok(false);
            }
            "yield" if &*op.dialect == "cf" => {
                let Args::Positions(values) = &op.operands else { return Ok(false) };
                let values: Option<Vec<Var>> = values.iter().copied().collect();
                block.results = values.ok_or_else(|| node.expected("values for all results"))?;
                return Ok(false);
            }
            _ => {}
        }
        if let Some(regions) = regions {
            regions.each(|region| {
                op.blocks.push(self.block(block_of(region)?, depth + 1)?);
                Ok(())
            })?;
        }
        let mut given = vec![];
        if let Some(results) = results {
            let mut each = |result| {
                given.push(self.result(result, None, defined)?);
                Ok(())
            };
            match results.is_object() {
                true => each(results)?,
                false => results.each(each)?,
            }
        }
        op.results = Args::Positions(given.into());
        match is_paddle.then(|| control_fault(op)).flatten() {
            Some(fault) => Err(PaddleErrorKind::Malformed(fault).into()),
            None => Ok(true),
        }
    }

    fn operands(&mut self, list: Option<Node<'_>>) -> Result<Args, Fault> {
        let mut operands = vec![];
        let Some(list) = list else { return Ok(Args::default()) };
        list.each(|operand| {
            let [number] = operand.fields(["%"])?;
            operands.push(match required(number, operand, "an operand")?.int()? {
                0 => None,
                number => match self.visible.get(&number) {
                    Some(&var) => Some(var),
                    None => {
                        return Err(
                            PaddleErrorKind::Undefined { value: format!("%{number}") }.into()
                        );
                    }
                },
            });
            Ok(())
        })?;
        Ok(Args::Positions(operands.into()))
    }

    /// The variable of a result; `None` for one that the op does not give.
    fn result(
        &mut self,
        node: Node<'_>,
        name: Option<Rc<str>>,
        defined: &mut Vec<i64>,
    ) -> Result<Option<Var>, Fault> {
        let [number, ty] = node.fields(["%", "TT"])?;
        let number = required(number, node, "a result")?.int()?;
        if number == 0 {
            return Ok(None);
        }
        let var = self.define(number, types::read(ty)?, name)?;
        defined.push(number);
        Ok(Some(var))
    }

    fn define(&mut self, number: i64, ty: VarType, name: Option<Rc<str>>) -> Result<Var, Fault> {
        self.budget.take::<VarInfo>()?;
        let var = Var(self.vars.len() as u32);
        let name = name.unwrap_or_else(|| format!("%{number}").into());
        if self.visible.insert(number, var).is_some() {
            return Err(PaddleErrorKind::DefinedTwice { value: name.to_string() }.into());
        }
        self.vars.push(VarInfo { name, ty });
        Ok(var)
    }
}

/// A text that an op must have.
fn text<'o>(op: &'o Op, attr: &str) -> Result<&'o str, PaddleErrorKind> {
    let missing = || PaddleErrorKind::Malformed(format!("attribute `{attr}` is missing"));
    op.attr(attr).and_then(Attr::as_text).ok_or_else(missing)
}

/// The first of a list of results.
fn first<'a>(results: Option<Node<'a>>, op: Node<'a>) -> Result<Node<'a>, PaddleErrorKind> {
    let results = required(results, op, "a result")?;
    required(results.items()?.first().copied(), op, "a result")
}

/// The fault of a loop or branch whose blocks do not fit it.
fn control_fault(op: &Op) -> Option<String> {
    let results = op.results.len();
    let fault = match (&*op.name, &op.blocks[..]) {
        ("while", [body]) => {
            op.operands.len() != results + 1
                || body.params.len() != results
                || body.results.len() != results + 1
        }
        ("if", [yes, no]) => {
            op.operands.len() != 1
                || [yes, no].iter().any(|b| b.results.len() != results || !b.params.is_empty())
        }
        ("while" | "if", _) => true,
        _ => false,
    };
    fault.then(|| format!("the blocks of `{}` do not fit its operands and results", op.name))
}

#[cfg(test)]
mod tests;
