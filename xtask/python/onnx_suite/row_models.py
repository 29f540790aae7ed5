"""Models for batches, large enough for the blocks, threads and vectors of kernels.

Kernels may choose another order of sums by the number of rows, or compute the last elements of a
tensor in another way than the rest. Upstream's cases are too small to show it. Sizes here are odd
where that matters, and lie on both sides of the limits from which kernels work in blocks.
"""

import zlib

import numpy as np
import onnx
import onnx.parser
from onnx import helper, numpy_helper

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "float16",
    "int8": "int8",
    "uint8": "uint8",
    "int32": "int32",
    "int64": "int64",
}


class RowModel:
    """A model in the text form's statements, made when it is needed.

    `inputs` and `weights` give shapes of f32, pairs of a type and a shape, or arrays; the shape of
    an input lacks the rows.
    """

    def __init__(self, name, body, inputs, weights=(), attributes=None):
        self.name, self.body, self.attributes = name, body, attributes or {}
        self.parts = dict(inputs), dict(weights)

    def make(self):
        """(model, inputs with eight rows)."""
        random = np.random.default_rng(zlib.crc32(self.name.encode()))

        def filled(value, rows):
            if isinstance(value, np.ndarray):
                return value
            dtype, shape = value if value and isinstance(value[0], type) else (np.float32, value)
            return random.standard_normal((*rows, *shape), np.float32).astype(dtype, copy=False)

        inputs, weights = self.parts
        inputs = {key: filled(value, (8,)) for key, value in inputs.items()}
        params = ", ".join(
            f"{NAMES[str(value.dtype)]}[{','.join(['rows', *map(str, value.shape[1:])])}] {key}"
            for key, value in inputs.items()
        )
        body = self.body.replace("<>", "")
        graph = onnx.parser.parse_graph(f"g ({params}) => (float y) {{ {body} }}")
        for name, value in self.attributes.items():
            graph.node[0].attribute.append(helper.make_attribute(name, value))
        domains = {"": 24, "ai.onnx.ml": 3, "com.microsoft": 1}
        opsets = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
        for key, value in weights.items():
            graph.initializer.append(numpy_helper.from_array(filled(value, ()), key))
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        # The result's type follows from the ops, its shape from the rows.
        del model.graph.output[:]
        model.graph.output.append(onnx.ValueInfoProto(name="y"))
        inferred = onnx.shape_inference.infer_shapes(model).graph.output[0].type.tensor_type
        first = next(iter(inputs.values()))
        kind = inferred.elem_type or helper.np_dtype_to_tensor_dtype(first.dtype)
        model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", kind, None))
        return model, inputs


def integers(shape, low, high, dtype, seed=0):
    """Random numbers of low to high - 1."""
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def products():
    """Products of rows with a matrix, and of rows with rows."""
    sizes = [(7, 5), (77, 130), (784, 10), (512, 2048), (4099, 33), (1, 300), (300, 1), (64, 64)]
    for k, n in sizes:
        yield RowModel(f"matmul_{k}x{n}", "y = MatMul(x, w)", {"x": (k,)}, {"w": (k, n)})
        body = "t = Gemm<transB = 1, alpha = 0.5>(x, w, b) y = Relu(t)"
        yield RowModel(f"gemm_{k}x{n}", body, {"x": (k,)}, {"w": (n, k), "b": (n,)})
    for kind in ("f16", "f64"):
        dtype = TYPES[kind]
        for k, n in sizes[:5]:
            weights = {"w": (dtype, (k, n)), "b": (dtype, (n,))}
            body = "t = MatMul(x, w) u = Add(t, b) y = Tanh(u)"
            yield RowModel(f"matmul_{kind}_{k}x{n}", body, {"x": (dtype, (k,))}, weights)
    for s in (1, 3, 17):
        inputs = {"x": (s, 77)}
        yield RowModel(f"matmul_3d_{s}", "y = MatMul(x, w)", inputs, {"w": (77, 65)})
        inputs = {"a": (3, s, 33), "b": (3, 33, 9)}
        yield RowModel(f"matmul_pairs_{s}", "y = MatMul(a, b)", inputs)
        inputs = {"a": (s, 33), "b": (19, 33)}
        body = 'y = Einsum<equation = "nij,nkj->nik">(a, b)'
        yield RowModel(f"einsum_pairs_{s}", body, inputs)
        body = 'y = Einsum<equation = "nij,jk->nki">(x, w)'
        yield RowModel(f"einsum_{s}", body, {"x": (s, 77)}, {"w": (77, 65)})
    yield RowModel("dot", 'y = Einsum<equation = "nk,nk->n">(a, b)', {"a": (999,), "b": (999,)})
    body = "t = MatMul(x, w) u = Gelu(t) v = MatMul(u, z) y = Add(v, x)"
    yield RowModel("feed_forward", body, {"x": (5, 96)}, {"w": (96, 384), "z": (384, 96)})
    yield from quantised_products()


def quantised_products():
    """Products in integers, and with weights in blocks."""
    for k, n in [(7, 5), (100, 33), (512, 130), (1030, 16)]:
        for kind in (np.uint8, np.int8):
            low, high = (0, 256) if kind is np.uint8 else (-128, 128)
            inputs = {"x": integers((8, k), low, high, kind)}
            weights = {"w": integers((k, n), -128, 128, np.int8, 1), "z": np.array(3, kind)}
            name = np.dtype(kind).name
            body = "y = MatMulInteger(x, w, z)"
            yield RowModel(f"matmul_integer_{name}_{k}x{n}", body, inputs, weights)
            weights |= {
                "sx": np.float32(0.02),
                "sw": np.float32(0.01),
                "zw": np.int8(0),
                "sy": np.float32(0.1),
                "zy": np.array(5, kind),
            }
            weights = {key: np.asarray(value) for key, value in weights.items()}
            body = "y = QLinearMatMul(x, sx, z, w, sw, zw, sy, zy)"
            yield RowModel(f"qlinear_matmul_{name}_{k}x{n}", body, inputs, weights)
    for k, n, bits, block in [(64, 33, 4, 32), (512, 130, 4, 32), (256, 64, 8, 32), (96, 7, 2, 16)]:
        for kind in ("f32", "f16"):
            dtype, blocks = TYPES[kind], k // block
            weights = {
                "w": integers((n, blocks, block * bits // 8), 0, 256, np.uint8),
                "s": np.random.default_rng(2).uniform(0.01, 0.02, (n, blocks)).astype(dtype),
            }
            attributes = f"K = {k}, N = {n}, bits = {bits}, block_size = {block}"
            body = f"y = com.microsoft.MatMulNBits<{attributes}>(x, w, s)"
            name = f"matmul_{bits}_bits_{kind}_{k}x{n}"
            yield RowModel(name, body, {"x": (dtype, (k,))}, weights)
            yield RowModel(f"{name}_3d", body, {"x": (dtype, (3, k))}, weights)


CONVOLUTIONS = [
    # name, channels, image, filters, kernel, attributes
    ("stem", 3, (65, 65), 64, (7, 7), "strides = [2,2], pads = [3,3,3,3]"),
    ("3x3", 16, (13, 13), 24, (3, 3), "pads = [1,1,1,1]"),
    ("3x3_wide", 64, (28, 28), 64, (3, 3), "pads = [1,1,1,1]"),
    ("3x3_small", 512, (7, 7), 128, (3, 3), "pads = [1,1,1,1]"),
    ("3x3_stride", 32, (15, 15), 48, (3, 3), "strides = [2,2], pads = [1,1,1,1]"),
    ("1x1", 64, (14, 14), 96, (1, 1), ""),
    ("1x1_one", 96, (1, 1), 40, (1, 1), ""),
    ("1x1_large", 32, (56, 56), 16, (1, 1), ""),
    ("1x1_stride", 64, (14, 14), 33, (1, 1), "strides = [2,2]"),
    ("5x5", 5, (9, 11), 7, (5, 5), "pads = [2,2,2,2]"),
    ("depthwise", 33, (15, 15), 33, (3, 3), "group = 33, pads = [1,1,1,1]"),
    ("depthwise_stride", 32, (29, 29), 32, (5, 5), "group = 32, strides = [2,2]"),
    ("grouped", 32, (9, 9), 64, (3, 3), "group = 4, pads = [1,1,1,1]"),
    ("dilated", 8, (17, 17), 12, (3, 3), "dilations = [2,2]"),
    ("1d", 19, (101,), 23, (5,), "pads = [2,2]"),
    ("3d", 4, (5, 7, 9), 6, (3, 3, 3), "pads = [1,1,1,1,1,1]"),
    ("full", 24, (6, 6), 50, (6, 6), ""),
]


def convolutions():
    """Convolutions with their fusions, in floats and quantised."""
    for name, channels, image, filters, kernel, attributes in CONVOLUTIONS:
        group = int(attributes.split("group = ")[1].split(",")[0]) if "group" in attributes else 1
        shape = (filters, channels // group, *kernel)
        scale = np.float32(1 / np.sqrt(np.prod(shape[1:])))
        random = np.random.default_rng(1)
        kernels = random.standard_normal(shape).astype(np.float32) * scale
        norm = {key: random.uniform(0.5, 1.5, filters).astype(np.float32) for key in "sbmv"}
        inputs = {"x": (channels, *image)}
        yield RowModel(f"conv_{name}", f"y = Conv<{attributes}>(x, w)", inputs, {"w": kernels})
        body = (
            f"t = Conv<{attributes}>(x, w) u = BatchNormalization(t, s, b, m, v) "
            "a = Sigmoid(u) p = Mul(u, a) y = Add(p, u)"
        )
        yield RowModel(f"conv_{name}_swish", body, inputs, {"w": kernels, **norm})
        half = {"w": kernels.astype(np.float16)}
        inputs = {"x": (np.float16, (channels, *image))}
        yield RowModel(f"conv_{name}_f16", f"y = Conv<{attributes}>(x, w)", inputs, half)
        inputs = {"x": integers((8, channels, *image), 0, 256, np.uint8)}
        whole = {"w": integers(shape, -128, 128, np.int8), "z": np.array(7, np.uint8)}
        yield RowModel(
            f"conv_{name}_integer", f"y = ConvInteger<{attributes}>(x, w, z)", inputs, whole
        )
        scales = {key: np.array(0.02, np.float32) for key in ("sx", "sw")}
        scales |= {"sy": np.array(0.5, np.float32), "zw": np.array(0, np.int8)}
        body = f"y = QLinearConv<{attributes}>(x, sx, z, w, sw, zw, sy, z)"
        yield RowModel(f"conv_{name}_qlinear", body, inputs, {**whole, **scales})
    for name, channels, image, filters, attributes in [
        ("plain", 9, (7, 7), 11, ""),
        ("stride", 32, (14, 14), 16, "strides = [2,2], pads = [1,1,1,1]"),
        ("grouped", 8, (5, 6), 3, "group = 2"),
    ]:
        body = f"y = ConvTranspose<{attributes}>(x, w)"
        weights = {"w": (channels, filters, 3, 3)}
        yield RowModel(f"conv_transpose_{name}", body, {"x": (channels, *image)}, weights)


CHAINS = {
    "exp": "t = Exp(x) u = Log(t) y = Mul(u, x)",
    "gelu": "t = Erf(x) u = Add(t, x) y = Gelu(u)",
    "sigmoid": "t = Sigmoid(x) u = Mul(t, x) y = Tanh(u)",
    "trigonometry": "t = Sin(x) u = Cos(x) v = Atan(t) y = Add(v, u)",
    "powers": "a = Abs(x) t = Sqrt(a) u = Reciprocal(t) v = Pow(a, t) y = Mul(u, v)",
    "softplus": "t = Softplus(x) u = Mish(t) v = Elu(x) y = Add(u, v)",
    "hyperbolic": "t = Sinh(x) u = Asinh(t) v = Cosh(x) y = Div(u, v)",
    "single": "y = Exp(x)",
    "denormal": "t = Mul(x, tiny) u = Mul(t, x) y = Add(u, t)",
    "broadcast": "t = Mul(x, w) u = Add(t, tiny) y = HardSwish(u)",
}


def elementwise():
    """Chains of elementwise ops, which run over a tensor without regard to its rows."""
    for kind, dtype in TYPES.items():
        tiny = np.finfo(dtype).tiny
        for length in (1, 3, 7, 17, 33, 1000, 40009):
            for name, body in CHAINS.items():
                weights = {"tiny": np.array(tiny, dtype), "w": (dtype, (length,))}
                weights = {key: value for key, value in weights.items() if f"{key})" in body}
                if length > 1000 and kind != "f32":
                    continue
                inputs = {"x": (dtype, (length,))}
                yield RowModel(f"{name}_{kind}_{length}", body, inputs, weights)


def rowwise():
    """Normalisations, softmax, reductions and scans along each row."""
    for n in (3, 10, 77, 768, 1000, 30001):
        for name, body in {
            "softmax": "y = Softmax(x)",
            "log_softmax": "y = LogSoftmax(x)",
            "softmax_of_scores": "t = Mul(x, x) u = Softmax(t) y = Mul(u, x)",
            "lp_normalization": "y = LpNormalization(x)",
            "hardmax": "y = Hardmax(x)",
        }.items():
            yield RowModel(f"{name}_{n}", body, {"x": (n,)})
        scale = {"s": (n,), "b": (n,)}
        body = "y = LayerNormalization(x, s, b)"
        yield RowModel(f"layer_normalization_{n}", body, {"x": (n,)}, scale)
        body = "t = Add(x, x) y = LayerNormalization(t, s, b)"
        yield RowModel(f"skip_layer_normalization_{n}", body, {"x": (3, n)}, scale)
        body = "y = RMSNormalization(x, s)"
        yield RowModel(f"rms_normalization_{n}", body, {"x": (n,)}, {"s": (n,)})
    for dims in [(5,), (1000,), (100003,), (300, 7), (3, 1000), (7, 129, 3)]:
        for axes in dict.fromkeys([(1,), (len(dims),), tuple(range(1, len(dims) + 1))]):
            axes = np.array(axes, np.int64)
            for op in ("Sum", "Mean", "Max", "Prod", "L2", "LogSumExp", "SumSquare"):
                name = f"reduce_{op.lower()}_{'x'.join(map(str, dims))}_{''.join(map(str, axes))}"
                body = f"y = Reduce{op}<keepdims = 0>(x, axes)"
                yield RowModel(name, body, {"x": dims}, {"axes": axes})
            body = "t = Mul(x, x) y = ReduceMean(t, axes)"
            yield RowModel(f"{name}_f16", body, {"x": (np.float16, dims)}, {"axes": axes})
    for dims in [(30, 7), (129, 64)]:
        yield RowModel(f"softmax_strided_{dims[0]}", "y = Softmax<axis = 1>(x)", {"x": dims})
        weights = {"axis": np.array(1, np.int64)}
        yield RowModel(f"cumsum_{dims[0]}", "y = CumSum(x, axis)", {"x": dims}, weights)
        body = "y = MeanVarianceNormalization<axes = [1,2]>(x)"
        yield RowModel(f"mean_variance_{dims[0]}", body, {"x": dims})
        yield RowModel(f"dft_{dims[0]}", "y = DFT(x, , axis)", {"x": (*dims, 1)}, weights)


def images():
    """Pooling, normalisation of channels and sampling."""
    for channels, size in [(5, 7), (16, 14), (33, 56)]:
        inputs = {"x": (channels, size, size)}
        window = "kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]"
        scale = {"s": (channels,), "b": (channels,)}
        sizes = {"to": np.array([1, 1, 1.7, 2.3], np.float32)}
        for name, body, weights in [
            ("max_pool", f"y = MaxPool<{window}>(x)", {}),
            ("average_pool", f"y = AveragePool<{window}>(x)", {}),
            ("lp_pool", f"y = LpPool<{window}>(x)", {}),
            ("global_average_pool", "y = GlobalAveragePool(x)", {}),
            ("global_max_pool", "y = GlobalMaxPool(x)", {}),
            ("instance_normalization", "y = InstanceNormalization(x, s, b)", scale),
            ("lrn", "y = LRN<size = 5>(x)", {}),
            ("prelu", "y = PRelu(x, p)", {"p": (channels, 1, 1)}),
            ("resize_linear", 'y = Resize<mode = "linear">(x, , to)', sizes),
            ("resize_cubic", 'y = Resize<mode = "cubic">(x, , to)', sizes),
        ]:
            yield RowModel(f"{name}_{size}", body, inputs, weights)
    body = "y = GroupNormalization<num_groups = 4>(x, s, b)"
    yield RowModel("group_normalization", body, {"x": (16, 9, 9)}, {"s": (16,), "b": (16,)})
    for mode in ("linear", "cubic"):
        inputs = {"x": (3, 13, 13), "g": (7, 9, 2)}
        yield RowModel(f"grid_sample_{mode}", f'y = GridSample<mode = "{mode}">(x, g)', inputs)


def sequences():
    """Attention and recurrent networks."""
    for length in (1, 5, 64, 200):
        shape = {name: (4, length, 32) for name in "qkv"}
        yield RowModel(f"attention_{length}", "y = Attention(q, k, v)", shape)
        body = "y = Attention<is_causal = 1>(q, k, v)"
        yield RowModel(f"attention_causal_{length}", body, shape)
        shape = {"q": (8, length, 16), "k": (2, length + 3, 16), "v": (2, length + 3, 24)}
        yield RowModel(f"attention_grouped_{length}", "y = Attention(q, k, v)", shape)
        body = "y = Attention(q, k, v, m)"
        shape["m"] = (1, length, length + 3)
        yield RowModel(f"attention_mask_{length}", body, shape)
        half = {name: (np.float16, (4, length, 32)) for name in "qkv"}
        yield RowModel(f"attention_f16_{length}", "y = Attention(q, k, v)", half)
        shape = {"q": (4, length, 32), "k": (4, 32, length), "v": (4, length, 32)}
        body = "s = MatMul(q, k) t = Div(s, d) p = Softmax(t) y = MatMul(p, v)"
        yield RowModel(f"scores_{length}", body, shape, {"d": np.array(5.7, np.float32)})
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for hidden in (5, 32, 129):
            for sides, direction in ((1, "forward"), (2, "bidirectional")):
                weights = {"w": (sides, gates * hidden, 19), "r": (sides, gates * hidden, hidden)}
                attributes = f'hidden_size = {hidden}, direction = "{direction}"'
                body = (
                    f"t = Transpose<perm = [1,0,2]>(x) u = {op}<{attributes}>(t, w, r) "
                    "y = Transpose<perm = [2,0,1,3]>(u)"
                )
                yield RowModel(f"{op.lower()}_{hidden}_{direction}", body, {"x": (6, 19)}, weights)


def learned():
    """Models of the machine learning domain, and losses for each row."""
    scores = {"x": (77,)}
    numbers = np.random.default_rng(3).standard_normal(77 * 3)
    floats = ", ".join(f"{value:.6f}" for value in numbers)
    body = f"y = ai.onnx.ml.LinearRegressor<coefficients = [{floats}], targets = 3>(x)"
    yield RowModel("linear_regressor", body, scores)
    for norm in ("L1", "L2", "MAX"):
        yield RowModel(
            f"normalizer_{norm}", f'y = ai.onnx.ml.Normalizer<norm = "{norm}">(x)', scores
        )
    yield forest(60, 6, 19)
    for length in (1, 13):
        inputs = {"x": (33, length), "t": integers((8, length), 0, 33, np.int64)}
        for op in ("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"):
            body = f'y = {op}<reduction = "none">(x, t)'
            yield RowModel(f"{op}_{length}", body, inputs)


def forest(trees, depth, features):
    """A regressor of complete trees, whose values are summed for each row."""
    random = np.random.default_rng(4)
    inner, count = 2**depth - 1, 2 ** (depth + 1) - 1
    ids = np.tile(np.arange(count), trees)
    of_tree = np.repeat(np.arange(trees), count)
    leaf = ids >= inner
    attributes = {
        "nodes_treeids": of_tree,
        "nodes_nodeids": ids,
        "nodes_featureids": random.integers(0, features, len(ids)),
        "nodes_values": random.standard_normal(len(ids)).astype(np.float32),
        "nodes_modes": ["LEAF" if end else "BRANCH_LEQ" for end in leaf],
        "nodes_truenodeids": np.where(leaf, 0, 2 * ids + 1),
        "nodes_falsenodeids": np.where(leaf, 0, 2 * ids + 2),
        "target_treeids": of_tree[leaf],
        "target_nodeids": ids[leaf],
        "target_ids": np.zeros(leaf.sum(), np.int64),
        "target_weights": random.standard_normal(leaf.sum()).astype(np.float32),
        "n_targets": 1,
    }
    attributes = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in attributes.items()
    }
    body = "y = ai.onnx.ml.TreeEnsembleRegressor(x)"
    return RowModel("forest", body, {"x": (features,)}, attributes=attributes)


def all_models():
    """Every model, in the same order in every run."""
    groups = (products, convolutions, elementwise, rowwise, images, sequences, learned)
    return [model for group in groups for model in group()]
