"""Views of arrays of any library that pass for tensors."""

from collections.abc import Iterable
from typing import Any, cast

from trident._trident import address as _address


class DType(str):
    """An element type by name, with ``itemsize`` and ``is_floating_point`` as PyTorch has them."""

    itemsize: int
    is_floating_point: bool

    def __new__(cls, dtype: Any) -> "DType":
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

    def __init__(self, array: Any) -> None:
        self.array = array
        self.dtype: DType = DType(array.dtype)

    def data_ptr(self) -> int:
        return _address(self.array)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    def stride(self, dim: int | None = None) -> int | tuple[int, ...]:
        """Strides in elements."""
        steps: Iterable[int] | None = getattr(self.array, "strides", None)
        if steps is None:
            steps = self._dense_steps()
        strides = tuple(step // self.dtype.itemsize for step in steps)
        return strides if dim is None else strides[dim]

    def _dense_steps(self) -> list[int]:
        """Strides in bytes of an array whose elements have no gaps."""
        steps: list[int] = []
        step = self.dtype.itemsize
        for size in reversed(self.shape):
            steps.insert(0, step)
            step *= size
        return steps

    def size(self, dim: int | None = None) -> int | tuple[int, ...]:
        return self.shape if dim is None else self.shape[dim]

    def untyped_storage(self) -> _Storage:
        return _Storage(self.data_ptr())

    def storage_offset(self) -> int:
        return 0

    def new_empty(self, *size: Any, **_: Any) -> "View":
        return View(self.array)

    def set_(self, storage: _Storage, *_: Any) -> "View":
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

    def __getattr__(self, name: str) -> Any:
        if name == "array":
            raise AttributeError(name)
        return getattr(self.array, name)


def is_foreign(value: object) -> bool:
    """Whether a value is an array that Triton does not know: one without ``data_ptr()``."""
    if hasattr(value, "data_ptr") or not hasattr(value, "dtype"):
        return False
    return getattr(value, "ndim", None) is not None and (
        hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__")
    )


def view(value: Any) -> Any:
    """A ``View`` of an array that Triton does not know; any other value as it is."""
    return View(value) if is_foreign(value) else value


def views(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """A tuple with views for arrays that Triton does not know, and Python's numbers for NumPy's."""
    items: list[Any] = []
    for value in values:
        if isinstance(value, tuple):
            value = views(cast("tuple[Any, ...]", value))
        elif is_foreign(value):
            scalar = hasattr(value, "item") and not hasattr(value, "__setitem__")
            value = value.item() if scalar else View(value)
        items.append(value)
    make: Any = type(values)
    return make(*items) if hasattr(values, "_fields") else make(items)
