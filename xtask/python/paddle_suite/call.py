"""A call of a function of Paddle, whose arrays are the inputs of the program that it becomes."""

import numpy as np
import paddle


class Const:
    """An array that is a constant of the program."""

    def __init__(self, array):
        self.array = np.asarray(array)


class Made:
    """Something that the program makes on each run, such as an initialised layer."""

    def __init__(self, make):
        self.make = make


def flat(values):
    """Tensors in nested lists, in order; numbers and None are left out."""
    if isinstance(values, (list, tuple)):
        return [tensor for value in values for tensor in flat(value)]
    return [values] if isinstance(values, paddle.Tensor) or hasattr(values, "stop_gradient") else []


class Call:
    """A function with its arguments."""

    def __init__(self, function, *args, **options):
        self.function, self.args, self.options = function, args, options
        #: The axes of each input whose length the program does not know.
        self.open = {}

    def replaced(self, change):
        """The arguments with arrays changed."""

        def walk(value):
            if isinstance(value, (np.ndarray, Const)):
                return change(value)
            if isinstance(value, (list, tuple)):
                return type(value)(walk(item) for item in value)
            return value

        return [walk(arg) for arg in self.args], {k: walk(v) for k, v in self.options.items()}

    def arrays(self):
        """The inputs."""
        found = []

        def note(value):
            if isinstance(value, np.ndarray):
                found.append(value)
            return value

        self.replaced(note)
        return found

    @paddle.jit.not_to_static
    def run(self, tensors, wide=False):
        """The function's results on tensors in the place of the inputs."""
        tensors = iter(tensors)

        def tensor(value):
            if not isinstance(value, Const):
                return next(tensors)
            array = value.array
            return paddle.to_tensor(array.astype("f8") if wide and array.dtype == "f4" else array)

        args, options = self.replaced(tensor)
        return flat(self.function(*args, **options))

    def eager(self, wide=False):
        """The results of the eager run as arrays, in f64 if `wide`."""
        arrays = self.arrays()
        if wide:
            arrays = [a.astype("f8") if a.dtype == np.float32 else a for a in arrays]
        with paddle.no_grad():
            return [t.numpy() for t in self.run([paddle.to_tensor(a) for a in arrays], wide)]

    def specs(self, names):
        """The inputs as a program declares them."""
        return [
            paddle.static.InputSpec(
                [-1 if axis in self.open.get(i, ()) else n for axis, n in enumerate(array.shape)],
                str(array.dtype),
                name,
            )
            for i, (array, name) in enumerate(zip(self.arrays(), names))
        ]

    def __str__(self):
        def shown(value):
            if isinstance(value, Const):
                return f"const {shown(value.array)}"
            if isinstance(value, np.ndarray):
                values = f" = {value.tolist()}" if value.size <= 12 else ""
                return f"{value.dtype}{list(value.shape)}{values}"
            if isinstance(value, (list, tuple)):
                return "[" + ", ".join(map(shown, value)) + "]"
            return repr(value)

        words = [shown(arg) for arg in self.args]
        words += [f"{name}={shown(value)}" for name, value in self.options.items()]
        name = getattr(self.function, "__name__", str(self.function))
        opened = f" open {self.open}" if self.open else ""
        return f"{name}({', '.join(words)}){opened}"


class Bundle(paddle.nn.Layer):
    """Several calls in one program."""

    def __init__(self, calls):
        super().__init__()
        self.calls = calls

    def forward(self, tensors):
        return self.results(tensors)

    @paddle.jit.not_to_static
    def results(self, tensors):
        results, at = [], 0
        for call in self.calls:
            count = len(call.arrays())
            results += call.run(tensors[at : at + count])
            at += count
        return results
