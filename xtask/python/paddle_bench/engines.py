"""Models in the engines that are compared, each made from a file and a number of threads."""

import os
import time

import numpy as np

from . import ONNXRUNTIME, PADDLE, TRIDENT

#: Ways to run a model on Paddle: whether with oneDNN, and whether with the passes of PIR.
FLAGS = {
    "oneDNN": (True, False),
    "oneDNN, new IR": (True, True),
    "plain": (False, False),
    "plain, new IR": (False, True),
}


class TridentModel:
    def __init__(self, path, threads, way):
        import trident

        self.model = trident.Model(path, threads=threads, progress=False)

    def __call__(self, inputs):
        return list(self.model.run(inputs).values())


class PaddleModel:
    """Paddle's predictor, set up as PaddleX does on a CPU."""

    def __init__(self, path, threads, way):
        from paddle import inference

        config = inference.Config(path, f"{os.path.splitext(path)[0]}.pdiparams")
        config.disable_glog_info()
        with_onednn, with_new_ir = FLAGS[way]
        if with_onednn:
            config.enable_mkldnn()
            config.set_mkldnn_cache_capacity(10)
        else:
            config.disable_mkldnn()
        config.set_cpu_math_library_num_threads(threads)
        config.enable_new_ir(with_new_ir)
        config.enable_new_executor()
        if with_new_ir:
            config.set_optimization_level(3)
        config.enable_memory_optim()
        self.predictor = inference.create_predictor(config)

    def __call__(self, inputs):
        for name, array in inputs.items():
            self.predictor.get_input_handle(name).copy_from_cpu(array)
        self.predictor.run()
        names = self.predictor.get_output_names()
        return [self.predictor.get_output_handle(name).copy_to_cpu() for name in names]


class OnnxRuntimeModel:
    def __init__(self, path, threads, way):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        providers = ["CPUExecutionProvider"]
        self.session = onnxruntime.InferenceSession(path, options, providers=providers)

    def __call__(self, inputs):
        return self.session.run(None, inputs)


ENGINES = {TRIDENT: TridentModel, PADDLE: PaddleModel, ONNXRUNTIME: OnnxRuntimeModel}
PACKAGES = {TRIDENT: "trident", PADDLE: "paddle.inference", ONNXRUNTIME: "onnxruntime"}


def milliseconds(function):
    """(the result, how long it took)."""
    start = time.perf_counter()
    result = function()
    return result, (time.perf_counter() - start) * 1e3


def resident():
    """The process's resident memory, in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def pages(model, name, dims):
    """Runs a model on pages of these dimensions, one after the other; a row of each.

    All pages are views of one array, so that the process's memory is the engine's.
    """
    most = max(np.prod(shape) for shape in dims)
    pixels = np.random.default_rng(0).uniform(-1, 1, most).astype(np.float32)
    rows = []
    for shape in dims:
        page = pixels[: np.prod(shape)].reshape(shape)
        start = time.perf_counter()
        model({name: page})
        took = (time.perf_counter() - start) * 1e3
        rows.append({"dims": shape, "ms": took, "resident": resident()})
    return rows
