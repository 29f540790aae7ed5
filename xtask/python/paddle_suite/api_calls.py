"""Calls in the words of PFCCLab/PaddleAPITest: `paddle.add(Tensor([2, 3],"float32"), y=1, )`.

A line is Python's syntax with `list[1,2,]` for lists. It is parsed and never evaluated: tensors,
lists, tuples, slices, numbers, texts and element types are all that a call may have.
"""

import ast
import math
import zlib

import numpy as np
import paddle

#: Calls with more elements are left out: they take minutes on a processor.
MOST = 1 << 24
MODULES = {"paddle": paddle, "numpy": np, "math": math}
NUMBERS = {"nan": math.nan, "inf": math.inf, "Ellipsis": ...}
#: Functions that search a sorted row, and have no defined result for another one.
SORTED = ("paddle.bucketize", "paddle.searchsorted")
COMPLEX = ("complex64", "complex128")


class Unreadable(Exception):
    """A call that is not in these words, or that this release does not have."""


def named(node):
    """The object that a name such as `paddle.nn.functional.relu` stands for."""
    if isinstance(node, ast.Name) and node.id in MODULES:
        return MODULES[node.id]
    if isinstance(node, ast.Attribute) and not node.attr.startswith("_C"):
        try:
            return getattr(named(node.value), node.attr)
        except AttributeError as error:
            raise Unreadable(str(error)) from None
    raise Unreadable(ast.unparse(node))


class Call:
    """A call: the function, and arguments that are made anew for each device."""

    def __init__(self, line):
        try:
            tree = ast.parse(line.replace("list[]", "list[()]"), mode="eval").body
        except SyntaxError as error:
            raise Unreadable(str(error)) from None
        self.name = ast.unparse(tree.func)
        self.function, self.tree = named(tree.func), tree
        self.seed, self.elements, self.least = zlib.crc32(line.encode()), 0, None
        self.made, self.change = [], None
        self.arguments(lambda value: value)
        if self.elements > MOST:
            raise Unreadable(f"{self.elements} elements")

    def arguments(self, change):
        """Positional and named arguments; `change` gives each tensor its place and type."""
        self.random, self.change = np.random.default_rng(self.seed), change
        self.made, self.elements = [], 0
        args = [self.value(node) for node in self.tree.args]
        words = {word.arg: self.value(word.value) for word in self.tree.keywords}
        return args, words

    def run(self, change):
        """What the call returns, and the tensors that it was given."""
        args, words = self.arguments(change)
        given = list(self.made)
        return self.function(*args, **words), given

    def value(self, node):
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name) if name in NUMBERS:
                return NUMBERS[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.value(left) + self.value(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return self.value(left) - self.value(right)
            case ast.List(elts=items):
                return [self.value(item) for item in items]
            case ast.Subscript(value=ast.Name(id="list"), slice=ast.Tuple(elts=items)):
                return [self.value(item) for item in items]
            case ast.Call(func=ast.Name(id="Tensor"), args=[shape, ast.Constant(value=dtype)]):
                return self.tensor(self.value(shape), dtype)
            case ast.Call(func=ast.Name(id="tuple"), args=items):
                return tuple(self.value(item) for item in items)
            case ast.Call(func=ast.Name(id="slice"), args=[start, end, step]):
                return slice(*map(self.value, (start, end, step)))
            case ast.Call(func=ast.Name(id="complex"), args=[real, imaginary]):
                return complex(self.value(real), self.value(imaginary))
            case ast.Call(func=ast.Name(id="Dtype" | "VarType"), args=[ast.Name(id=name)]):
                return self.dtype(name)
            case ast.Call(func=ast.Name(id="Dtype" | "VarType"), args=[ast.Attribute(attr=name)]):
                return self.dtype(name)
            case ast.Call(func=ast.Name(id="type"), args=[ast.Attribute() as name]):
                return named(name)
            case ast.Attribute():
                return named(node)
        raise Unreadable(ast.unparse(node))

    def dtype(self, name):
        found = getattr(paddle, name, None)
        if not isinstance(found, paddle.dtype):
            raise Unreadable(f"Dtype({name})")
        return found

    def tensor(self, shape, dtype):
        """A tensor of random values, on the CPU first. Whole numbers fit the axes of the first
        tensor, since many are indices."""
        self.elements += int(np.prod(shape, dtype=np.int64))
        if dtype.startswith("float8"):
            raise Unreadable(dtype)
        if self.elements > MOST:
            return None
        if self.least is None:
            self.least = min([*(n for n in shape if n > 0), 8]) if shape else 2
        if dtype == "bool":
            values = self.random.integers(0, 2, shape).astype("bool")
        elif "int" in dtype:
            values = self.random.integers(0, max(self.least, 1), shape).astype(dtype)
        else:
            values = self.random.uniform(-0.5, 0.5, shape)
            if dtype in COMPLEX:
                values = values + 1j * self.random.uniform(-0.5, 0.5, shape)
        stored = dtype if dtype in COMPLEX else "float64" if "float" in dtype else dtype
        made = paddle.to_tensor(np.asarray(values, stored), place=paddle.CPUPlace())
        if self.name in SORTED and made.ndim:
            made = paddle.sort(made)
        made = self.change(made if str(made.dtype) == f"paddle.{dtype}" else made.astype(dtype))
        self.made.append(made)
        return made
