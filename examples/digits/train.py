#!/usr/bin/env python3
"""Train the digit classifier and write everything in this folder that is not source.

    train.py [--epochs N]

Reads scikit-learn's bundled digits (1,797 images of 8x8, 16 grey levels), keeps a fifth aside,
trains on the rest with random shifts, and writes `digits.onnx`, `labels.txt`, `report.json` and
one sample `0.png` ... `9.png` of each held-out digit. The repository `examples/models` gets a copy
of the model. The held-out images take no part in training or in choosing when to stop.
"""

import argparse
import json
import pathlib
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from network import Adam, Network

HERE = pathlib.Path(__file__).resolve().parent
SERVED = HERE.parent / "models/digits/1/model.onnx"
SEED = 0
BATCH = 64
RATE = 2e-3
LABELS = [str(digit) for digit in range(10)]
PREPROCESS = "scale=1/255,layout=nchw,size=8x8,gray"


def load():
    """(training images, held-out images, training labels, held-out labels); images are u8 NHW.

    The 0..16 grey levels are spread over 0..255, as a PNG would hold them.
    """
    digits = load_digits()
    images = np.rint(digits.images * (255 / 16)).astype(np.uint8)
    return train_test_split(
        images, digits.target, test_size=0.2, random_state=SEED, stratify=digits.target
    )


def as_input(images):
    """u8 [N, 8, 8] to f32 [N, 8, 8, 1] in 0..1."""
    return (images.astype(np.float32) / 255)[..., None]


def augment(rng, x):
    """Shift each image by up to one pixel each way, vary its contrast, add a little noise."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    out = np.empty_like(x)
    for k, (i, j) in enumerate(rng.integers(0, 3, (len(x), 2))):
        out[k] = padded[k, i : i + 8, j : j + 8]
    out *= rng.uniform(0.8, 1.0, (len(x), 1, 1, 1)).astype(np.float32)
    return np.clip(out + rng.normal(0, 0.03, out.shape).astype(np.float32), 0, 1)


def train(images, labels, epochs):
    """A trained network; the learning rate falls along half a cosine."""
    rng = np.random.default_rng(SEED)
    network = Network(rng)
    optimiser = Adam(network.params)
    x = as_input(images)
    steps = len(x) // BATCH
    for epoch in range(epochs):
        order = rng.permutation(len(x))
        for step in range(steps):
            chosen = order[step * BATCH : (step + 1) * BATCH]
            progress = (epoch + step / steps) / epochs
            rate = RATE * (1 + np.cos(np.pi * progress)) / 2
            grads = network.gradients(augment(rng, x[chosen]), labels[chosen])
            optimiser.step(grads, rate)
    return network


def to_onnx(network):
    """The network as ONNX: NCHW, input `image`, output `probabilities`, both with a free batch."""
    nodes, weights = [], []

    def constant(name, value):
        weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    value = "image"
    for k, conv in enumerate(network.convs):
        weight, bias = conv.params
        oihw = weight.reshape(3, 3, -1, len(bias)).transpose(3, 2, 0, 1)
        inputs = [value, constant(f"conv{k}.weight", oihw), constant(f"conv{k}.bias", bias)]
        nodes += [
            helper.make_node("Conv", inputs, [f"conv{k}"], kernel_shape=[3, 3], pads=[1] * 4),
            helper.make_node("Relu", [f"conv{k}"], [f"relu{k}"]),
        ]
        value = f"relu{k}"
        if k > 0:
            nodes.append(
                helper.make_node(
                    "MaxPool", [value], [f"pool{k}"], kernel_shape=[2, 2], strides=[2, 2]
                )
            )
            value = f"pool{k}"
    weight, bias = network.dense.params
    by_channel = weight.reshape(2, 2, 64, 10).transpose(2, 0, 1, 3).reshape(256, 10)
    dense = [constant("dense.weight", by_channel), constant("dense.bias", bias)]
    nodes += [
        helper.make_node("Flatten", [value], ["features"]),
        helper.make_node("Gemm", ["features", *dense], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", 10])],
        weights,
    )
    model = helper.make_model(
        graph,
        producer_name="examples/digits/train.py",
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    helper.set_model_props(
        model, {"trident.preprocess": PREPROCESS, "trident.labels": "\n".join(LABELS)}
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def write_samples(network, images, labels):
    """The first held-out image of each digit, whatever the network makes of it."""
    for digit in range(10):
        image = images[labels == digit][0]
        Image.fromarray(image).save(HERE / f"{digit}.png", optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=40)
    epochs = parser.parse_args().epochs

    train_images, test_images, train_labels, test_labels = load()
    start = time.monotonic()
    network = train(train_images, train_labels, epochs)
    seconds = time.monotonic() - start

    predicted = network.forward(as_input(test_images)).argmax(axis=1)
    accuracy = float((predicted == test_labels).mean())
    model = to_onnx(network)
    for path in [HERE / "digits.onnx", SERVED]:
        onnx.save(model, path)
    (HERE / "labels.txt").write_text("\n".join(LABELS) + "\n")
    write_samples(network, test_images, test_labels)
    report = {
        "training_images": len(train_images),
        "held_out_images": len(test_images),
        "held_out_correct": int((predicted == test_labels).sum()),
        "held_out_accuracy": round(accuracy, 4),
        "epochs": epochs,
        "parameters": sum(param.size for param in network.params),
    }
    (HERE / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"trained in {seconds:.0f} s; held-out accuracy {accuracy:.2%} of {len(test_labels)}")


if __name__ == "__main__":
    main()
