"""Arrays of any library: their addresses, their memory, and views that pass for tensors."""

import ctypes
import math
import sys

from trident._trident import address as _address
from trident._trident import gpu as _gpu
from trident._trident import metal_place as _metal_place

_CPU_DEVICES = {1, 3, 11, 13}  # kDLCPU, and host memory of CUDA and ROCm, CUDA's managed memory


_METAL = 8  # kDLMetal: `data` is a buffer, an object, and `byte_offset` a place in it

_DLPACK_READ_ONLY = 1


class _DLTensor(ctypes.Structure):
    """``DLTensor`` of dlpack.h."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _DLVersioned(ctypes.Structure):
    """``DLManagedTensorVersioned`` of dlpack.h."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


def _dltensor(array) -> tuple[object, _DLTensor, bool]:
    """The capsule, which keeps the memory alive, what it holds, and whether that is read-only."""
    device, _ = array.__dlpack_device__()
    if int(device) not in _CPU_DEVICES and not (int(device) == _METAL and _gpu()):
        raise ValueError(
            f"the array is on another device (DLPack type {int(device)}); "
            f"this kernel runs on the {'GPU' if _gpu() else 'CPU'}"
        )
    try:
        capsule = array.__dlpack__(max_version=(1, 0))
    except TypeError:  # Libraries from before versions know no such argument.
        capsule = array.__dlpack__()
    python = ctypes.pythonapi
    name, get, is_valid = (
        b"dltensor_versioned",
        python.PyCapsule_GetPointer,
        python.PyCapsule_IsValid,
    )
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    if is_valid(capsule, name):
        managed = _DLVersioned.from_address(get(capsule, name))
        return capsule, managed.tensor, bool(managed.flags & _DLPACK_READ_ONLY)
    return capsule, _DLTensor.from_address(get(capsule, b"dltensor")), False


def is_readonly(array) -> bool:
    """Whether an array's library forbids writing to it."""
    if isinstance(array, View):
        return is_readonly(array.array)
    interface = getattr(array, "__array_interface__", None)
    if interface is not None and interface.get("data") is not None:
        return bool(interface["data"][1])
    if hasattr(array, "data_ptr"):
        return False
    if hasattr(array, "__dlpack__"):
        return _dltensor(array)[2]
    try:
        return memoryview(array).readonly
    except TypeError:
        return False


def metal(array) -> tuple[int, int] | None:
    """The handle of the Metal buffer that an array lies in, and the byte where it begins; ``None``
    for other arrays. What the array's library has queued on the GPU is done then."""
    if isinstance(array, View):
        return metal(array.array)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        if array.device.type != "mps":
            return None
        torch.mps.synchronize()
        # Its DLPack has taken a view's offset for part of the handle, or left such arrays out,
        # depending on the version.
        offset = array.storage_offset() * array.element_size()
        return array.untyped_storage().data_ptr(), offset
    if not hasattr(array, "__dlpack_device__") or int(array.__dlpack_device__()[0]) != _METAL:
        return None
    mlx = sys.modules.get("mlx.core")
    if mlx is not None and isinstance(array, mlx.array):
        mlx.eval(array)
    _capsule, tensor, _ = _dltensor(array)
    if _steps(tensor) and not hasattr(array, "strides") and not hasattr(array, "stride"):
        raise ValueError(_strided(array))
    return tensor.data or 0, tensor.byte_offset


def _strided(array) -> str:
    return (
        f"the elements of this `{type(array).__name__}` are not one behind the other, and it "
        "does not tell its strides: make it contiguous first"
    )


def _steps(tensor: _DLTensor) -> list[int] | None:
    """Strides of a DLPack tensor, or ``None`` if its elements are one behind the other."""
    if not tensor.strides:
        return None
    shape, strides = tensor.shape[: tensor.ndim], tensor.strides[: tensor.ndim]
    step = 1
    for length, stride in reversed(list(zip(shape, strides))):
        if length != 1 and stride != step:
            return None if 0 in shape else strides
        step *= length
    return None


def address(array) -> int:
    """The address of the first element by ``__array_interface__`` or DLPack."""
    interface = getattr(array, "__array_interface__", None)
    if interface is not None and interface.get("data") is not None:
        return interface["data"][0]
    if not hasattr(array, "__dlpack__"):
        raise TypeError(f"`{type(array).__name__}` gives no address of its elements")
    _capsule, tensor, _ = _dltensor(array)
    if _steps(tensor) and not hasattr(array, "strides") and not hasattr(array, "stride"):
        raise ValueError(_strided(array))
    return (tensor.data or 0) + tensor.byte_offset


def extent(array) -> tuple[int, int] | None:
    """Address and bytes of the memory that an array is part of, where its library tells.

    For a view that is the memory of the array it was made from: a kernel may go anywhere within.
    """
    if isinstance(array, View):
        return extent(array.array)
    if (found := metal(array) if _gpu() else None) is not None:
        place, nbytes = _metal_place(found[0])
        if hasattr(array, "untyped_storage"):
            nbytes = min(nbytes, array.untyped_storage().nbytes())
        return place, nbytes
    if hasattr(array, "untyped_storage"):
        storage = array.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    if isinstance(array, memoryview) and not array.c_contiguous:
        return extent(array.obj) if hasattr(array.obj, "__array_interface__") else None
    inner = getattr(array, "base", None)
    if hasattr(array, "data_ptr"):
        if inner is not None:
            return extent(inner)
        nbytes = getattr(array, "nbytes", None)
        return None if nbytes is None else (array.data_ptr(), int(nbytes))
    while inner is not None and hasattr(inner, "__array_interface__"):
        array, inner = inner, getattr(inner, "base", None)
    nbytes = getattr(array, "nbytes", None)
    if nbytes is None:
        try:
            nbytes = memoryview(array).nbytes
        except TypeError:
            return _spoken_extent(array)
    return _address(array), int(nbytes)


def memory(array) -> tuple[int, int, bool] | None:
    """What ``extent`` gives, and whether the memory may be written; of ``None`` no bytes."""
    if array is None:
        return 0, 0, False
    found = extent(array)
    return None if found is None else (*found, not is_readonly(array))


def _spoken_extent(array) -> tuple[int, int] | None:
    """The extent by ``__array_interface__`` or DLPack, of arrays without strides."""
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        if interface.get("strides") is not None:
            return None
        return _address(array), int(interface["typestr"][2:]) * math.prod(interface["shape"])
    if not hasattr(array, "__dlpack__"):
        return None
    _capsule, tensor, _ = _dltensor(array)
    if _steps(tensor):
        return None
    size = math.prod(tensor.shape[: tensor.ndim])
    return _address(array), size * tensor.bits * tensor.lanes // 8


class DType(str):
    """An element type by name, with ``itemsize`` and ``is_floating_point`` as PyTorch has them."""

    itemsize: int
    is_floating_point: bool

    def __new__(cls, dtype) -> "DType":
        name = str(dtype).rsplit(".", 1)[-1]
        made = super().__new__(cls, name)
        made.itemsize = getattr(dtype, "itemsize", None) or dtype.size
        made.is_floating_point = "float" in name
        return made


class _Storage:
    """The memory of a view, which is the CPU's already: copying it to there and back is nothing."""

    def __init__(self, address: int):
        self._address = address

    def data_ptr(self) -> int:
        return self._address

    def cpu(self) -> "_Storage":
        return self

    def copy_(self, other: "_Storage") -> "_Storage":
        return self


class View:
    """An array of another library as a tensor: what Triton's own helpers call on PyTorch's.

    Everything else is the array's.
    """

    def __init__(self, array):
        self.array = array
        self.dtype = DType(array.dtype)

    def data_ptr(self) -> int:
        return _address(self.array)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    def stride(self, dim: int | None = None):
        """Strides in elements."""
        strides = getattr(self.array, "strides", None)
        if strides is None:
            strides, step = [], self.dtype.itemsize
            for size in reversed(self.shape):
                strides.insert(0, step)
                step *= size
        strides = tuple(s // self.dtype.itemsize for s in strides)
        return strides if dim is None else strides[dim]

    def size(self, dim: int | None = None):
        return self.shape if dim is None else self.shape[dim]

    def untyped_storage(self) -> _Storage:
        return _Storage(self.data_ptr())

    def storage_offset(self) -> int:
        return 0

    def new_empty(self, *size, **_) -> "View":
        return View(self.array)

    def set_(self, storage: _Storage, *_) -> "View":
        """Triton's interpreter makes its copy of a tensor by this; a view stays what it is."""
        return self

    def zero_(self) -> "View":
        self.array[...] = 0
        return self

    def clone(self) -> "View":
        return View(self.array.copy())

    def copy_(self, other: "View") -> "View":
        self.array[...] = other.array
        return self

    def __getattr__(self, name):
        if name == "array":
            raise AttributeError(name)
        return getattr(self.array, name)


def is_foreign(value) -> bool:
    """Whether a value is an array that Triton does not know: one without ``data_ptr()``."""
    if hasattr(value, "data_ptr") or not hasattr(value, "dtype"):
        return False
    return getattr(value, "ndim", None) is not None and (
        hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__")
    )


def view(value):
    """A ``View`` of an array that Triton does not know; any other value as it is."""
    return View(value) if is_foreign(value) else value


def views(values: tuple) -> tuple:
    """A tuple with views for arrays that Triton does not know, and Python's numbers for NumPy's."""
    items = []
    for value in values:
        if isinstance(value, tuple):
            value = views(value)
        elif is_foreign(value):
            scalar = hasattr(value, "item") and not hasattr(value, "__setitem__")
            value = value.item() if scalar else View(value)
        items.append(value)
    return type(values)(*items) if hasattr(values, "_fields") else type(values)(items)
