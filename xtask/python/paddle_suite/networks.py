"""Networks that the suite exports: how each is made, and the inputs that it is run on.

Programs of this module run in the environment of either release of Paddle.
"""

from dataclasses import dataclass, field

import numpy as np
import paddle
from paddle import nn

from . import layers


@dataclass
class Network:
    """A layer to export, the dimensions of its inputs (None where they may change), and what to
    run it on."""

    make: object
    #: (dtype, dimensions) of each input.
    spec: list
    #: The dimensions of the inputs of each data set.
    sets: list
    #: The largest integer of integer inputs.
    most: int = 50
    #: Networks with the same group are one line of the table.
    group: str = "others"
    inputs: list = field(default_factory=list)

    def arrays(self, number):
        """The arrays of a data set; numbers of a normal distribution, or small integers."""
        rng = np.random.default_rng(1000 + number)
        made = []
        for (dtype, _), dims in zip(self.spec, self.sets[number]):
            if dtype.startswith("int"):
                made.append(rng.integers(1, self.most, dims).astype(dtype))
            else:
                made.append(rng.standard_normal(dims).astype(dtype))
        return made


IMAGE = [("float32", [None, 3, None, None])]


def image_model(name, sizes):
    def make():
        return getattr(paddle.vision.models, name)(num_classes=10)

    if name.startswith("shufflenet"):  # its shuffle takes the batch and the size as numbers
        dims = [1, 3, *sizes[0]]
        return Network(make, [("float32", dims)], [[dims], [dims]], group="vision")
    sets = [[[1, 3, *sizes[0]]], [[2, 3, *sizes[1]]]]
    return Network(make, IMAGE, sets, group="vision")


def vision():
    """All functions of `paddle.vision.models`, with dimensions that may change."""
    found = {}
    for name in paddle.vision.models.__all__:
        if name[0].islower():
            sizes = [(96, 96), (96, 128)]
            if name in ("googlenet", "alexnet"):  # their layers expect these dimensions
                sizes = [(224, 224), (224, 224)]
            found[name] = image_model(name, sizes)
    return found


def recurrent(make, features=12):
    return Network(
        make,
        [("float32", [None, None, features])],
        [[[1, 7, features]], [[3, 11, features]]],
        group="recurrent",
    )


def of_floats(make, spec, sets, group):
    return Network(make, [("float32", dims) for dims in spec], sets, group=group)


def others():
    """Transformers, recurrent networks, and control flow."""
    text = [("int64", [None, None])]
    return {
        "bert": Network(layers.Bert, text, [[[1, 9]], [[3, 17]]], group="transformers"),
        "vit": Network(
            layers.VisionTransformer,
            IMAGE,
            [[[1, 3, 32, 48]], [[2, 3, 64, 32]]],
            group="transformers",
        ),
        "lstm": recurrent(lambda: layers.Recurrent(nn.LSTM, direction="bidirect")),
        "lstm_one_way": recurrent(lambda: layers.Recurrent(nn.LSTM)),
        "gru": recurrent(lambda: layers.Recurrent(nn.GRU, direction="bidirect")),
        "gru_time_major": recurrent(lambda: layers.Recurrent(nn.GRU, time_major=True)),
        "simple_rnn": recurrent(lambda: layers.Recurrent(nn.SimpleRNN)),
        "crnn": Network(
            layers.Crnn,
            [("float32", [None, 3, 32, None])],
            [[[1, 3, 32, 64]], [[2, 3, 32, 120]]],
            group="recurrent",
        ),
        "loop_of_count": Network(
            layers.LoopOfCount,
            [("float32", [None, 6]), ("int64", [1])],
            [[[2, 6], [1]], [[3, 6], [1]]],
            most=9,
            group="control flow",
        ),
        "loop_over_rows": of_floats(
            layers.LoopOverRows, [[None, 5]], [[[4, 5]], [[7, 5]]], "control flow"
        ),
        "loop_nested": of_floats(
            layers.LoopNested, [[None, 4]], [[[3, 4]], [[5, 4]]], "control flow"
        ),
        "branch": of_floats(layers.Branch, [[None, 8]], [[[2, 8]], [[4, 8]]], "control flow"),
        "branch_in_loop": of_floats(
            layers.BranchInLoop, [[None, 8]], [[[2, 8]], [[4, 8]]], "control flow"
        ),
        "greedy_decoder": of_floats(
            layers.GreedyDecoder, [[None, 16]], [[[1, 16]], [[3, 16]]], "control flow"
        ),
        "array_of_steps": of_floats(
            layers.ArrayOfSteps, [[None, 6]], [[[2, 6]], [[3, 6]]], "control flow"
        ),
        "assigned_slices": of_floats(
            layers.AssignedSlices, [[None, None, 6]], [[[2, 5, 6]], [[3, 4, 6]]], "others"
        ),
        "resized": of_floats(
            layers.Resized, [[None, 3, None, None]], [[[1, 3, 8, 10]], [[2, 3, 7, 5]]], "others"
        ),
    }


def every():
    """{name: network}."""
    return {**others(), **vision()}
