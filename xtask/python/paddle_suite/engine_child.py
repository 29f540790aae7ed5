"""A child process that runs models: `python -m paddle_suite.engine_child ENGINE`.

It answers the requests of `worker.Worker`: `MODEL <TAB> INPUTS <TAB> OUTPUTS ...`. Inputs and
outputs are files of `arrays`. Engines are Trident's package, its command line, ONNX Runtime on the
file that `trident convert` writes, and Paddle's predictor on the CPU, without oneDNN.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from paddle_suite import arrays


class TridentModel:
    """A model on `trident.Model`."""

    def __init__(self, path):
        import trident

        self.model = trident.Model(path, progress=False)

    def __call__(self, inputs):
        wanted = [value.name for value in self.model.inputs]
        found = self.model.run(arrays.by_names(inputs, wanted))
        return [found[value.name] for value in self.model.outputs]


class CommandModel:
    """A model on the command line: `trident run`, in a process for each data set."""

    def __init__(self, path, inputs):
        self.path, self.program = path, os.environ["TRIDENT"]
        try:
            found = self.inspected()
        except RuntimeError:
            # Dimensions that are not known count as 1 there, which may not fit.
            found = self.inspected(inputs)
        self.inputs = [value["name"] for value in found["inputs"]]
        self.outputs = [value["name"] for value in found["outputs"]]

    def inspected(self, inputs=()):
        dims = ["x".join(map(str, inputs[name].shape)) for name in inputs]
        shapes = [f"--shape={name}={text}" for name, text in zip(inputs, dims) if text]
        return json.loads(self.command("inspect", self.path, "--json", *shapes))

    def command(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
        return done.stdout

    def __call__(self, inputs):
        with tempfile.TemporaryDirectory(prefix="paddle-suite") as folder:
            arguments = []
            for number, (name, array) in enumerate(arrays.by_names(inputs, self.inputs).items()):
                np.save(f"{folder}/{number}.npy", array)
                arguments += ["--input", f"{name}={folder}/{number}.npy"]
            self.command("run", self.path, *arguments, "--output", f"{folder}/out.npz")
            with np.load(f"{folder}/out.npz") as results:
                return [results[name] for name in self.outputs]


class ConvertedModel:
    """A model on ONNX Runtime, as the file that `trident convert` writes. ONNX's own checker, with
    its inference of types and shapes, must accept the file."""

    def __init__(self, path):
        import onnx
        import onnxruntime

        with tempfile.TemporaryDirectory(prefix="paddle-suite") as folder:
            file = f"{folder}/model.onnx"
            # Weights of both kinds: within the model, and beside it.
            words = ["convert", path, file, "--external-data", "64KiB", "--json"]
            done = subprocess.run([os.environ["TRIDENT"], *words], capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
            self.check(onnx, file)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 2
            options.log_severity_level = 3
            self.session = onnxruntime.InferenceSession(
                file, options, providers=["CPUExecutionProvider"]
            )

    @staticmethod
    def check(onnx, file):
        """The checker knows no newer operator sets than its own, and wants to know the rank of each
        output."""
        model = onnx.load(file, load_external_data=False)
        known = model.opset_import[0].version <= onnx.defs.onnx_opset_version()
        ranked = all(o.type.tensor_type.HasField("shape") for o in model.graph.output)
        if known and ranked:
            onnx.checker.check_model(file, full_check=True)

    def __call__(self, inputs):
        wanted = [value.name for value in self.session.get_inputs()]
        return self.session.run(None, arrays.by_names(inputs, wanted))


class PaddleModel:
    """A model on Paddle's predictor."""

    optimized = True

    def __init__(self, path):
        from paddle import inference

        config = inference.Config(path, f"{os.path.splitext(path)[0]}.pdiparams")
        config.disable_glog_info()
        config.disable_mkldnn()
        config.switch_ir_optim(self.optimized)
        config.set_cpu_math_library_num_threads(2)
        self.predictor = inference.create_predictor(config)

    def __call__(self, inputs):
        wanted = self.predictor.get_input_names()
        for name, array in arrays.by_names(inputs, wanted).items():
            self.predictor.get_input_handle(name).copy_from_cpu(array)
        self.predictor.run()
        names = self.predictor.get_output_names()
        return [self.predictor.get_output_handle(name).copy_to_cpu() for name in names]


class ExactModel(PaddleModel):
    """A model of `double`: Paddle's optimisations expect f32 weights."""

    optimized = False


class WrongModel(PaddleModel):
    """Paddle's results with a small error in one element: a suite that passes it is worthless."""

    def __call__(self, inputs):
        return [spoilt(array) for array in super().__call__(inputs)]


def spoilt(array):
    array = array.copy()
    if array.size:
        last = array.reshape(-1)
        last[-1] += 0.01 * (abs(last).max() + 1) if array.dtype.kind == "f" else ~last[-1]
    return array


#: Engines by name. A model is made from the path of its program.
ENGINES = {
    "trident": TridentModel,
    "command": CommandModel,
    "converted": ConvertedModel,
    "paddle": PaddleModel,
    "exact": ExactModel,
    "wrong": WrongModel,
}


def shown(error):
    """An exception in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def answer(engine, request):
    """Run the data sets of one request; the line to answer with."""
    path, *files = request.split("\t")
    try:
        model = engine(path, arrays.read(files[0])) if engine is CommandModel else engine(path)
    except Exception as error:
        return f"ERR load: {shown(error)}"
    for given, taken in zip(files[::2], files[1::2]):
        try:
            arrays.write(taken, arrays.numbered(model(arrays.read(given))))
        except Exception as error:
            return f"ERR run: {shown(error)}"
    return "OK"


def main():
    engine = ENGINES[sys.argv[1]]
    # Libraries print to standard output: answers keep a descriptor of their own.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for request in sys.stdin:
        print(answer(engine, request.rstrip("\n")), file=answers, flush=True)


if __name__ == "__main__":
    main()
