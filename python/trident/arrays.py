"""Views of arrays of any library that pass for tensors."""

from trident._trident import address as _address


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
