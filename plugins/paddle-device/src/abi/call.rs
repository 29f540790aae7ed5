//! One call of a kernel, from Paddle's arguments to its results.

use smallvec::SmallVec;

use super::Ptr;
use super::attribute::Attribute;
use super::direct::direct;
use super::drawn::drawn;
use super::entries::Raw;
use super::library::{Api, api};
use super::made::{indexed, made};
use super::memory::{TensorMemory, lend};
use super::moved::moved;
use super::read::{argument, list};
use super::tensor::Tensor;
use super::throw::{guarded, throw};
use crate::argument::{Argument, MAX_PARAMS, Operand};
use crate::compiled::{Call, function};
use crate::complex::ComplexKernel;
use crate::device;
use crate::element::Element;
use crate::failure::Failure;
use crate::inferred::corrected;
use crate::kernel::{Entry, Group, Kernel, Kind, Route};
use crate::launch::{Found, described, find, run};
use crate::named::Named;

/// The number of results of most kernels, which are listed without an allocation.
const FEW: usize = 3;

/// Arguments by their names. Those of most kernels are listed without an allocation.
type Arguments<'a> = SmallVec<[(&'static str, Argument<'a>); 8]>;

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
    // SAFETY: the caller promises the context; the arguments are those of the context, and live as long.
    unsafe {
        let raws = of_context(api, kernel, context);
        let device_context = (api.device_context)(context);
        let raws = raws.get(..kernel.params.len()).unwrap_or_default();
        call(kernel, Entry::Context, device_context, raws);
    }
}

/// Throws Paddle's exception for a kernel that does not have the element type of a call.
///
/// # Safety
/// As for [`call`].
pub(super) unsafe fn refuse(kernel: &'static Kernel, raws: &[Raw]) {
    let Some(api) = api() else { return };
    let mut operands = String::new();
    for (raw, param) in raws.iter().zip(kernel.params) {
        if param.kind.group() != Group::Result && param.name != "_" {
            // SAFETY: the caller promises an argument of this kind.
            let shown = unsafe { argument(api, param.kind, *raw) };
            let shown = shown.map_or_else(|failure| failure.text, |it| it.to_string());
            let comma = if operands.is_empty() { "" } else { ", " };
            operands = format!("{operands}{comma}{}: {shown}", param.name);
        }
    }
    let known = kernel.elements.join(", ");
    let text = format!("this element type is not supported; the kernel has {known}");
    let failure = Failure::unimplemented(text).of(&format!("{}({operands})", kernel.name));
    drop((operands, known));
    // SAFETY: everything else of this call has been dropped, and the entry may be unwound.
    unsafe { throw(failure) }
}

/// The same for the arguments of a context.
///
/// # Safety
/// As for [`call_by_context`].
pub(super) unsafe fn refuse_by_context(kernel: &'static Kernel, context: Ptr) {
    let Some(api) = api() else { return };
    // SAFETY: the caller promises the context.
    unsafe {
        let raws = of_context(api, kernel, context);
        refuse(kernel, raws.get(..kernel.params.len()).unwrap_or_default());
    }
}

/// The arguments of a context, in the order of the kernel's parameters.
///
/// # Safety
/// As for [`call_by_context`].
unsafe fn of_context(api: &Api, kernel: &'static Kernel, context: Ptr) -> [Raw; MAX_PARAMS] {
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
                Kind::Tensors | Kind::OptionalTensors => Raw::List((api.inputs_at)(context, i)),
                Kind::Result => Raw::Pointer((api.output_at)(context, i)),
                Kind::Results => Raw::List((api.outputs_at)(context, i)),
                Kind::Bool => Raw::Bool((api.bool_at)(context, i)),
                Kind::I32 => Raw::Int((api.i32_at)(context, i).into()),
                Kind::I64 => Raw::Int((api.i64_at)(context, i)),
                Kind::F32 => Raw::Float((api.f32_at)(context, i).into()),
                Kind::F64 => Raw::Float((api.f64_at)(context, i)),
                Kind::Text => Raw::Text((api.text_at)(context, i)),
                Kind::Scalar | Kind::IntArray => match Attribute::of(api, context, i) {
                    Attribute::Value if param.kind == Kind::Scalar => {
                        Raw::Pointer((api.scalar_at)(context, i))
                    }
                    Attribute::Value => Raw::Pointer((api.int_array_at)(context, i)),
                    Attribute::Tensor(tensor) => Raw::Tensor(tensor),
                    Attribute::Other(kind) => Raw::Unread(kind),
                },
                Kind::Dtype => Raw::Element((api.element_at)(context, i)),
                Kind::I32s => Raw::List((api.i32s_at)(context, i)),
                Kind::I64s => Raw::List((api.i64s_at)(context, i)),
                Kind::F32s => Raw::List((api.f32s_at)(context, i)),
                Kind::F64s => Raw::List((api.f64s_at)(context, i)),
                Kind::Scalars => Raw::List((api.scalars_at)(context, i)),
            }
        };
    }
    raws
}

/// Runs a kernel.
///
/// # Safety
/// As for [`call`].
unsafe fn attempt(kernel: &'static Kernel, context: Ptr, raws: &[Raw]) -> Result<(), Failure> {
    let api = api().ok_or_else(|| Failure::fatal("Paddle's functions are not loaded"))?;
    let named = |failure: Failure| failure.of(kernel.name);
    let route = kernel.route();
    if let Route::Move(kind) = route {
        // SAFETY: the caller promises the arguments.
        return unsafe { moved(api, kind, context, kernel, raws) }.map_err(named);
    }
    let mut arguments: Arguments<'_> = SmallVec::new();
    let mut results: SmallVec<[Argument<'_>; FEW]> = SmallVec::new();
    let mut tensors: SmallVec<[Tensor<'_>; FEW]> = SmallVec::new();
    for (raw, param) in raws.iter().zip(kernel.params) {
        if param.kind.group() != Group::Result {
            // SAFETY: the caller promises an argument of this kind.
            let argument = unsafe { argument(api, param.kind, *raw) }.map_err(named)?;
            // What does not matter is left out here, so that tensors are counted alike everywhere.
            if param.name != "_" {
                arguments.push((param.name, argument));
            }
            continue;
        }
        results.push(if let (Kind::Result, Raw::Pointer(tensor)) = (param.kind, *raw) {
            // SAFETY: likewise, for a result.
            match unsafe { Tensor::new(api, tensor) } {
                Some(tensor) => {
                    tensors.push(tensor);
                    Argument::Tensor(tensor.declared().map_err(named)?)
                }
                None => Argument::Absent,
            }
        } else {
            // SAFETY: likewise, for results.
            let of_result = unsafe { list(api, param.kind, *raw) };
            let start = tensors.len();
            tensors.extend(of_result.into_iter().flatten());
            let operands = tensors[start..].iter().map(|tensor| tensor.declared());
            Argument::Tensors(operands.collect::<Result<_, _>>().map_err(named)?)
        });
    }
    let first = arguments.iter().flat_map(|(_, argument)| argument.operands()).next();
    let first = first.map_or(Element::UNDEFINED, |operand| operand.element);
    results.iter_mut().for_each(|result| result.define(first));
    let result = results.iter().flat_map(|result| result.operands()).next();
    let result = result.map_or(first, |result| result.element);
    if let Some(complex) = ComplexKernel::of(kernel.name, first, result) {
        let operands = arguments.iter().flat_map(|(_, argument)| argument.operands()).copied();
        let operands: SmallVec<[Operand; FEW]> = operands.collect();
        for (tensor, result) in tensors.iter().zip(&results) {
            let Argument::Tensor(form) = result else { continue };
            let bytes = guarded(|| complex.compute(&operands, form)).map_err(named)?;
            // SAFETY: the caller promises the context.
            unsafe { tensor.allocated(context, form.element, form) }
                .map_err(named)?
                .memory
                .write(&bytes);
        }
        return Ok(());
    }
    let given = Named(&arguments);
    // SAFETY: the caller promises the context.
    let done = unsafe {
        match route {
            Route::Draw(draw) if draw.draws(&given) => {
                Some(drawn(api, draw, context, &given, &results, &tensors))
            }
            Route::Indexing(indexing) => {
                Some(indexed(indexing, context, &given, &results, &tensors))
            }
            Route::Make(make) => Some(made(make, context, &given, &results, &tensors)),
            _ => None,
        }
    };
    if let Some(done) = done {
        return done.map_err(named);
    }
    let number = super::interface::current_device();
    let device = device::device(number);
    let device = device.ok_or_else(|| named(Failure::fatal("there is no such device")))?;
    let call = Call { kernel, device: (number, device), arguments: &arguments, results: &results };
    let named = |failure: Failure| failure.of(&described(&call));
    let function = guarded(|| function(&call)).map_err(named)?;
    if call.finds_sizes(&function) {
        let found = guarded(|| lend(|loan| find(loan, &function, &call))).map_err(named)?;
        // SAFETY: the caller promises the context. Nothing of Paddle runs under a guard here.
        return unsafe { store(context, &call, &tensors, &found) }.map_err(named);
    }
    let wanted = call.results.iter().flat_map(Argument::operands);
    let mut written: SmallVec<[Operand; FEW]> = SmallVec::new();
    for (tensor, (operand, own)) in tensors.iter().zip(wanted.zip(function.results())) {
        // Paddle leaves the types of some results to the kernel: `all` of integers is bool.
        let element = own.unwrap_or(operand.element);
        let mut operand = *operand;
        if let Some(dims) = corrected(kernel.row, call.arguments, &operand) {
            operand.dims = dims;
            tensor.resize(&dims);
        }
        // SAFETY: the caller promises the context. Nothing of Paddle runs under a guard here.
        written.push(unsafe { tensor.allocated(context, element, &operand) }.map_err(named)?);
    }
    guarded(|| {
        let operands = call.arguments.iter().flat_map(|(_, argument)| argument.operands());
        match direct(function.session(), operands, &written) {
            true => Ok(()),
            false => lend(|loan| run(loan, &function, &call, &written)),
        }
    })
    .map_err(named)
}

/// Gives results their sizes and elements, but for those that are left out.
///
/// # Safety
/// `context` is the device context of the call.
unsafe fn store(
    context: Ptr,
    call: &Call<'_>,
    tensors: &[Tensor<'_>],
    found: &[Found],
) -> Result<(), Failure> {
    let mut found = found.iter();
    let mut tensors = tensors.iter();
    for result in call.results {
        // A result that is left out takes the place of one tensor.
        for _ in 0..result.operands().len().max(1) {
            let Some(Found { element, dims, bytes }) = found.next() else { return Ok(()) };
            let tensor = match result {
                Argument::Absent => None,
                _ => tensors.next(),
            };
            let Some(tensor) = tensor else { continue };
            tensor.resize(dims);
            let form = Operand { element: *element, dims: *dims, memory: TensorMemory::NONE };
            // SAFETY: the caller promises the context.
            unsafe { tensor.allocated(context, *element, &form) }?.memory.write(bytes);
        }
    }
    Ok(())
}
