"""ONNX Runtime's own operators (`com.microsoft`) beside ONNX Runtime."""

import numpy as np
from onnx import TensorProto, helper

from .suite import model, same

TOLERANCE = {"rtol": 2e-4, "atol": 2e-4}
FLOAT, INT32 = TensorProto.FLOAT, TensorProto.INT32


def of_microsoft(op, inputs, outputs, results, **attrs):
    """A model of one operator; `inputs` are arrays by name, `None` for one that is left out."""
    names = [name if value is not None else "" for name, value in inputs.items()]
    node = helper.make_node(op, names, outputs, domain="com.microsoft", **attrs)
    kinds = {np.dtype(np.float32): FLOAT, np.dtype(np.int32): INT32}
    infos = {
        name: (kinds[value.dtype], value.shape)
        for name, value in inputs.items()
        if value is not None
    }
    types = {name: (FLOAT, shape) for name, shape in results.items()}
    return model([node], infos, types, domains=[("com.microsoft", 1)])


def compare(suite, built, inputs):
    values = [value for value in inputs.values() if value is not None]
    same(suite.trident(built, values), suite.onnxruntime(built, values), TOLERANCE)


def gelu(suite, name, op, bias, **attrs):
    random = suite.random(name)
    inputs = {"x": random.normal(0, 3, (2, 5, 8)).astype(np.float32)}
    if bias:
        inputs["bias"] = random.normal(size=8).astype(np.float32)
    compare(suite, of_microsoft(op, inputs, ["y"], {"y": (2, 5, 8)}, **attrs), inputs)


def skip_norm(suite, name, beta, bias, size=1.0, **attrs):
    random = suite.random(name)

    def normal(*shape):
        return random.normal(size=shape).astype(np.float32)

    x, skip = (normal(2, 3, 8) * np.float32(size) for _ in range(2))
    inputs = {"x": x, "skip": skip, "gamma": normal(8)}
    if beta is not None:
        inputs["beta"] = normal(8) if beta else None
    inputs["bias"] = normal(8) if bias else None
    op = "SkipSimplifiedLayerNormalization" if beta is None else "SkipLayerNormalization"
    results = {"y": (2, 3, 8), "sum": (2, 3, 8)}
    built = of_microsoft(op, inputs, ["y", "", "", "sum"], results, **attrs)
    compare(suite, built, inputs)


def rotation(length, size):
    """The cosines and sines of rotary embeddings."""
    angles = np.outer(np.arange(length), 10000.0 ** (-np.arange(0, size, 2) / size))
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def group_query(suite, name, batch, past, length, packed=False, rotary=True, **attrs):
    random = suite.random(name)
    heads, kv_heads, size = 4, 2, 16

    def normal(*shape):
        return random.normal(size=shape).astype(np.float32)

    widths = [heads * size, kv_heads * size, kv_heads * size]
    if packed:
        qkv = [normal(batch, length, sum(widths)), None, None]
    else:
        qkv = [normal(batch, length, width) for width in widths]
    total = past + length
    inputs = {
        **dict(zip(("query", "key", "value"), qkv, strict=True)),
        "past_key": normal(batch, kv_heads, past, size),
        "past_value": normal(batch, kv_heads, past, size),
        "seqlens_k": np.full(batch, total - 1, np.int32),
        "total_sequence_length": np.array(total, np.int32),
    }
    if rotary:
        inputs["cos_cache"], inputs["sin_cache"] = rotation(64, size)
    present = (batch, kv_heads, "present", size)
    results = {"y": (batch, length, widths[0]), "present_key": present, "present_value": present}
    attrs = {"num_heads": heads, "kv_num_heads": kv_heads, "do_rotary": int(rotary), **attrs}
    model = of_microsoft("GroupQueryAttention", inputs, list(results), results, **attrs)
    compare(suite, model, inputs)


def run(suite):
    def check(name, of, *args, **kwargs):
        suite.check(name, lambda: of(suite, name, *args, **kwargs))

    check("BiasGelu", gelu, "BiasGelu", True)
    check("QuickGelu", gelu, "QuickGelu", False, alpha=1.5)
    check("QuickGelu, alpha left out", gelu, "QuickGelu", False)
    check("FastGelu", gelu, "FastGelu", False)
    check("FastGelu with a bias", gelu, "FastGelu", True)
    norms = (("SkipSimplifiedLayerNormalization", None), ("SkipLayerNormalization", False))
    for norm, beta in norms:
        check(norm, skip_norm, beta, False, epsilon=1e-5)
        # The epsilon that is left out is much less than that of the standard's operators.
        check(f"{norm} of small numbers", skip_norm, beta, False, size=1e-4)
    check("SkipSimplifiedLayerNormalization with a bias", skip_norm, None, True, epsilon=1e-5)
    check("SkipLayerNormalization, all operands", skip_norm, True, True, epsilon=1e-5)
    attention = "GroupQueryAttention"
    check(f"{attention}, a prompt", group_query, 1, 0, 5)
    check(f"{attention}, a token", group_query, 1, 6, 1)
    check(f"{attention}, several tokens", group_query, 1, 6, 3)
    check(f"{attention}, a batch", group_query, 3, 4, 1)
    check(f"{attention}, a prompt of a batch", group_query, 2, 0, 4)
    check(f"{attention}, packed operands", group_query, 2, 0, 4, packed=True)
    check(f"{attention} without rotation", group_query, 1, 6, 2, rotary=False)
    check(f"{attention}, neighbours rotated", group_query, 1, 6, 2, rotary_interleaved=1)
    check(f"{attention} in a window", group_query, 1, 9, 1, local_window_size=4)
    check(f"{attention}, a prompt in a window", group_query, 1, 0, 9, local_window_size=4)
    check(f"{attention} with a scale and a cap", group_query, 1, 6, 2, scale=0.5, softcap=2.0)
