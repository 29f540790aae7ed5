//! Programs to functions of the IR.
//!
//! Each op becomes graph ops by its row of the [`catalogue`]. Lists and control flow are not rows: they are turned into
//! lists of values and into the ops `if` and `loop` here.

mod arrays;
mod control;

use crate::catalogue::{self, Bound, Call, Graph, Out, Outputs};
use crate::error::{Fault, PaddleErrorKind};
use crate::program::{Args, Block, Op, Program, TensorInfo, Var, VarType};
use std::collections::{HashMap, HashSet};
use trident_ir::shape::Stepwise;
use trident_ir::{Builder, DType, Dim, Func, Level, Loc, Module, Type, ValueId, ops};

/// The module of a program: one function, with the program's inputs and outputs by their names.
pub(crate) fn import(program: &Program) -> Result<Module, Fault> {
    let mut func = Func::new("main", Level::Graph);
    let mut facts = Stepwise::default();
    let bound = vec![None; program.vars.len()];
    let mut import = Import { program, bound, same: HashMap::new() };
    let params = import.inputs(&mut func)?;
    let mut graph = Graph { b: Builder::new(&mut func), facts: &mut facts };
    import.parameters(&mut graph)?;
    import.ops(&mut graph, &program.main)?;
    let results = import.outputs(&mut graph)?;
    let mut body = graph.b.finish();
    (body.params, body.results) = (params, results);
    func.body = body;
    func.unique_names();
    Ok(Module { funcs: vec![func], ..Module::default() })
}

/// The variables of a program that have values so far.
struct Import<'p> {
    program: &'p Program,
    /// By [`Var`].
    bound: Vec<Option<Bound>>,
    /// Results that are an array which an op has written in place, with the variable of the array.
    same: HashMap<Var, Var>,
}

impl Import<'_> {
    fn bind(&mut self, var: Var, bound: Bound) {
        self.bound[var.index()] = Some(bound);
    }

    /// The value of a variable.
    fn value(&self, var: Var) -> Result<ValueId, PaddleErrorKind> {
        let unusable = |what: &str| {
            let name = &self.program.var(var).name;
            Err(PaddleErrorKind::Unsupported(format!("`{name}` {what}")))
        };
        match &self.bound[var.index()] {
            Some(Bound::Value(value)) => Ok(*value),
            Some(Bound::List(_)) => unusable("is a list, where one tensor is expected"),
            Some(Bound::Absent) => unusable("has no data in the file of parameters"),
            None => unusable("is a result that is not supported"),
        }
    }

    /// The parameters of the function. Each dimension that is not known has a name of its own.
    fn inputs(&mut self, func: &mut Func) -> Result<Vec<ValueId>, Fault> {
        let mut params = vec![];
        let mut open = 0;
        for input in &self.program.inputs {
            let VarType::Tensor(info) = &self.program.var(input.var).ty else {
                let reason = format!("input `{}` is not a tensor", input.name);
                return Err(PaddleErrorKind::Unsupported(reason).into());
            };
            let Some(dtype) = info.dtype else {
                let reason = format!("the element type of input `{}` is not supported", input.name);
                return Err(PaddleErrorKind::Unsupported(reason).into());
            };
            let mut dim = |&n: &i64| {
                usize::try_from(n).map(Dim::Fixed).unwrap_or_else(|_| {
                    open += 1;
                    Dim::sym(&format!("s{}", open - 1))
                })
            };
            let ty = match &info.dims {
                Some(dims) => Type::tensor(dtype, dims.iter().map(&mut dim)),
                None => Type::unranked(dtype),
            };
            let value = func.value(&*input.name, ty);
            params.push(value);
            self.bind(input.var, Bound::Value(value));
        }
        Ok(params)
    }

    /// Constants for the parameters of the model.
    fn parameters(&mut self, graph: &mut Graph<'_>) -> Result<(), Fault> {
        for param in &self.program.params {
            let bound = match &param.data {
                Some(data) => {
                    let name = &self.program.var(param.var).name;
                    graph.b.loc = Some(Loc::node(&**name));
                    let value = graph.literal(data.clone())?;
                    name.as_ref().clone_into(&mut graph.b.func.values[value.index()].name);
                    Bound::Value(value)
                }
                None => Bound::Absent,
            };
            self.bind(param.var, bound);
        }
        Ok(())
    }

    /// The results of the function, by the names of the program's outputs.
    fn outputs(&mut self, graph: &mut Graph<'_>) -> Result<Vec<ValueId>, Fault> {
        let mut results = vec![];
        // Values that may be results as they are: made by an op, and not a result yet.
        let made = graph.b.block.ops.iter().flat_map(|op| op.outputs.iter().flatten().copied());
        let mut free: HashSet<ValueId> = made.collect();
        for output in &self.program.outputs {
            let mut value = self.value(output.var)?;
            if !free.remove(&value) {
                graph.b.loc = None;
                value = graph.add(ops::Identity::new(value))?;
            }
            output.name.as_ref().clone_into(&mut graph.b.func.values[value.index()].name);
            results.push(value);
        }
        Ok(results)
    }

    /// The ops of a block.
    fn ops(&mut self, graph: &mut Graph<'_>, block: &Block) -> Result<(), Fault> {
        block.ops.iter().try_for_each(|op| self.op(graph, op).map_err(|fault| fault.at(op)))
    }

    fn op(&mut self, graph: &mut Graph<'_>, op: &Op) -> Result<(), Fault> {
        graph.b.loc = Some(self.place(op));
        self.refresh_arrays(op);
        match (&*op.dialect, &*op.name) {
            ("pd_op" | "legacy", "while") => self.repeat(graph, op),
            ("pd_op" | "legacy", "if") => self.branch(graph, op),
            // A check of the model, without results.
            ("pd_op" | "legacy", "assert") => Ok(()),
            ("builtin", "combine") => self.combine(op),
            ("builtin", "split") => self.split(op),
            ("builtin", "slice") => self.item(op),
            ("builtin", "undefined") => self.undefined(graph, op),
            ("pd_op" | "legacy", _) => self.row(graph, op),
            (dialect, _) => Err(PaddleErrorKind::Dialect { dialect: dialect.to_owned() }.into()),
        }
    }

    /// The place of an op's graph ops: its layer, or else its first result.
    fn place(&self, op: &Op) -> Loc {
        match (&op.layer, op.results.iter().next()) {
            (Some(layer), _) => Loc::node(&**layer),
            (None, Some(var)) => Loc::node(&*self.program.var(var).name),
            (None, None) => Loc::node(&*op.name),
        }
    }

    /// An op by its row.
    fn row(&mut self, graph: &mut Graph<'_>, op: &Op) -> Result<(), Fault> {
        let found = match &*op.dialect {
            "legacy" => catalogue::find_old(&op.name),
            _ => catalogue::find(&op.name).map(|row| (row, None)),
        };
        let Some((row, old)) = found else { return Err(PaddleErrorKind::UnknownOp.into()) };
        let first = graph.b.func.values.len();
        let mut call = Call::new(graph, self.program, &self.bound, op, (row, old));
        let Outputs(outs) = call.build()?;
        let slots = match &op.results {
            Args::Positions(_) => vec![],
            Args::Slots(_) => Call::slots_of_results(op, row, old),
        };
        for (i, out) in outs.into_iter().enumerate() {
            let vars: Vec<Option<Var>> = match &op.results {
                Args::Positions(_) => vec![op.results.at(i)],
                Args::Slots(_) => slots.get(i).cloned().unwrap_or_default(),
            };
            self.results(graph, first, &vars, out);
        }
        self.note_written_array(op);
        Ok(())
    }

    /// Gives variables their values. Values that the op has made get the names of the variables.
    fn results(&mut self, graph: &mut Graph<'_>, first: usize, vars: &[Option<Var>], out: Out) {
        let mut name = |import: &Self, var: Var, value: ValueId| {
            if value.index() >= first {
                let name = &import.program.var(var).name;
                name.as_ref().clone_into(&mut graph.b.func.values[value.index()].name);
            }
        };
        match (vars, out) {
            ([Some(var), ..], Out::Tensor(value)) => {
                name(self, *var, value);
                self.bind(*var, Bound::Value(value));
            }
            ([Some(var)], Out::List(values))
                if !matches!(self.program.var(*var).ty, VarType::Tensor(_)) =>
            {
                self.bind(*var, Bound::List(values));
            }
            (vars, Out::List(values)) => {
                for (var, value) in vars.iter().zip(values) {
                    if let Some(var) = var {
                        name(self, *var, value);
                        self.bind(*var, Bound::Value(value));
                    }
                }
            }
            _ => {}
        }
    }

    /// A list of its operands.
    fn combine(&mut self, op: &Op) -> Result<(), Fault> {
        let values = op.operands.iter().map(|var| self.value(var)).collect::<Result<_, _>>()?;
        if let Some(var) = op.results.at(0) {
            self.bind(var, Bound::List(values));
        }
        Ok(())
    }

    fn list(&self, op: &Op) -> Result<Vec<ValueId>, PaddleErrorKind> {
        match op.operands.at(0).and_then(|var| self.bound[var.index()].as_ref()) {
            Some(Bound::List(values)) => Ok(values.clone()),
            _ => Err(PaddleErrorKind::Unsupported("its operand is not a list".to_owned())),
        }
    }

    /// Each item of a list as a result.
    fn split(&mut self, op: &Op) -> Result<(), Fault> {
        for (i, value) in self.list(op)?.into_iter().enumerate() {
            if let Some(var) = op.results.at(i) {
                self.bind(var, Bound::Value(value));
            }
        }
        Ok(())
    }

    /// One item of a list.
    fn item(&mut self, op: &Op) -> Result<(), Fault> {
        let items = self.list(op)?;
        let index = op.attr("index").and_then(|attr| attr.as_int()).unwrap_or(-1);
        let item = usize::try_from(index).ok().and_then(|index| items.get(index));
        let Some(&item) = item else {
            let reason = format!("item {index} of a list of {}", items.len());
            return Err(PaddleErrorKind::Unsupported(reason).into());
        };
        if let Some(var) = op.results.at(0) {
            self.bind(var, Bound::Value(item));
        }
        Ok(())
    }

    /// A variable that has no value yet: zeros of its type, which an op will replace before one reads them.
    fn undefined(&mut self, graph: &mut Graph<'_>, op: &Op) -> Result<(), Fault> {
        let Some(var) = op.results.at(0) else { return Ok(()) };
        let bound = match &self.program.var(var).ty {
            VarType::Tensor(TensorInfo { dtype, dims }) => {
                let zero = graph.number(dtype.unwrap_or(DType::F32), 0.0)?;
                let dims: Vec<i64> =
                    dims.as_deref().unwrap_or_default().iter().map(|&n| n.max(1)).collect();
                let shape = graph.ints(&dims)?;
                Bound::Value(graph.expand(zero, shape)?)
            }
            VarType::Array(TensorInfo { dtype, .. }) => {
                let empty = ops::SequenceEmpty::new().dtype(dtype.unwrap_or(DType::F32));
                Bound::Value(graph.add(empty)?)
            }
            _ => Bound::Absent,
        };
        self.bind(var, bound);
        Ok(())
    }
}
