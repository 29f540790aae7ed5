"""Export networks with the Paddle of this environment.

`python -m paddle_suite.export FOLDER [NAME ...]`

Each network gets a folder with its program, its inputs and the results of its eager run, or a file
`error` that says why Paddle cannot export it. Normalisations get the statistics of random images,
as those of an untrained network would let its activations vanish or overflow.
"""

import os
import pathlib
import shutil
import sys

import paddle
from paddle import nn

from . import arrays, networks

NORMS = (nn.BatchNorm1D, nn.BatchNorm2D, nn.BatchNorm3D, nn.BatchNorm)


def ready(layer, network):
    """The layer for inference, its statistics those of the first data set."""
    norms = [part for part in layer.sublayers() if isinstance(part, NORMS)]
    if norms:
        kept = [part._momentum for part in norms]
        for part in norms:
            part._momentum = 0.0
        layer.train()
        (dims,) = network.sets[0]
        with paddle.no_grad():
            layer(paddle.randn([2, *dims[1:]]))
        for part, momentum in zip(norms, kept):
            part._momentum = momentum
    layer.eval()
    return layer


def results_of(layer, inputs):
    with paddle.no_grad():
        found = layer(*[paddle.to_tensor(array) for array in inputs])
    found = found if isinstance(found, (list, tuple)) else [found]
    return [value.numpy() for value in found]


def export(network, folder):
    """Write a network and its data sets."""
    paddle.seed(33)
    layer = ready(network.make(), network)
    results = [results_of(layer, network.arrays(n)) for n in range(len(network.sets))]
    names = [f"x{n}" for n in range(len(network.spec))]
    spec = [
        paddle.static.InputSpec(dims, dtype, name)
        for (dtype, dims), name in zip(network.spec, names)
    ]
    paddle.jit.save(layer, str(folder / "model"), spec)
    for number, result in enumerate(results):
        arrays.write(folder / f"in-{number}.npz", dict(zip(names, network.arrays(number))))
        arrays.write(folder / f"want-{number}.npz", arrays.numbered(result))


def main():
    root, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    known = networks.every()
    for name in names or known:
        folder = root / name
        if folder.exists():
            continue
        unfinished = root / f".{name}-{os.getpid()}"
        unfinished.mkdir(parents=True)
        try:
            export(known[name], unfinished)
        except Exception as error:  # whatever Paddle raises is the reason
            text = " ".join(f"{type(error).__name__}: {error}".split())
            shutil.rmtree(unfinished)
            unfinished.mkdir()
            (unfinished / "error").write_text(text[-2000:])
        unfinished.rename(folder)
        print(name, "error" if (folder / "error").exists() else "exported", flush=True)


if __name__ == "__main__":
    main()
