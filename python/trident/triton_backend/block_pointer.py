"""Block pointers: ``tl.make_block_ptr`` and ``tl.advance``, which Triton 3.9 no longer has and many
kernels use.

A block pointer is a tensor in memory (base, shape, strides) with the offsets of a block in it.
Loads and stores become those of a block of pointers, with masks for the axes that
``boundary_check`` names.
"""

from typing import Any

from triton.language import core

_load, _store = core.load, core.store


class block_pointer_type(core.base_type):
    """Type of a block pointer: what it points to, and the types of its parts."""

    def __init__(self, element_ty: core.block_type, base: core.pointer_type, rank: int) -> None:
        self.element_ty: Any = element_ty
        self.base: Any = base
        self.rank = rank

    @property
    def scalar(self) -> "block_pointer_type":
        return self

    def _parts(self) -> list[Any]:
        return [self.base] + [core.int64] * (3 * self.rank)

    def _unflatten_ir(self, handles: Any, cursor: Any) -> Any:
        values = []
        for ty in self._parts():
            value, cursor = ty._unflatten_ir(handles, cursor)
            values.append(value)
        base, *numbers = values
        shape, strides, offsets = (numbers[i * self.rank : (i + 1) * self.rank] for i in range(3))
        return block_pointer(base, shape, strides, offsets, self.element_ty), cursor

    def _flatten_ir_types(self, builder: Any, out: Any) -> None:
        for ty in self._parts():
            ty._flatten_ir_types(builder, out)

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and self.element_ty == other.element_ty
            and self.base == other.base
        )

    def __hash__(self) -> int:
        return hash((str(self.element_ty), str(self.base)))

    def __str__(self) -> str:
        return f"block_pointer<{self.element_ty}>"

    def mangle(self) -> str:
        return f"BP{self.base.mangle()}{self.element_ty.mangle()}"


class block_pointer(core.base_value):
    """A block of a tensor in memory."""

    def __init__(
        self, base: Any, shape: Any, strides: Any, offsets: Any, element_ty: core.block_type
    ) -> None:
        """Not for kernels, which call ``tl.make_block_ptr``. Shape, strides and offsets are i64."""
        super().__init__()
        self.base: Any = base
        self.shape: list[Any] = list(shape)
        self.strides: list[Any] = list(strides)
        self.offsets: list[Any] = list(offsets)
        kind = block_pointer_type(element_ty, base.type, len(self.shape))
        # Upstream declares the attribute for every type, and nothing assigns another one.
        self.type: block_pointer_type = kind  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def dtype(self) -> block_pointer_type:
        return self.type

    @property
    def block_shape(self) -> list[int]:
        return list(self.type.element_ty.shape)

    def _flatten_ir(self, handles: Any) -> None:
        for value in (self.base, *self.shape, *self.strides, *self.offsets):
            value._flatten_ir(handles)

    def _set_name(self, builder: Any, name: str) -> None:
        self.base._set_name(builder, name)

    def __str__(self) -> str:
        return str(self.type)

    @core.builtin
    def advance(self, offsets: Any, _semantic: Any = None) -> Any:
        """The pointer moved by ``offsets`` elements along each axis."""
        return advance(self, offsets, _semantic=_semantic)

    def _pointers(self, semantic: Any) -> Any:
        """The block of pointers, and indices along each axis, shaped to broadcast."""
        shape, rank = self.block_shape, len(self.block_shape)
        pointers, indices = self.base, []
        for axis, size in enumerate(shape):
            index = semantic.arange(0, size)
            index = semantic.cast(index, core.int64)
            index = semantic.add(index, self.offsets[axis], False)
            for other in range(rank):
                if other != axis:
                    index = semantic.expand_dims(index, other)
            indices.append(index)
            step = semantic.mul(index, self.strides[axis], False)
            pointers = semantic.add(pointers, step, False)
        return semantic.broadcast_impl_shape(pointers, shape), indices

    def _mask(self, indices: Any, boundary_check: Any, semantic: Any) -> Any:
        """Which elements are inside along the axes named; ``None`` if none is."""
        mask = None
        for axis in boundary_check:
            zero = semantic.scalar_constant(0, core.int64)
            inside = semantic.and_(
                semantic.greater_equal(indices[axis], zero),
                semantic.less_than(indices[axis], self.shape[axis]),
            )
            mask = inside if mask is None else semantic.and_(mask, inside)
        return None if mask is None else semantic.broadcast_impl_shape(mask, self.block_shape)


def _items(values: Any) -> list[Any]:
    values = core._unwrap_if_constexpr(values)
    if not isinstance(values, (list, tuple, core.tuple)):
        values = [values]
    return [core._unwrap_if_constexpr(value) for value in values]


def _wide(values: Any, semantic: Any) -> list[Any]:
    return [semantic.cast(semantic.to_tensor(value), core.int64) for value in _items(values)]


def _axes(boundary_check: Any, rank: int) -> list[int]:
    axes = []
    for axis in _items(boundary_check):
        if not isinstance(axis, int) or not -rank <= axis < rank:
            raise ValueError(f"boundary_check names axis {axis} of a block with {rank} axes")
        if axis % rank in axes:
            raise ValueError(f"boundary_check names axis {axis} twice")
        axes.append(axis % rank)
    return sorted(axes)


@core.builtin
def make_block_ptr(
    base: Any,
    shape: Any,
    strides: Any,
    offsets: Any,
    block_shape: Any,
    order: Any,
    _semantic: Any = None,
) -> Any:
    """A pointer to a block of a tensor in memory.

    :param base: pointer to the tensor's first element
    :param shape: lengths of the tensor's axes
    :param strides: elements from one to the next along each axis
    :param offsets: index of the block's first element along each axis
    :param block_shape: lengths of the block's axes
    :param order: the axes from the fastest to the slowest in memory; a hint
    """
    if not base.type.is_ptr() or base.type.element_ty.is_block():
        raise ValueError(f"make_block_ptr takes a pointer, not {base.type}")
    block, axes = _items(block_shape), _items(order)
    ranks = {len(_items(list_)) for list_ in (shape, strides, offsets, block, axes)}
    if ranks != {len(block)}:
        raise ValueError("shape, strides, offsets, block_shape and order must have the same length")
    if sorted(axes) != list(range(len(block))):
        raise ValueError(f"order must name every axis once, not {axes}")
    if base.type.element_ty == core.int1:
        base = _semantic.cast(base, core.pointer_type(core.int8, base.type.address_space))
    shape, strides, offsets = (_wide(values, _semantic) for values in (shape, strides, offsets))
    block_ty = core.block_type(base.type.element_ty, block)
    return block_pointer(base, shape, strides, offsets, block_ty)


@core.must_use_result(
    "Note that tl.advance does not have any side effects. To move the block pointer, you need to "
    "assign the result of tl.advance to a variable."
)
@core.builtin
def advance(base: Any, offsets: Any, _semantic: Any = None) -> Any:
    """The block pointer moved by ``offsets`` elements along each axis."""
    if not isinstance(base, block_pointer):
        raise ValueError(f"advance takes a block pointer, not {base.type}")
    steps = _wide(offsets, _semantic)
    if len(steps) != len(base.offsets):
        raise ValueError(f"advance takes {len(base.offsets)} offsets here, not {len(steps)}")
    moved = [_semantic.add(a, b, False) for a, b in zip(base.offsets, steps)]
    return block_pointer(base.base, base.shape, base.strides, moved, base.type.element_ty)


def _only_for_blocks(boundary_check: Any, padding_option: Any = "") -> None:
    if _items(boundary_check) or core._unwrap_if_constexpr(padding_option):
        raise ValueError(
            "boundary_check and padding_option are for block pointers; give a mask instead"
        )


@core.builtin
def load(
    pointer: Any,
    mask: Any = None,
    other: Any = None,
    boundary_check: Any = (),
    padding_option: Any = "",
    *,
    cache_modifier: Any = "",
    eviction_policy: Any = "",
    volatile: Any = False,
    _semantic: Any = None,
) -> Any:
    hints: dict[str, Any] = {
        "cache_modifier": cache_modifier,
        "eviction_policy": eviction_policy,
        "volatile": volatile,
    }
    if not isinstance(pointer, block_pointer):
        _only_for_blocks(boundary_check, padding_option)
        return _load(pointer, mask, other, **hints, _semantic=_semantic)
    for value, name in ((mask, "mask"), (other, "other")):
        if core._unwrap_if_constexpr(value) is not None:
            raise ValueError(f"`{name}` cannot be given for a block pointer: use boundary_check")
    element = pointer.type.element_ty.element_ty
    padding = core._unwrap_if_constexpr(padding_option) or ""
    if padding not in ("", "zero", "nan"):
        raise ValueError(f"padding_option must be `zero`, `nan` or left out, not `{padding}`")
    if padding == "nan" and not element.is_floating():
        raise ValueError(f"padding_option `nan` is not possible for elements of type {element}")
    pointers, indices = pointer._pointers(_semantic)
    inside = pointer._mask(indices, _axes(boundary_check, len(indices)), _semantic)
    fill = None
    if inside is not None and padding:
        fill = _semantic.scalar_constant(float("nan") if padding == "nan" else 0, core.float32)
        fill = _semantic.cast(fill, element)
    return _load(pointers, inside, fill, **hints, _semantic=_semantic)


@core.builtin
def store(
    pointer: Any,
    value: Any,
    mask: Any = None,
    boundary_check: Any = (),
    *,
    cache_modifier: Any = "",
    eviction_policy: Any = "",
    _semantic: Any = None,
) -> Any:
    hints: dict[str, Any] = {"cache_modifier": cache_modifier, "eviction_policy": eviction_policy}
    if not isinstance(pointer, block_pointer):
        _only_for_blocks(boundary_check)
        return _store(pointer, value, mask, **hints, _semantic=_semantic)
    if core._unwrap_if_constexpr(mask) is not None:
        raise ValueError("`mask` cannot be given for a block pointer: use boundary_check")
    pointers, indices = pointer._pointers(_semantic)
    inside = pointer._mask(indices, _axes(boundary_check, len(indices)), _semantic)
    value = _semantic.broadcast_impl_shape(_semantic.to_tensor(value), pointer.block_shape)
    return _store(pointers, value, inside, **hints, _semantic=_semantic)


load.__doc__, store.__doc__ = _load.__doc__, _store.__doc__
