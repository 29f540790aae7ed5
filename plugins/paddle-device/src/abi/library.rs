//! Functions of Paddle, looked up by name in the libraries that the process has loaded.

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

use super::Ptr;

/// `PD_List`: a length and the first element.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct List {
    pub(super) len: usize,
    pub(super) data: Ptr,
}

/// Functions of Paddle, by the library that has them.
macro_rules! functions {
    ($($library:literal { $($(#[$doc:meta])* $field:ident = $symbol:literal: fn($($arg:ty),*) $(-> $ret:ty)?;)* })*) => {
        /// Paddle's functions. All may throw C++ exceptions.
        pub(super) struct Api {
            $($($(#[$doc])* pub(super) $field: unsafe extern "C-unwind" fn($($arg),*) $(-> $ret)?,)*)*
        }

        impl Api {
            fn load() -> Result<Api, String> {
                Ok(Api {
                    $($($field: {
                        let address = symbol($library, $symbol)?;
                        // SAFETY: the symbol is this function of Paddle, and its headers declare it with these types.
                        unsafe {
                            std::mem::transmute::<Ptr, unsafe extern "C-unwind" fn($($arg),*) $(-> $ret)?>(address)
                        }
                    },)*)*
                })
            }
        }
    };
}

functions! {
    c"libphi_core.so" {
        register = c"PD_RegisterPhiKernel": fn(
            *const c_char, *const c_char, c_int, c_int, usize, *const c_int, usize, *const c_int, usize, *const c_int,
            unsafe extern "C" fn(Ptr, Ptr), *const (), *const ()
        );
        device_context = c"PD_KernelContextGetDeviceContext": fn(Ptr) -> Ptr;
        input_at = c"PD_KernelContextInputAt": fn(Ptr, usize) -> Ptr;
        inputs_at = c"PD_KernelContextMultiInputAt": fn(Ptr, usize) -> List;
        output_at = c"PD_KernelContextOutputAt": fn(Ptr, usize) -> Ptr;
        outputs_at = c"PD_KernelContextMultiOutputAt": fn(Ptr, usize) -> List;
        bool_at = c"PD_KernelContextBoolAttrAt": fn(Ptr, usize) -> bool;
        i32_at = c"PD_KernelContextInt32AttrAt": fn(Ptr, usize) -> i32;
        i64_at = c"PD_KernelContextInt64AttrAt": fn(Ptr, usize) -> i64;
        f32_at = c"PD_KernelContextFloatAttrAt": fn(Ptr, usize) -> f32;
        f64_at = c"PD_KernelContextDoubleAttrAt": fn(Ptr, usize) -> f64;
        scalar_at = c"PD_KernelContextScalarAttrAt": fn(Ptr, usize) -> Ptr;
        int_array_at = c"PD_KernelContextIntArrayAttrAt": fn(Ptr, usize) -> Ptr;
        /// `phi::KernelContext::AttrAt`, of C++.
        attribute_at = c"_ZNK3phi13KernelContext6AttrAtB5cxx11Em": fn(Ptr, usize) -> Ptr;
        element_at = c"PD_KernelContextDataTypeAttrAt": fn(Ptr, usize) -> c_int;
        text_at = c"PD_KernelContextStringAttrAt": fn(Ptr, usize) -> *const c_char;
        i32s_at = c"PD_KernelContextListInt32AttrAt": fn(Ptr, usize) -> List;
        i64s_at = c"PD_KernelContextListInt64AttrAt": fn(Ptr, usize) -> List;
        f32s_at = c"PD_KernelContextListFloatAttrAt": fn(Ptr, usize) -> List;
        f64s_at = c"PD_KernelContextListDoubleAttrAt": fn(Ptr, usize) -> List;
        scalars_at = c"PD_KernelContextListScalarAttrAt": fn(Ptr, usize) -> List;
        scalars = c"PD_ListScalarAttr": fn(Ptr) -> List;
        element = c"PD_DatatTypeAttr": fn(*const c_int) -> c_int;
        text = c"PD_StringAttr": fn(Ptr) -> *const c_char;
        i32s = c"PD_ListInt32Attr": fn(Ptr) -> List;
        i64s = c"PD_ListInt64Attr": fn(Ptr) -> List;
        f32s = c"PD_ListFloatAttr": fn(Ptr) -> List;
        f64s = c"PD_ListDoubleAttr": fn(Ptr) -> List;
        optional_tensor = c"PD_OptionalTensorGetPointer": fn(Ptr) -> Ptr;
        tensors = c"PD_TensorVectorToList": fn(Ptr) -> List;
        delete_pointers = c"PD_DeletePointerList": fn(List);
        scalar_i64 = c"PD_ScalarGetInt64Data": fn(Ptr) -> i64;
        scalar_f64 = c"PD_ScalarGetFloat64Data": fn(Ptr) -> f64;
        int_array = c"PD_IntArrayGetDataPointer": fn(Ptr) -> List;
        int_array_len = c"PD_IntArrayGetElementCount": fn(Ptr) -> usize;
        tensor_element = c"PD_TensorGetPDDataType": fn(Ptr, *mut c_int) -> c_int;
        tensor_rank = c"PD_TensorGetNumDims": fn(Ptr, *mut c_int) -> i64;
        tensor_dim = c"PD_TensorGetDim": fn(Ptr, usize, *mut c_int) -> i64;
        tensor_strides = c"PD_TensorGetNumStrides": fn(Ptr, *mut c_int) -> i64;
        tensor_stride = c"PD_TensorGetStride": fn(Ptr, usize, *mut c_int) -> i64;
        tensor_data = c"PD_TensorGetDataPointer": fn(Ptr, *mut c_int) -> Ptr;
        tensor_is_initialized = c"PD_TensorIsInitialized": fn(Ptr, *mut c_int) -> bool;
        set_dims = c"PD_TensorSetDims": fn(Ptr, i64, *const i64, *mut c_int);
        set_strides = c"PD_TensorSetStrides": fn(Ptr, i64, *const i64, *mut c_int);
        set_offset = c"PD_TensorSetOffset": fn(Ptr, i64, *mut c_int);
        random = c"PD_DeviceContextGetRandom": fn(Ptr, *mut c_int) -> u64;
        allocate = c"PD_DeviceContextAllocateTensor": fn(Ptr, Ptr, usize, c_int, *mut c_int) -> Ptr;
    }
    c"libcommon.so" {
        make_exception = c"_ZN6common7enforce13EnforceNotMetC1ERKNS_12ErrorSummaryEPKci": fn(
            Ptr, Ptr, *const c_char, c_int
        );
    }
    c"libstdc++.so.6" {
        allocate_exception = c"__cxa_allocate_exception": fn(usize) -> Ptr;
        throw_exception = c"__cxa_throw": fn(Ptr, Ptr, Ptr) -> !;
    }
}

/// Data of Paddle.
pub(super) struct Objects {
    /// The type of Paddle's exceptions.
    pub(super) exception_type: usize,
    /// The destructor of Paddle's exceptions.
    pub(super) drop_exception: usize,
    /// The flag `enable_api_kernel_fallback`, a `bool`.
    pub(super) fallback: usize,
}

static LOADED: OnceLock<(Api, Objects)> = OnceLock::new();

/// Finds all functions.
///
/// # Errors
/// The name of a function that is missing.
pub(super) fn load() -> Result<(), String> {
    if LOADED.get().is_some() {
        return Ok(());
    }
    let address = |name| symbol(c"libcommon.so", name).map(|it| it.expose_provenance());
    let objects = Objects {
        exception_type: address(c"_ZTIN6common7enforce13EnforceNotMetE")?,
        drop_exception: address(c"_ZN6common7enforce13EnforceNotMetD1Ev")?,
        fallback: address(c"_ZN12paddle_flags32FLAGS_enable_api_kernel_fallbackE")?,
    };
    // If another thread was faster, it has found the same.
    let _ = LOADED.set((Api::load()?, objects));
    Ok(())
}

/// Paddle's functions; `None` before [`load`].
pub(super) fn api() -> Option<&'static Api> {
    LOADED.get().map(|(api, _)| api)
}

/// Paddle's data; `None` before [`load`].
pub(super) fn objects() -> Option<&'static Objects> {
    LOADED.get().map(|(_, objects)| objects)
}

/// A symbol of a library that the process has loaded.
pub(super) fn symbol(library: &CStr, name: &CStr) -> Result<Ptr, String> {
    // SAFETY: both names end with a null; the library is loaded already, so none of its code runs.
    let address = unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() { handle } else { libc::dlsym(handle, name.as_ptr()) }
    };
    match address.is_null() {
        true => Err(format!("{} has no {}", library.to_string_lossy(), name.to_string_lossy())),
        false => Ok(address),
    }
}
