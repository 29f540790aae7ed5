"""ONNX files as they are written: reading of their metadata, and replacement of their tensors.

A file is rewritten field by field. What is not replaced stays as it is, to the byte, also what this
package knows nothing about.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from trident.onnxruntime import wire

#: For each message the fields that hold tensors, directly or further inside, and their messages.
INSIDE: dict[str, dict[int, str]] = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
INITIALIZER = (7, 5)  # the path of the initializers of the model's graph
METADATA, GRAPH, INPUT, NODE = 14, 7, 11, 1

# Fields of tensors.
DIMS, TYPE, SEGMENT, NAME, RAW, DOC, ENTRIES, LOCATION = 1, 2, 3, 8, 9, 12, 13, 14
EXTERNAL = 1

#: Numbers of the messages through which a model's tensor is reached.
Path = tuple[int, ...]
#: The replacement of a tensor at a path; ``None`` to keep it.
Replace = Callable[["Tensor", Path], "bytes | None"]


class Tensor(NamedTuple):
    """A tensor of a file, with its elements as they are stored."""

    name: str
    dims: list[int]
    #: ONNX's number of the element type.
    type: int
    #: The place of data in another file: ``location``, ``offset``, ``length``.
    entries: dict[str, str]
    raw: memoryview | None
    fields: list[wire.Field]

    @property
    def is_external(self) -> bool:
        """Whether the elements are in another file."""
        return bool(self.entries)


def read_tensor(message: memoryview) -> Tensor:
    """A tensor. Raises ``ValueError`` for bytes that are none."""
    found = list(wire.fields(message))
    dims: list[int] = []
    name, number, raw, external = "", 0, None, False
    entries: dict[str, str] = {}
    for field in found:
        if field.number == DIMS:
            dims += wire.integers(field)
        elif field.number == TYPE and isinstance(field.value, int):
            number = field.value
        elif field.number == NAME:
            name = field.text
        elif field.number == RAW:
            raw = field.bytes
        elif field.number == ENTRIES:
            key, value = _entry(field.bytes)
            entries[key] = value
        elif field.number == LOCATION:
            external = field.value == EXTERNAL
    return Tensor(name, dims, number, entries if external else {}, raw, found)


def embedded(tensor: Tensor, data: bytes | memoryview) -> bytes:
    """The message of a tensor with these elements in the file itself."""
    return b"".join((_head(tensor), wire.prefix(RAW, len(data)), data))


def external(tensor: Tensor, location: str, offset: int, length: int) -> bytes:
    """The message of a tensor whose elements are in another file."""
    entries = (("location", location), ("offset", str(offset)), ("length", str(length)))
    pairs = [wire.data(ENTRIES, wire.data(1, key) + wire.data(2, text)) for key, text in entries]
    return b"".join((_head(tensor), *pairs, wire.integer(LOCATION, EXTERNAL)))


def _head(tensor: Tensor) -> bytes:
    """The fields of a tensor that do not depend on where its elements are."""
    dims = b"".join(wire.integer(DIMS, size) for size in tensor.dims)
    kept = b"".join(bytes(field.raw) for field in tensor.fields if field.number in (NAME, DOC))
    return dims + wire.integer(TYPE, tensor.type) + kept


def metadata(model: memoryview) -> dict[str, str]:
    """The metadata of a model. Raises ``ValueError`` for bytes that are none."""
    return dict(_entry(field.bytes) for field in wire.fields(model) if field.number == METADATA)


def tensors(model: memoryview) -> Iterator[Tensor]:
    """The initializers of a model's graph."""
    for graph in wire.fields(model):
        if graph.number == GRAPH:
            for field in wire.fields(graph.bytes):
                if field.number == INITIALIZER[1]:
                    yield read_tensor(field.bytes)


def nodes(model: memoryview) -> Iterator[tuple[str, str, str]]:
    """The name, the domain and the operator of each node of a model's graph."""
    for graph in wire.fields(model):
        if graph.number == GRAPH:
            for field in wire.fields(graph.bytes):
                if field.number == NODE:
                    texts = {each.number: each for each in wire.fields(field.bytes)}
                    found = (texts[key].text if key in texts else "" for key in (3, 7, 4))
                    name, domain, operator = found
                    yield name, domain, operator


def operator(model: memoryview, node: str) -> str | None:
    """The operator of the node with this name, or with this first result if it has no name.

    ``None`` if the model's graph has no such node.
    """
    for graph in wire.fields(model):
        if graph.number == GRAPH:
            for field in wire.fields(graph.bytes):
                if field.number == NODE:
                    texts: dict[int, str] = {}
                    for each in wire.fields(field.bytes):
                        if each.number in (2, 3, 4):
                            texts.setdefault(each.number, each.text)
                    if (texts.get(3) or texts.get(2)) == node:
                        return texts.get(4)
    return None


def rewrite(model: memoryview, replace: Replace) -> bytes:
    """The model with other tensors."""
    return _rewritten(model, "model", (), replace) or bytes(model)


def _rewritten(message: memoryview, kind: str, path: Path, replace: Replace) -> bytes | None:
    """The message with other tensors, or ``None`` if all are kept."""
    inside = INSIDE[kind]
    parts: list[bytes | memoryview] = []
    changed = False
    for field in wire.fields(message):
        child = inside.get(field.number)
        other: bytes | None = None
        if child == "tensor":
            other = replace(read_tensor(field.bytes), (*path, field.number))
        elif child is not None:
            other = _rewritten(field.bytes, child, (*path, field.number), replace)
        if other is None:
            parts.append(field.raw)
        else:
            changed = True
            parts += [wire.prefix(field.number, len(other)), other]
    return b"".join(parts) if changed else None


def fix_denotations(model: memoryview, sizes: dict[str, int]) -> bytes:
    """The model with sizes for those dimensions of inputs that have a denotation and no size."""
    return _fixed(model, (GRAPH, INPUT, 2, 1, 2, 1), sizes)


def _fixed(message: memoryview, path: Path, sizes: dict[str, int]) -> bytes:
    """The message with the dimensions at a path fixed."""
    parts: list[bytes | memoryview] = []
    for field in wire.fields(message):
        if not path or field.number != path[0]:
            parts.append(field.raw)
            continue
        inner = field.bytes
        other = _dimension(inner, sizes) if len(path) == 1 else _fixed(inner, path[1:], sizes)
        parts.append(wire.data(field.number, other))
    return b"".join(parts)


def _dimension(message: memoryview, sizes: dict[str, int]) -> bytes:
    found = {field.number: field for field in wire.fields(message)}
    denotation = found[3].text if 3 in found else ""
    if denotation not in sizes or 1 in found:
        return bytes(message)
    return wire.integer(1, sizes[denotation]) + wire.data(3, denotation)


def _entry(message: memoryview) -> tuple[str, str]:
    """A pair of a key and a text."""
    found = {field.number: field.text for field in wire.fields(message)}
    return found.get(1, ""), found.get(2, "")
