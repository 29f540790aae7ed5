"""``OrtValue``: a value of a model outside of a run, over a NumPy array."""

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, Self, SupportsInt, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from trident.onnxruntime import dlpack, types
from trident.onnxruntime.devices import OrtDevice, require_cpu
from trident.onnxruntime.types import Element

Array = NDArray[Any]


class OrtValue:
    """A tensor, a sequence, a map, or an optional value without one.

    A tensor shares the memory of the array that it was made of.

    >>> import numpy as np
    >>> value = OrtValue.ortvalue_from_numpy(np.arange(3))
    >>> value.data_type(), value.shape()
    ('tensor(int64)', [3])
    >>> value.update_inplace(np.zeros(3, np.int64))
    >>> value.numpy()
    array([0, 0, 0])
    """

    __slots__ = ("_element", "_type", "_value")

    def __init__(self, ortvalue: "OrtValue", numpy_obj: Any = None, session: Any = None) -> None:
        if not isinstance(ortvalue, OrtValue):
            raise ValueError(f"an OrtValue is made of another one, not of {type(ortvalue)}")
        self._value: Any = ortvalue._value
        self._element: Element | None = ortvalue._element
        self._type: str = ortvalue._type

    @classmethod
    def _of(cls, value: Any, kind: str | None = None, element: Element | None = None) -> Self:
        """A value as sessions give it, of the type ``kind``; the type of arrays is their own."""
        made = cls.__new__(cls)
        made._value = value
        if isinstance(value, np.ndarray):
            array = cast("Array", value)
            made._element = element or types.by_numpy(array.dtype)
            made._type = f"tensor({made._element.name if made._element else array.dtype})"
        else:
            made._element, made._type = None, kind or ""
        return made

    @classmethod
    def ortvalue_from_numpy(
        cls,
        numpy_obj: Array,
        /,
        device_type: str | OrtDevice = "cpu",
        device_id: int = 0,
        vendor_id: int = -1,
    ) -> Self:
        """A tensor in the memory of an array, which is copied if its elements are strided."""
        if isinstance(device_type, str):
            require_cpu(device_type, device_id, vendor_id)
        if not isinstance(numpy_obj, np.ndarray) or numpy_obj.dtype.kind in "OSUT":
            raise RuntimeError(
                "Creation of OrtValues is currently only supported from non-string numpy arrays, "
                f"not from {_described(numpy_obj)}"
            )
        if types.by_numpy(numpy_obj.dtype) is None:
            raise RuntimeError(f"an OrtValue cannot hold elements of type {numpy_obj.dtype}")
        return cls._of(_dense(numpy_obj))

    @classmethod
    def ortvalue_from_numpy_with_onnx_type(cls, data: Array, /, onnx_element_type: int) -> Self:
        """A tensor in the memory of an array whose bytes are elements of another type."""
        element = _element(onnx_element_type)
        wanted = types.dtype(element)
        if data.dtype.itemsize != wanted.itemsize or element.bits is not None:
            raise RuntimeError(
                f"elements of {data.dtype} have {data.dtype.itemsize} bytes, and those of "
                f"{element.name} do not: an array of elements of the same size is needed"
            )
        return cls._of(_dense(data).view(wanted), element=element)

    @classmethod
    def ortvalue_from_shape_and_type(
        cls,
        shape: Sequence[int],
        element_type: int | DTypeLike,
        device_type: str = "cpu",
        device_id: int = 0,
        vendor_id: int = -1,
        memory_info: Any = None,
    ) -> Self:
        """A tensor with memory of its own, of zeros. ``element_type`` is NumPy's, or ONNX's
        number."""
        if memory_info is None:
            require_cpu(device_type, device_id, vendor_id)
        elif not memory_info.is_cpu:
            raise RuntimeError(
                f"No shared allocator found for: {memory_info}: values of Trident's sessions lie "
                "in the CPU's memory"
            )
        dims = [int(size) for size in shape]
        if any(size < 0 for size in dims):
            raise RuntimeError(f"dimensions are at least 0, and the shape is {dims}")
        if isinstance(element_type, int):
            wanted = types.dtype(_element(element_type))
        else:
            wanted = np.dtype(element_type)
        return cls.ortvalue_from_numpy(np.zeros(dims, wanted))

    @classmethod
    def from_dlpack(cls, data: Any, /, is_bool: bool = False) -> Self:
        """A tensor in the memory of another library's, or of a capsule of DLPack."""
        if isinstance(data, OrtValue):
            return cls(data)
        if not hasattr(data, "__dlpack__"):
            data = _Capsule(data)
        _check_view(data)
        array = np.from_dlpack(data)
        if not array.flags.writeable and not isinstance(data, np.ndarray):
            array = np.asarray(_Writable(array))
        if not array.flags.c_contiguous:
            raise RuntimeError("ORT only supports contiguous tensor for now: make a copy before")
        return cls._of(array.view(np.bool_) if is_bool and array.dtype == np.uint8 else array)

    @classmethod
    def ort_value_from_sparse_tensor(cls, sparse_tensor: Any) -> NoReturn:
        """Raises ``NotImplementedError``: there are no sparse tensors."""
        raise NotImplementedError("onnxruntime.OrtValue.ort_value_from_sparse_tensor: use tensors")

    def as_sparse_tensor(self) -> NoReturn:
        """Raises ``NotImplementedError``: there are no sparse tensors."""
        raise NotImplementedError("onnxruntime.OrtValue.as_sparse_tensor: use numpy()")

    @property
    def _ortvalue(self) -> Self:
        """This value: ONNX Runtime has two classes, one inside the other."""
        return self

    def _get_c_value(self) -> Self:
        return self

    def _tensor(self) -> Array:
        value = self._value
        if not isinstance(value, np.ndarray):
            text = "there is no value" if value is None else f"the value is a {self._type}"
            raise RuntimeError(f"only tensors have this, and {text}")
        return cast("Array", value)

    def numpy(self) -> Array:
        """The tensor as an array, which shares its memory."""
        return self._tensor()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self._tensor(), dtype=dtype, copy=copy)

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        return self._tensor().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor().__dlpack_device__()

    def to_dlpack(self) -> Any:
        """A capsule of DLPack."""
        return self.__dlpack__()

    def data_ptr(self) -> int:
        """The address of the first element."""
        if self._tensor().dtype.kind == "O":
            raise RuntimeError("strings have no address")
        return self._tensor().ctypes.data

    def device_name(self) -> str:
        """The name of the device that has the memory."""
        self._tensor()
        return "cpu"

    def shape(self) -> list[int]:
        """The dimensions of a tensor."""
        return list(self._tensor().shape)

    def data_type(self) -> str:
        """The type, such as ``tensor(int64)``."""
        return self._type

    def element_type(self) -> int:
        """ONNX's number of the element type of a tensor, or of a sequence's tensors."""
        element = self._element or types.innermost(self._type)
        if element is None:
            text = "there is no value" if self._value is None else f"the value is a {self._type}"
            raise RuntimeError(f"only tensors and sequences have this, and {text}")
        return element.number

    def tensor_size_in_bytes(self) -> int:
        """The size of a tensor's elements, of which two or four of narrow types share a byte."""
        tensor = self._tensor()
        bits = self._element.bits if self._element else None
        return tensor.nbytes if bits is None else (tensor.size * bits + 7) // 8

    def has_value(self) -> bool:
        """Whether there is a value."""
        return self._value is not None

    def is_tensor(self) -> bool:
        """Whether it is a tensor."""
        return isinstance(self._value, np.ndarray)

    def is_sparse_tensor(self) -> bool:
        """Whether it is a sparse tensor: it is not."""
        return False

    def is_tensor_sequence(self) -> bool:
        """Whether it is a sequence of tensors."""
        return isinstance(self._value, list) and "map(" not in self._type

    def update_inplace(self, data: Any) -> None:
        """Write an array's elements, or another value's, to this tensor's memory."""
        source = data._tensor() if isinstance(data, OrtValue) else data
        if not isinstance(source, np.ndarray):
            raise TypeError(f"data must be a numpy.ndarray or an OrtValue, not {type(data)}")
        source, mine = cast("Array", source), self._tensor()
        if source.dtype != mine.dtype:
            raise RuntimeError(f"the tensor has elements of {mine.dtype}, the data {source.dtype}")
        if source.size != mine.size:
            raise RuntimeError(
                "The input size of numpy arrays does not match the size of the OrtValue: "
                f"{list(source.shape)} and {list(mine.shape)}"
            )
        np.copyto(mine, source.reshape(mine.shape))

    def _is_webgpu_buffer(self) -> bool:
        return False

    def __repr__(self) -> str:
        dims = f", shape={self.shape()}" if self.is_tensor() else ""
        return f"<OrtValue {self._type}{dims}>"


class OrtValueVector:
    """A list of values."""

    def __init__(self, values: Sequence[OrtValue] = ()) -> None:
        self._values = list(values)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> OrtValue:
        return self._values[index]

    def __iter__(self) -> Iterator[OrtValue]:
        return iter(self._values)

    def push_back(self, value: Any, is_bool_tensor: bool = False) -> None:
        """Add a value, or a tensor by DLPack."""
        if not isinstance(value, OrtValue):
            value = OrtValue.from_dlpack(value, is_bool_tensor)
        self._values.append(value)

    def reserve(self, size: SupportsInt) -> None:
        """Make room for values, which is not needed."""

    def shrink_to_fit(self) -> None:
        """Give up room, which is not needed."""

    def bool_tensor_indices(self) -> list[int]:
        """The indices of tensors of booleans."""
        return [i for i, v in enumerate(self._values) if v.data_type() == "tensor(bool)"]

    def element_type_at(self, idx: SupportsInt) -> int:
        """ONNX's number of the element type of a value."""
        return self._values[int(idx)].element_type()

    def dlpack_at(self, index: SupportsInt) -> Any:
        """A capsule of DLPack of a value."""
        return self._values[int(index)].to_dlpack()

    def to_dlpacks(self, to_tensor: Any) -> list[Any]:
        """A capsule of each value, or what ``to_tensor`` makes of it."""
        capsules = [value.to_dlpack() for value in self._values]
        return capsules if to_tensor is None else [to_tensor(capsule) for capsule in capsules]


def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream: Any = None) -> None:
    """Write the elements of some tensors to others, one to one."""
    if len(src) != len(dst):
        raise ValueError(f"as many sources as destinations are needed, not {len(src)}, {len(dst)}")
    for source, destination in zip(src, dst):
        destination.update_inplace(source)


def is_dlpack_uint8_tensor(data: Any) -> bool:
    """Whether the tensor of a DLPack capsule has bytes as elements. The capsule stays usable."""
    return dlpack.element(data) == (dlpack.UNSIGNED, 8)


class _Capsule:
    """A capsule of DLPack as an object with the protocol's methods."""

    def __init__(self, capsule: Any) -> None:
        if type(capsule).__name__ != "PyCapsule":
            raise TypeError(
                f"from_dlpack expected a valid DLPack capsule or an object with __dlpack__, "
                f"not {type(capsule)}"
            )
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class _Writable:
    """The memory of an array that is only marked as read-only because its DLPack cannot say."""

    def __init__(self, array: Array) -> None:
        self.array = array
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def _check_view(tensor: Any) -> None:
    """Raises ``RuntimeError`` for a tensor of PyTorch whose memory holds other numbers."""
    for asks, word, resolve in (
        ("is_conj", "conjugated", "resolve_conj"),
        ("is_neg", "negated", "resolve_neg"),
    ):
        ask = getattr(tensor, asks, None)
        if callable(ask) and ask():
            raise RuntimeError(
                f"the tensor is a {word} view, whose memory has other numbers: pass "
                f"tensor.{resolve}()"
            )


def _described(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {cast('Array', value).dtype}"
    return str(type(value))


def _dense(array: Array) -> Array:
    """The array itself, or a copy with contiguous elements in the machine's byte order."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)


def _element(number: int) -> Element:
    element = types.by_number(number)
    if element is None or element.name == "string":
        raise RuntimeError(f"tensor type {number} is not supported: it is no number of ONNX's")
    return element
