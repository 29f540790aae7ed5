"""Rows for batches: which inputs of a case carry them, the model for any number, and their data."""

import copy

import numpy as np
import onnx
from onnx import numpy_helper

BATCHES = (2, 3, 8)
ROWS = max(BATCHES)


class Unsuitable(Exception):
    """The case has no rows in this form, or does not run with one row."""


def forms(case):
    """Lists of the names of inputs that carry rows; the other inputs become constants.

    All inputs, those as long as the first one, and each input by itself.
    """
    if not case.sets:
        raise Unsuitable("no data")
    _, inputs, _ = case.sets[0]
    if not inputs or not all(isinstance(value, np.ndarray) for _, value in inputs):
        raise Unsuitable("no inputs, or some that are not tensors")
    with_axis = {name for name, value in inputs if value.ndim > 0 and value.shape[0] > 0}
    first = inputs[0][1].shape[:1]
    groups = [
        [name for name, _ in inputs],
        [name for name, value in inputs if value.shape[:1] == first],
        *([name] for name, _ in inputs),
    ]
    found = []
    for group in groups:
        if with_axis.issuperset(group) and group not in found:
            found.append(group)
    if not found:
        raise Unsuitable("no input has a first axis")
    return found


def model_for_rows(case, names):
    """The model with any number of rows, the first dimension of these inputs."""
    model = copy.deepcopy(case.model)
    graph = model.graph
    _, inputs, _ = case.sets[0]
    for name, value in inputs:
        if name not in names:
            graph.initializer.append(numpy_helper.from_array(value, name))
    # Initializers that IR 3 lists as inputs stay constants.
    kept = [info for info in graph.input if info.name in names]
    del graph.input[:]
    graph.input.extend(kept)
    ranks = {name: value.ndim for name, value in inputs}
    for info in graph.input:
        dims = info.type.tensor_type.shape.dim
        while len(dims) < ranks[info.name]:  # the rank was left open
            dims.add()
        dims[0].Clear()
        dims[0].dim_param = "rows"
    # The shapes that followed from the rows' number.
    for info in graph.output:
        if info.type.HasField("tensor_type"):
            info.type.tensor_type.ClearField("shape")
    del graph.value_info[:]
    return model


def permuted_rows(value, seed):
    """Eight rows of the elements of `value` in random orders; floats are scaled, too."""
    rng = np.random.default_rng(seed)
    rows = []
    for r in range(ROWS):
        row = value.ravel()[rng.permutation(value.size)].reshape(value.shape)[:1]
        if np.issubdtype(value.dtype, np.floating):
            row = (row * value.dtype.type(1 + r / ROWS)).astype(value.dtype)
        rows.append(row)
    return np.concatenate(rows)


def cycled_rows(value):
    """Eight rows of `value`, repeated if it has fewer, for values whose order matters."""
    return np.concatenate([value[r % len(value)][None] for r in range(ROWS)])


def orders(is_large):
    """The rows of each batch, so that rows are at every position of 2, 3 and 8.

    A large model runs less: each batch in order, and that of 8 backwards.
    """
    if is_large:
        return [*(tuple(range(n)) for n in BATCHES), tuple(reversed(range(ROWS)))]
    return [tuple((first + i) % n for i in range(n)) for n in BATCHES for first in range(n)]


def same_bits(a, b):
    """Whether two results have equal types, shapes and bits."""
    if isinstance(a, list) or isinstance(b, list):
        pairs = isinstance(a, list) and isinstance(b, list) and len(a) == len(b)
        return pairs and all(same_bits(x, y) for x, y in zip(a, b, strict=True))
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    return a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()


def row_of(result, row):
    """The row of a batch's result; of a sequence, that of each item."""
    if isinstance(result, list):
        return [row_of(item, row) for item in result]
    return result[row : row + 1]


def difference(alone, result, order):
    """The first difference of a batch's result from those of its rows alone, or None."""
    items = result if isinstance(result, list) else [result]
    wrong = [item.shape for item in items if item.shape[:1] != (len(order),)]
    if wrong:
        return f"shape {wrong[0]} for {len(order)} rows"
    for position, row in enumerate(order):
        own = row_of(result, position)
        if not same_bits(alone[row], own):
            return f"row {row} at position {position}{distance(alone[row], own)}"
    return None


def distance(alone, batched):
    """How many elements differ and how much, for numbers."""
    arrays = isinstance(alone, np.ndarray) and isinstance(batched, np.ndarray)
    if not arrays or (alone.shape, alone.dtype) != (batched.shape, batched.dtype):
        return ""
    if alone.dtype == object:
        return ""
    bits = f"V{alone.dtype.itemsize}"
    differ = np.ascontiguousarray(alone).view(bits) != np.ascontiguousarray(batched).view(bits)
    wide = np.abs(alone.astype(np.float64) - batched.astype(np.float64))[differ]
    most = np.nanmax(wide) if np.isfinite(wide).any() else np.nan
    return f": {differ.sum()} of {differ.size} elements, by at most {most:.3g}"


def save(value, path):
    """Write an array as a TensorProto."""
    path.write_bytes(numpy_helper.from_array(value).SerializeToString())


def save_model(model, path):
    """Write the model."""
    onnx.save(model, str(path))
