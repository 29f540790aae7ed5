//! Reads the arguments of a call from Paddle's objects.

use std::ffi::{CStr, c_int};

use super::Ptr;
use super::entries::Raw;
use super::library::{Api, List};
use super::tensor::Tensor;
use crate::argument::Argument;
use crate::element::Element;
use crate::failure::Failure;
use crate::kernel::Kind;
use crate::moves::Number;

/// The tensors of an argument or a result.
///
/// # Safety
/// `raw` is an argument of this kind, which lives during the call.
pub(super) unsafe fn list(api: &Api, kind: Kind, raw: Raw) -> Vec<Option<Tensor<'_>>> {
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
pub(super) unsafe fn scalar(api: &Api, raw: Raw) -> Result<(i64, f64), Failure> {
    match raw {
        // SAFETY: the caller promises the scalar.
        Raw::Pointer(scalar) => unsafe { Ok(((api.scalar_i64)(scalar), (api.scalar_f64)(scalar))) },
        // SAFETY: the caller promises the tensor.
        Raw::Tensor(tensor) => match unsafe { Tensor::new(api, tensor) } {
            Some(tensor) => tensor.number(),
            None => Err(Failure::fatal("a scalar has no tensor")),
        },
        Raw::Unread(kind) => Err(unread(kind)),
        _ => Err(Failure::fatal("a scalar is missing")),
    }
}

/// An argument.
///
/// # Safety
/// `raw` is an argument of this kind, which lives for `'a`.
pub(super) unsafe fn argument<'a>(
    api: &'a Api,
    kind: Kind,
    raw: Raw,
) -> Result<Argument<'a>, Failure> {
    // SAFETY: the caller promises an argument of this kind, on which these functions are defined.
    unsafe {
        let list_of = |read: unsafe extern "C-unwind" fn(Ptr) -> List| match raw {
            Raw::Pointer(vector) => read(vector),
            Raw::List(list) => list,
            _ => List { len: 0, data: std::ptr::null_mut() },
        };
        Ok(match (kind, raw) {
            (Kind::Tensor, Raw::Pointer(tensor)) => match Tensor::new(api, tensor) {
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
            (Kind::OptionalTensors, Raw::List(_)) => match argument(api, Kind::Tensors, raw)? {
                Argument::Tensors(tensors) if tensors.is_empty() => Argument::Absent,
                given => given,
            },
            // It begins with a `bool`, whether there is a list.
            (Kind::OptionalTensors, Raw::Pointer(list)) => match list.cast::<u8>().read() {
                0 => Argument::Absent,
                _ => return Err(Failure::unimplemented("an optional list of tensors")),
            },
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
            (Kind::IntArray, Raw::Tensor(tensor)) => match Tensor::new(api, tensor) {
                Some(tensor) => tensor.integers()?,
                None => return Err(Failure::fatal("integers have no tensor")),
            },
            (_, Raw::Unread(kind)) => return Err(unread(kind)),
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
            (Kind::Scalars, _) => {
                let list = list_of(api.scalars);
                // The list was made for this call; its scalars are Paddle's own. Reading them may throw.
                let _deleted = Deleted { api, list };
                let numbers = elements::<Ptr>(list).iter();
                let numbers = numbers.map(|it| scalar(api, Raw::Pointer(*it)));
                let numbers = numbers.collect::<Result<Vec<_>, _>>();
                let numbers = numbers?.into_iter().map(|(int, float)| Number::of(int, float));
                Argument::Numbers(numbers.collect())
            }
            _ => return Err(Failure::fatal(format!("an argument {raw:?} for {kind:?}"))),
        })
    }
}

/// A list of pointers that was made for a call, deleted when it is dropped.
struct Deleted<'a> {
    api: &'a Api,
    list: List,
}

impl Drop for Deleted<'_> {
    fn drop(&mut self) {
        // SAFETY: only the reader of scalars makes it, of a list that Paddle made for this call, and reads it no more.
        unsafe { (self.api.delete_pointers)(self.list) };
    }
}

/// The elements of a list.
///
/// # Safety
/// The list has this many elements of type `T`, which live for `'a`.
pub(super) unsafe fn elements<'a, T>(list: List) -> &'a [T] {
    if list.len == 0 || list.data.is_null() {
        return &[];
    }
    // SAFETY: the caller promises the elements.
    unsafe { std::slice::from_raw_parts(list.data.cast::<T>().cast_const(), list.len) }
}

/// The failure for an attribute of another kind than the kernel's signature has.
fn unread(kind: i32) -> Failure {
    Failure::unimplemented(format!("sizes in several tensors (attribute of kind {kind})"))
}
