"""Normalisations, cells of recurrent networks, attention and random numbers."""

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn

from ..call import Call
from . import draws


def numbers(r, *shape):
    return r.array(shape, special=0)


@draws("batch_norm", "layer_norm", "instance_norm", "group_norm", "rms_norm", "spectral_norm")
def norms(r, name):
    epsilon = r.one(1e-5, 1e-3, 0.1)
    if name == "batch_norm":
        shape = r.shape(2, 5, 0)
        form = r.one(
            *{2: ("NC",), 3: ("NCL", "NLC"), 4: ("NCHW", "NHWC")}.get(
                len(shape), ("NCDHW", "NDHWC")
            )
        )
        n = shape[1 if form[1:2] == "C" else -1]
        x, mean, variance = r.array(shape, special=0), numbers(r, n), abs(numbers(r, n)) + 0.1
        weight, bias = r.one((numbers(r, n), numbers(r, n)), (None, None))
        options = {"epsilon": epsilon, "data_format": form}
        return Call(F.batch_norm, x, mean, variance, weight, bias, **options)
    if name == "layer_norm":
        shape = r.shape(1, 4, 0)
        last = shape[r.int(0, len(shape) - 1) :]
        weight, bias = r.one(numbers(r, *last), None), r.one(numbers(r, *last), None)
        return Call(F.layer_norm, r.array(shape, special=0), last, weight, bias, epsilon)
    if name == "instance_norm":
        shape = r.shape(3, 5, 0)
        weight, bias = r.one((numbers(r, shape[1]), numbers(r, shape[1])), (None, None))
        x = r.array(shape, special=0)
        return Call(F.instance_norm, x, weight=weight, bias=bias, eps=epsilon)
    if name == "group_norm":
        shape, groups = r.shape(2, 5, 0), r.int(1, 3)
        form = (
            r.one("NCHW", "NHWC")
            if len(shape) == 4
            else {2: "NC", 3: "NCL", 5: "NCDHW"}[len(shape)]
        )
        at = 1 if form[1] == "C" else -1
        shape[at] = groups * r.int(1, 3)
        weight, bias = r.one(numbers(r, shape[at]), None), r.one(numbers(r, shape[at]), None)
        x = r.array(shape, special=0)
        return Call(F.group_norm, x, groups, epsilon, weight, bias, form)
    if name == "rms_norm":
        shape = r.shape(1, 4, 0)
        last = shape[r.int(0, len(shape) - 1) :]
        return Call(
            F.rms_norm, r.array(shape, special=0), last, r.one(numbers(r, *last), None), epsilon
        )
    dims = r.one([3, 4], [2, 3, 2, 2])
    dim = r.int(0, 1)
    weight = r.array(dims, special=0)
    return Call(Layer(lambda: nn.SpectralNorm(dims, dim=dim, power_iters=r.int(1, 3))), weight)


class Layer:
    """A layer that is made once."""

    def __init__(self, make):
        paddle.seed(5)
        self.layer = make()
        self.layer.eval()
        self.__name__ = type(self.layer).__name__

    def __call__(self, *inputs, **options):
        return self.layer(*inputs, **options)


@draws("lstm", "gru", "simple_rnn", "lstm_cell", "gru_cell", "rnn_cell")
def recurrent(r, name):
    features, hidden = r.int(1, 4), r.int(1, 4)
    options = {"direction": r.one("forward", "bidirect"), "num_layers": r.int(1, 2)}
    if name.endswith("cell"):
        made = {"lstm_cell": nn.LSTMCell, "gru_cell": nn.GRUCell, "rnn_cell": nn.SimpleRNNCell}[
            name
        ]
        if r.chance(0.5):
            return Call(Layer(lambda: made(features, hidden)), numbers(r, 3, features))
        reverse, cell = r.chance(0.5), made(features, hidden)
        return Call(Layer(lambda: nn.RNN(cell, is_reverse=reverse)), numbers(r, 2, 3, features))
    made = {"lstm": nn.LSTM, "gru": nn.GRU, "simple_rnn": nn.SimpleRNN}[name]
    if name == "simple_rnn":
        options["activation"] = r.one("tanh", "relu")
    options["time_major"] = r.chance(0.3)
    steps, batch = r.int(1, 5), r.int(1, 3)
    x = numbers(r, *((steps, batch) if options["time_major"] else (batch, steps)), features)
    layer = Layer(lambda: made(features, hidden, **options))
    more = {}
    many = options["num_layers"] * (1 + (options["direction"] == "bidirect"))
    if r.chance(0.4):
        state = numbers(r, many, batch, hidden)
        more["initial_states"] = (state, state + 1) if name == "lstm" else state
    if r.chance(0.4):
        more["sequence_length"] = r.array([batch], r.one("int32", "int64"), 1, steps, special=0)
    return Call(layer, x, **more)


@draws("attention", "multi_head", "dropout", "alpha_dropout", "cosine_similarity", "pairwise")
def attention(r, name):
    if name == "attention":
        batch, queries, keys, heads, width = (r.int(1, 3) for _ in range(5))
        q = numbers(r, batch, queries, heads, width)
        k, v = numbers(r, batch, keys, heads, width), numbers(r, batch, keys, heads, width)
        mask = r.one(None, numbers(r, batch, 1, queries, keys))
        causal = mask is None and queries == keys and r.chance(0.5)
        return Call(F.scaled_dot_product_attention, q, k, v, mask, 0.0, causal, False)
    if name == "multi_head":
        layer = Layer(lambda: nn.MultiHeadAttention(4, 2))
        return Call(layer, numbers(r, 2, 3, 4))
    x = r.array(r.shape(1, 4), r.dtype())
    if name == "dropout":
        mode = r.one("upscale_in_train", "downscale_in_infer")
        axis = r.one(None, 0) if mode == "upscale_in_train" else None
        return Call(F.dropout, x, r.one(0.5, 0.25, 0.0, 1.0), axis, False, mode)
    if name == "alpha_dropout":
        return Call(F.alpha_dropout, x, 0.3, False)
    y = r.array(x.shape, x.dtype)
    if name == "cosine_similarity":
        return Call(F.cosine_similarity, x, y, r.axis(x.ndim))
    x, y = r.array([2, 3], special=0), r.array([2, 3], special=0)
    return Call(F.pairwise_distance, x, y, r.one(1.0, 2.0, 3.0), 1e-6, r.chance(0.5))


@draws("randint", "bernoulli")
def random_numbers(r, name):
    """Random numbers of which there is one."""
    if name == "bernoulli":
        return Call(paddle.bernoulli, np.round(r.rng.random([3, 4])).astype("float32"))
    shape = r.shape(0, 3, 0)
    shape = r.given(shape, "int64", 0.2) if shape else shape
    return Call(paddle.randint, 4, 5, shape, "int64")


@draws("linear", "swapped", "clip_norm", "glu_chain", "residual")
def chains(r, name):
    """Several ops in a row, as models have them."""
    rows, a, b = r.dim(), r.int(1, 4), r.int(1, 4)
    if name == "linear":
        bias = r.one(None, numbers(r, b))
        return Call(F.linear, numbers(r, *r.shape(0, 2), rows, a), numbers(r, a, b), bias)
    x = numbers(r, rows, a, b)
    if name == "swapped":
        return Call(lambda x: x.transpose([0, 2, 1]).reshape([0, -1]), x)
    if name == "clip_norm":
        return Call(lambda x: x / paddle.clip(x.norm(axis=-1, keepdim=True), min=1.0), x)
    if name == "glu_chain":
        return Call(lambda x: F.sigmoid(x[..., :1]) * x, x)
    return Call(lambda x: F.layer_norm(x + x.mean(-1, keepdim=True), [x.shape[-1]]), x)
