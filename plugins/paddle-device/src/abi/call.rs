//! One call of a kernel, from Paddle's arguments to its results.

use std::ffi::{CStr, c_int};

use super::Ptr;
use super::entries::Raw;
use super::library::{Api, List, api};
use super::memory::lend;
use super::tensor::Tensor;
use super::throw::{guarded, throw};
use crate::argument::{Argument, MAX_PARAMS, Operand};
use crate::compiled::{Call, function};
use crate::device;
use crate::element::Element;
use crate::failure::Failure;
use crate::kernel::{Entry, Group, Kernel, Kind};
use crate::launch::{described, run};
use crate::moves::{Move, Number, Strided, copy, element_bytes, row_major};

/// Runs a kernel, and throws Paddle's exception if it fails.
///
/// # Safety
/// `context` is the device context of this call, and `raws` are arguments of the kinds that the kernel has. All live during the
/// call.
pub(super) unsafe fn call(kernel: &'static Kernel, entry: Entry, context: Ptr, raws: &[Raw]) {
    // SAFETY: the caller promises the arguments.
    match unsafe { attempt(kernel, context, raws) } {
        Ok(()) => kernel.count(entry),
        // SAFETY: everything of this call has been dropped, and the entry may be unwound.
        Err(failure) => unsafe { throw(failure) },
    }
}

/// Runs a kernel on the arguments of a context, and throws Paddle's exception if it fails.
///
/// # Safety
/// `context` is the kernel context of this call, which has the arguments that the kernel was registered with.
pub(super) unsafe fn call_by_context(kernel: &'static Kernel, context: Ptr) {
    let Some(api) = api() else { return };
    let mut raws = [Raw::Bool(false); MAX_PARAMS];
    let (mut inputs, mut attributes, mut results) = (0, 0, 0);
    for (raw, param) in raws.iter_mut().zip(kernel.params) {
        let position = match param.kind.group() {
            Group::Input => &mut inputs,
            Group::Attribute => &mut attributes,
            Group::Result => &mut results,
        };
        let i = *position;
        *position += 1;
        // SAFETY: the caller promises a context with an argument of this kind at this position of its group.
        *raw = unsafe {
            match param.kind {
                Kind::Tensor => Raw::Pointer((api.input_at)(context, i)),
                Kind::OptionalTensor => Raw::Tensor((api.input_at)(context, i)),
                Kind::Tensors => Raw::List((api.inputs_at)(context, i)),
                Kind::Result => Raw::Pointer((api.output_at)(context, i)),
                Kind::Results => Raw::List((api.outputs_at)(context, i)),
                Kind::Bool => Raw::Bool((api.bool_at)(context, i)),
                Kind::I32 => Raw::Int((api.i32_at)(context, i).into()),
                Kind::I64 => Raw::Int((api.i64_at)(context, i)),
                Kind::F32 => Raw::Float((api.f32_at)(context, i).into()),
                Kind::F64 => Raw::Float((api.f64_at)(context, i)),
                Kind::Text => Raw::Text((api.text_at)(context, i)),
                Kind::Scalar => Raw::Pointer((api.scalar_at)(context, i)),
                Kind::IntArray => Raw::Pointer((api.int_array_at)(context, i)),
                Kind::Dtype => Raw::Element((api.element_at)(context, i)),
                Kind::I32s => Raw::List((api.i32s_at)(context, i)),
                Kind::I64s => Raw::List((api.i64s_at)(context, i)),
                Kind::F32s => Raw::List((api.f32s_at)(context, i)),
                Kind::F64s => Raw::List((api.f64s_at)(context, i)),
            }
        };
    }
    // SAFETY: the arguments are those of the context, and live as long.
    unsafe {
        let device_context = (api.device_context)(context);
        let raws = raws.get(..kernel.params.len()).unwrap_or_default();
        call(kernel, Entry::Context, device_context, raws);
    }
}

/// Runs a kernel.
///
/// # Safety
/// As for [`call`].
unsafe fn attempt(kernel: &'static Kernel, context: Ptr, raws: &[Raw]) -> Result<(), Failure> {
    let api = api().ok_or_else(|| Failure::fatal("Paddle's functions are not loaded"))?;
    let named = |failure: Failure| failure.of(kernel.name);
    if let Some(kind) = Move::of(kernel.name) {
        // SAFETY: the caller promises the arguments.
        return unsafe { moved(api, kind, context, kernel, raws) }.map_err(named);
    }
    let mut arguments: [(&str, Argument<'_>); MAX_PARAMS] =
        [const { ("", Argument::Absent) }; MAX_PARAMS];
    let mut results: [Argument<'_>; MAX_PARAMS] = [const { Argument::Absent }; MAX_PARAMS];
    let mut tensors = vec![];
    let (mut given, mut wanted) = (0, 0);
    for (raw, param) in raws.iter().zip(kernel.params) {
        if param.kind.group() != Group::Result {
            // SAFETY: the caller promises an argument of this kind.
            let argument = unsafe { argument(api, param.kind, *raw) }.map_err(named)?;
            arguments[given] = (param.name, argument);
            given += 1;
            continue;
        }
        // SAFETY: likewise, for results.
        let of_result = unsafe { list(api, param.kind, *raw) };
        let mut operands = vec![];
        for tensor in of_result {
            let Some(tensor) = tensor else {
                return Err(named(Failure::unimplemented("a result is not wanted")));
            };
            operands.push(tensor.operand().map_err(named)?);
            tensors.push(tensor);
        }
        results[wanted] = match param.kind {
            Kind::Results => Argument::Tensors(operands),
            _ => operands.pop().map_or(Argument::Absent, Argument::Tensor),
        };
        wanted += 1;
    }
    let first = arguments.iter().flat_map(|(_, argument)| argument.operands()).next().copied();
    let first = first.map_or(Element::UNDEFINED, |operand| operand.element);
    results.iter_mut().for_each(|result| result.define(first));
    let number = super::interface::current_device();
    let device = device::device(number);
    let device = device.ok_or_else(|| named(Failure::fatal("there is no such device")))?;
    let call = Call {
        kernel,
        device: (number, device),
        arguments: &arguments[..given],
        results: &results[..wanted],
    };
    let named = |failure: Failure| failure.of(&described(&call));
    let function = guarded(|| function(&call)).map_err(named)?;
    let wanted = call.results.iter().flat_map(Argument::operands);
    let mut written: Vec<Operand> = Vec::with_capacity(tensors.len());
    for (tensor, operand) in tensors.iter().zip(wanted) {
        // SAFETY: the caller promises the context. Nothing of Paddle runs under a guard here.
        unsafe { tensor.allocate(context, operand.element) };
        written.push(tensor.operand().map_err(named)?);
    }
    guarded(|| lend(|loan| run(loan, &function, &call, &written))).map_err(named)
}

/// Runs a kernel that moves elements.
///
/// # Safety
/// As for [`call`].
unsafe fn moved(
    api: &Api,
    kind: Move,
    context: Ptr,
    kernel: &Kernel,
    raws: &[Raw],
) -> Result<(), Failure> {
    let (Some(first), Some(last)) = (raws.first(), raws.last()) else {
        return Err(Failure::fatal(format!("{} has no parameters", kernel.name)));
    };
    // SAFETY: the caller promises a tensor as the first argument, and a result as the last one.
    let (input, result) = unsafe {
        let tensor = |raw: &Raw, kind| list(api, kind, *raw).into_iter().next().flatten();
        (tensor(first, Kind::Tensor), tensor(last, Kind::Result))
    };
    let (Some(input), Some(result)) = (input, result) else {
        return Err(Failure::invalid("a tensor is missing"));
    };
    // SAFETY: the caller promises an argument of this kind.
    let attribute = |at: usize| unsafe { argument(api, kernel.params[at].kind, raws[at]) };
    let (from, strides) = input.strided()?;
    let sizes = from.dims.sizes();
    let sizes = sizes.ok_or_else(|| Failure::invalid(format!("{from} has unknown sizes")))?;
    let dims = sizes.dims();
    let (to, to_strides) = match kind {
        Move::Contiguous | Move::Assign => {
            if kind == Move::Contiguous {
                result.set_layout(from.dims.as_slice(), &row_major(dims), Some(0));
            }
            // SAFETY: the caller promises the context.
            unsafe { result.allocate(context, from.element) };
            (result.operand()?, row_major(dims))
        }
        Move::StridedCopy => {
            let (dims, strides) = (attribute(1)?, attribute(2)?);
            let (Argument::I64s(dims), Argument::I64s(strides), Argument::Int(offset)) =
                (dims, strides, attribute(3)?)
            else {
                return Err(Failure::fatal("strided_copy has other parameters"));
            };
            if dims != from.dims.as_slice() {
                return Err(Failure::invalid(format!("{from} does not fit dimensions {dims:?}")));
            }
            result.set_layout(dims, strides, Some(offset));
            (result.strided()?.0, strides.to_vec())
        }
        Move::Fill => {
            // SAFETY: the caller promises a scalar as the second argument and the context.
            let value = unsafe {
                result.allocate(context, from.element);
                scalar(api, raws[1])
            };
            let (int, float) = value?;
            let bytes = element_bytes(from.element, int, float);
            let bytes = bytes.ok_or_else(|| Failure::unimplemented(format!("{from}")))?;
            result.operand()?.memory.fill(&bytes);
            return Ok(());
        }
    };
    let size = from.element.size();
    if sizes.count == 0 {
        return Ok(());
    }
    if from.memory.len() == 0 || to.memory.len() == 0 || to.element != from.element {
        return Err(Failure::invalid(format!("{from} cannot be copied to {to}")));
    }
    let strides = strides.as_slice();
    let copied;
    // SAFETY: the memory is Paddle's, of these lengths, until the call ends. Both are used at once only if they do not overlap;
    // else the source is copied first.
    let (source, target) = unsafe {
        let source = std::slice::from_raw_parts(from.memory.start(), from.memory.len());
        let source = match from.memory.overlaps(&to.memory) {
            true => {
                copied = source.to_vec();
                &copied[..]
            }
            false => source,
        };
        (source, std::slice::from_raw_parts_mut(to.memory.start(), to.memory.len()))
    };
    let from = Strided { bytes: source, strides };
    guarded(|| {
        copy(dims, size, &from, &mut Strided { bytes: target, strides: &to_strides });
        Ok(())
    })
}

/// The tensors of an argument or a result.
///
/// # Safety
/// `raw` is an argument of this kind, which lives during the call.
unsafe fn list(api: &Api, kind: Kind, raw: Raw) -> Vec<Option<Tensor<'_>>> {
    // SAFETY: the caller promises the pointers.
    unsafe {
        let pointers = match (kind, raw) {
            (Kind::Tensor | Kind::Result, Raw::Pointer(tensor)) => {
                return vec![Tensor::new(api, tensor)];
            }
            (Kind::Tensors | Kind::Results, Raw::Pointer(vector)) => (api.tensors)(vector),
            (Kind::Tensors | Kind::Results, Raw::List(list)) => list,
            _ => return vec![],
        };
        let tensors = elements::<Ptr>(pointers).iter().map(|tensor| Tensor::new(api, *tensor));
        let tensors = tensors.collect();
        if matches!(raw, Raw::List(_)) {
            // A context makes the list for this call; that of a vector is the vector's own.
            (api.delete_pointers)(pointers);
        }
        tensors
    }
}

/// The integer and the number that a scalar converts to.
///
/// # Safety
/// `raw` is a scalar, which lives during the call.
unsafe fn scalar(api: &Api, raw: Raw) -> Result<(i64, f64), Failure> {
    match raw {
        // SAFETY: the caller promises the scalar.
        Raw::Pointer(scalar) => unsafe { Ok(((api.scalar_i64)(scalar), (api.scalar_f64)(scalar))) },
        _ => Err(Failure::fatal("a scalar is missing")),
    }
}

/// An argument.
///
/// # Safety
/// `raw` is an argument of this kind, which lives for `'a`.
unsafe fn argument<'a>(api: &Api, kind: Kind, raw: Raw) -> Result<Argument<'a>, Failure> {
    // SAFETY: the caller promises an argument of this kind, on which these functions are defined.
    unsafe {
        let list_of = |read: unsafe extern "C-unwind" fn(Ptr) -> List| match raw {
            Raw::Pointer(vector) => read(vector),
            Raw::List(list) => list,
            _ => List { len: 0, data: std::ptr::null_mut() },
        };
        Ok(match (kind, raw) {
            (Kind::Tensor, _) => match list(api, kind, raw).pop().flatten() {
                Some(tensor) => Argument::Tensor(tensor.operand()?),
                None => Argument::Absent,
            },
            (Kind::OptionalTensor, Raw::Pointer(given) | Raw::Tensor(given)) => {
                let is_optional = matches!(raw, Raw::Pointer(_));
                let tensor = if is_optional { (api.optional_tensor)(given) } else { given };
                match Tensor::new(api, tensor) {
                    Some(tensor) => Argument::Tensor(tensor.operand()?),
                    None => Argument::Absent,
                }
            }
            (Kind::Tensors, _) => {
                let tensors = list(api, kind, raw).into_iter().flatten();
                Argument::Tensors(tensors.map(Tensor::operand).collect::<Result<_, _>>()?)
            }
            (Kind::Bool, Raw::Bool(value)) => Argument::Bool(value),
            (Kind::I32 | Kind::I64, Raw::Int(value)) => Argument::Int(value),
            (Kind::F32 | Kind::F64, Raw::Float(value)) => Argument::Float(value),
            (Kind::Text, _) => {
                let text = match raw {
                    Raw::Pointer(text) => (api.text)(text),
                    Raw::Text(text) => text,
                    _ => return Err(Failure::fatal("a text is missing")),
                };
                let text = CStr::from_ptr(text).to_str();
                Argument::Text(text.map_err(|_| Failure::invalid("a text is not valid UTF-8"))?)
            }
            (Kind::Scalar, _) => {
                let (int, float) = scalar(api, raw)?;
                match Number::of(int, float) {
                    Number::Int(value) => Argument::Int(value),
                    Number::Float(value) => Argument::Float(value),
                }
            }
            (Kind::IntArray, Raw::Pointer(array)) => {
                let List { data, .. } = (api.int_array)(array);
                Argument::I64s(elements(List { len: (api.int_array_len)(array), data }))
            }
            (Kind::Dtype, Raw::Int(phi)) => {
                let phi = phi as c_int;
                // Its conversion throws for 0, which stands for "as the operand".
                let element = if phi == 0 { 0 } else { (api.element)(&phi) };
                Argument::Element(Element(element))
            }
            (Kind::Dtype, Raw::Element(element)) => Argument::Element(Element(element)),
            (Kind::I32s, _) => Argument::I32s(elements(list_of(api.i32s))),
            (Kind::I64s, _) => Argument::I64s(elements(list_of(api.i64s))),
            (Kind::F32s, _) => Argument::F32s(elements(list_of(api.f32s))),
            (Kind::F64s, _) => Argument::F64s(elements(list_of(api.f64s))),
            _ => return Err(Failure::fatal(format!("an argument {raw:?} for {kind:?}"))),
        })
    }
}

/// The elements of a list.
///
/// # Safety
/// The list has this many elements of type `T`, which live for `'a`.
unsafe fn elements<'a, T>(list: List) -> &'a [T] {
    if list.len == 0 || list.data.is_null() {
        return &[];
    }
    // SAFETY: the caller promises the elements.
    unsafe { std::slice::from_raw_parts(list.data.cast::<T>().cast_const(), list.len) }
}
