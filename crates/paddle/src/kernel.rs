//! Kernels of Paddle as functions: one op, as a device plug-in is asked for it.

use crate::error::PaddleErrorKind;
use crate::import;
use crate::program::{
    Args, Attr, Block, Form, Op, Port, Program, TensorInfo, Var, VarInfo, VarType,
};
use crate::{catalogue, error::Fault};
use std::rc::Rc;
use trident_ir::{DType, Module};

/// The type of a tensor that a kernel is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelTensor {
    /// The element type.
    pub dtype: DType,
    /// Dimensions; the function takes any size for those that are `None`.
    pub dims: Vec<Option<usize>>,
}

/// A tensor, a list of tensors or an attribute that a kernel is given.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelArgument {
    /// A tensor: an input of the function.
    Tensor(KernelTensor),
    /// A list of tensors: each is an input of the function.
    Tensors(Vec<KernelTensor>),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(String),
    /// An element type; `None` is that of the operand.
    DType(Option<DType>),
    /// Integers.
    Ints(Vec<i64>),
    /// Numbers.
    Floats(Vec<f64>),
    /// Attributes of any kinds.
    List(Vec<KernelArgument>),
}

/// The results that a kernel is to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelResult {
    /// A tensor of this element type.
    Tensor(DType),
    /// A list of tensors of these element types.
    Tensors(Vec<DType>),
}

/// Whether the catalogue has an op of this name, whose row has operands and attributes of these names.
///
/// # Errors
/// The name that the row does not have.
pub fn has_kernel<'n>(op: &str, names: &[&'n str]) -> Result<bool, &'n str> {
    let Some(row) = catalogue::find(op) else { return Ok(false) };
    let known = |name: &str| row.operands.iter().chain(row.attrs).any(|known| known.name == name);
    match names.iter().find(|name| !known(name)) {
        Some(name) => Err(name),
        None => Ok(true),
    }
}

/// The number of results that the op's row gives: 0 if the catalogue does not have the op. Paddle's kernels may have more, which are
/// for training.
pub fn kernel_results(op: &str) -> usize {
    catalogue::find(op).map_or(0, |row| row.results.len())
}

/// The function of a kernel: its inputs are the tensors among `arguments`, in their order, and its outputs are the results.
/// Arguments have the names that the op's row gives them; those that are left out have their defaults.
///
/// # Errors
/// If the catalogue does not have the op, or its row does not support these arguments.
pub fn kernel(
    op: &str,
    arguments: &[(&str, KernelArgument)],
    results: &[KernelResult],
) -> Result<Module, PaddleErrorKind> {
    let row = catalogue::find(op).ok_or(PaddleErrorKind::UnknownOp)?;
    let mut program = Program {
        form: Form::Pir,
        version: 0,
        vars: vec![],
        inputs: vec![],
        outputs: vec![],
        params: vec![],
        main: Block::default(),
    };
    let mut operands = vec![None; row.operands.len()];
    let mut attrs: Vec<(Rc<str>, Attr)> = vec![];
    for (name, argument) in arguments {
        let given = match argument {
            KernelArgument::Tensor(tensor) => Some(input(&mut program, name, tensor)),
            KernelArgument::Tensors(tensors) => {
                let items: Vec<Var> =
                    tensors.iter().map(|tensor| input(&mut program, name, tensor)).collect();
                let types = items.iter().map(|&item| program.var(item).ty.clone()).collect();
                let list = variable(&mut program, name, VarType::List(types));
                program.main.ops.push(builtin("combine", items, vec![list]));
                Some(list)
            }
            attribute => {
                attrs.push(((*name).into(), attr(attribute)));
                None
            }
        };
        if let Some(var) = given {
            let at = row.operands.iter().position(|operand| operand.name == *name);
            let unknown = || PaddleErrorKind::Unsupported(format!("it has no operand `{name}`"));
            operands[at.ok_or_else(unknown)?] = Some(var);
        }
    }
    let (mut made, mut splits) = (vec![], vec![]);
    for (i, result) in results.iter().enumerate() {
        let name = format!("result{i}");
        match result {
            KernelResult::Tensor(dtype) => {
                let var = output(&mut program, &name, *dtype);
                made.push(var);
            }
            KernelResult::Tensors(dtypes) => {
                let items: Vec<Var> = dtypes
                    .iter()
                    .enumerate()
                    .map(|(j, dtype)| output(&mut program, &format!("{name}.{j}"), *dtype))
                    .collect();
                let types = items.iter().map(|&item| program.var(item).ty.clone()).collect();
                let list = variable(&mut program, &name, VarType::List(types));
                splits.push(builtin("split", vec![list], items));
                made.push(list);
            }
        }
    }
    program.main.ops.push(Op {
        dialect: "pd_op".into(),
        name: op.into(),
        operands: Args::Positions(operands.into()),
        results: made.into_iter().collect(),
        attrs,
        blocks: vec![],
        layer: None,
        number: 0,
    });
    program.main.ops.extend(splits);
    import::import(&program).map_err(|Fault { kind, .. }| kind)
}

fn variable(program: &mut Program, name: &str, ty: VarType) -> Var {
    program.vars.push(VarInfo { name: name.into(), ty });
    Var(program.vars.len() as u32 - 1)
}

fn input(program: &mut Program, name: &str, tensor: &KernelTensor) -> Var {
    let dims = tensor.dims.iter().map(|dim| dim.map_or(-1, |n| n as i64)).collect();
    let info = TensorInfo { dtype: Some(tensor.dtype), dims: Some(dims) };
    let var = variable(program, name, VarType::Tensor(info));
    // Parts of a list have one name, and inputs of a function have names of their own.
    let name = format!("{name}.{}", program.inputs.len());
    program.inputs.push(Port { name: name.into(), var });
    var
}

fn output(program: &mut Program, name: &str, dtype: DType) -> Var {
    let info = TensorInfo { dtype: Some(dtype), dims: None };
    let var = variable(program, name, VarType::Tensor(info));
    program.outputs.push(Port { name: name.into(), var });
    var
}

fn builtin(name: &str, operands: Vec<Var>, results: Vec<Var>) -> Op {
    Op {
        dialect: "builtin".into(),
        name: name.into(),
        operands: operands.into_iter().collect(),
        results: results.into_iter().collect(),
        attrs: vec![],
        blocks: vec![],
        layer: None,
        number: 0,
    }
}

fn attr(argument: &KernelArgument) -> Attr {
    match argument {
        KernelArgument::Tensor(_) | KernelArgument::Tensors(_) => Attr::Other("tensor".into()),
        KernelArgument::Bool(value) => Attr::Bool(*value),
        KernelArgument::Int(value) => Attr::Int(*value),
        KernelArgument::Float(value) => Attr::Float(*value),
        KernelArgument::Text(text) => Attr::Text((&**text).into()),
        KernelArgument::DType(dtype) => Attr::DType(*dtype),
        KernelArgument::Ints(values) => Attr::Ints(values.clone().into()),
        KernelArgument::Floats(values) => Attr::Floats(values.clone().into()),
        KernelArgument::List(items) => Attr::List(items.iter().map(attr).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(dtype: DType, rank: usize) -> KernelTensor {
        KernelTensor { dtype, dims: vec![None; rank] }
    }

    fn text(op: &str, arguments: &[(&str, KernelArgument)], results: &[KernelResult]) -> String {
        kernel(op, arguments, results).unwrap().funcs[0].to_string()
    }

    #[test]
    fn sizes_of_a_kernel_are_open() {
        let x = KernelArgument::Tensor(any(DType::F32, 2));
        let y = KernelArgument::Tensor(any(DType::F32, 1));
        let text = text("add", &[("x", x), ("y", y)], &[KernelResult::Tensor(DType::F32)]);
        assert!(text.contains("add"), "{text}");
        assert!(text.contains("f32[s0, s1]") && text.contains("f32[s2]"), "{text}");
    }

    #[test]
    fn lists_are_single_inputs_and_outputs() {
        let parts = KernelArgument::Tensors(vec![any(DType::I64, 1), any(DType::I64, 1)]);
        let result = KernelResult::Tensor(DType::I64);
        let joined = text("concat", &[("x", parts), ("axis", KernelArgument::Int(0))], &[result]);
        assert!(joined.contains("concat"), "{joined}");
        let x = KernelArgument::Tensor(any(DType::F32, 2));
        let results = [KernelResult::Tensors(vec![DType::F32; 3])];
        let arguments =
            [("x", x), ("num", KernelArgument::Int(3)), ("axis", KernelArgument::Int(1))];
        let module = kernel("split_with_num", &arguments, &results).unwrap();
        assert_eq!(module.funcs[0].body.results.len(), 3);
    }

    #[test]
    fn a_norm_with_an_infinite_exponent_is_refused() {
        let of = |exponent| {
            let x = KernelArgument::Tensor(any(DType::F32, 4));
            let arguments = [
                ("x", x),
                ("kernel_size", KernelArgument::Ints(vec![2, 2])),
                ("norm_type", KernelArgument::Float(exponent)),
            ];
            kernel("lp_pool2d", &arguments, &[KernelResult::Tensor(DType::F32)])
        };
        assert!(of(2.0).is_ok() && of(3.0).is_ok());
        for exponent in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let error = of(exponent).unwrap_err();
            assert!(error.to_string().contains("norm_type"), "{error}");
        }
    }

    #[test]
    fn bounds_in_the_wrong_order_are_refused() {
        let of = |min, max| {
            let x = KernelArgument::Tensor(any(DType::F32, 1));
            let arguments = [("x", x), ("min", min), ("max", max)];
            kernel("clip", &arguments, &[KernelResult::Tensor(DType::F32)])
        };
        assert!(of(KernelArgument::Int(1), KernelArgument::Float(1.0)).is_ok());
        let error = of(KernelArgument::Int(3), KernelArgument::Float(1.5)).unwrap_err();
        assert!(matches!(&error, PaddleErrorKind::Malformed(text) if text.contains("`min` 3")));
    }

    #[test]
    fn bounds_beyond_the_element_type_are_none() {
        let of = |dtype, min, max| {
            let x = KernelArgument::Tensor(any(dtype, 1));
            let arguments =
                [("x", x), ("min", KernelArgument::Int(min)), ("max", KernelArgument::Int(max))];
            let module = kernel("clip", &arguments, &[KernelResult::Tensor(dtype)])?;
            Ok::<_, PaddleErrorKind>(module.funcs[0].to_string())
        };
        let text = of(DType::U8, -1, 300).unwrap();
        assert!(!text.contains("255") && !text.contains("44"), "{text}");
        assert!(of(DType::U8, 3, 300).unwrap().contains('3'));
        for (min, max) in [(300, 400), (-4, -1)] {
            let error = of(DType::U8, min, max).unwrap_err();
            assert!(matches!(&error, PaddleErrorKind::Malformed(text) if text.contains("u8")));
        }
        assert!(of(DType::I64, i64::MIN, i64::MAX).is_ok());
    }

    #[test]
    fn ranks_and_types_select_what_is_computed() {
        let of = |op, dtype, rank| {
            let x = KernelArgument::Tensor(any(dtype, rank));
            text(op, &[("x", x)], &[KernelResult::Tensor(dtype)])
        };
        // That of a number is 1.
        assert!(!of("softmax", DType::F32, 0).contains("softmax"));
        assert!(of("softmax", DType::F32, 2).contains("softmax"));
        // Halves are subtracted in f32.
        assert!(of("tanh_shrink", DType::BF16, 1).contains("cast"));
        assert!(!of("tanh_shrink", DType::F64, 1).contains("cast"));
        let scalars = KernelArgument::List(vec![KernelArgument::Int(3)]);
        let x = KernelArgument::Tensor(any(DType::F32, 1));
        let ints = |value| KernelArgument::Ints(vec![value]);
        let [starts, ends, steps, axes] = [0, 1, 1, 0].map(ints);
        let arguments = [("x", x), ("starts", starts), ("ends", ends), ("steps", steps)];
        let arguments =
            [&arguments[..], &[("axes", axes), ("shape", ints(1)), ("values", scalars)]];
        let set = text("set_value", &arguments.concat(), &[KernelResult::Tensor(DType::F32)]);
        assert!(set.contains("scatter"), "{set}");
    }

    #[test]
    fn unsupported_arguments_are_named() {
        let x = || ("x", KernelArgument::Tensor(any(DType::F32, 2)));
        let result = [KernelResult::Tensor(DType::F32)];
        let error = |op, arguments: &[_]| kernel(op, arguments, &result).unwrap_err().to_string();
        assert!(matches!(kernel("no_such_op", &[x()], &result), Err(PaddleErrorKind::UnknownOp)));
        let more = error("relu", &[x(), ("beta", KernelArgument::Float(2.0))]);
        assert!(more.contains("attribute `beta` is not supported"), "{more}");
        let y = ("y", KernelArgument::Tensor(any(DType::F32, 2)));
        assert!(error("relu", &[x(), y]).contains("no operand `y`"));
        assert_eq!(has_kernel("leaky_relu", &["x", "negative_slope"]), Ok(true));
        assert_eq!(has_kernel("leaky_relu", &["x", "alpha"]), Err("alpha"));
        assert_eq!(has_kernel("no_such_op", &[]), Ok(false));
        assert_eq!((kernel_results("topk"), kernel_results("no_such_op")), (2, 0));
    }
}
