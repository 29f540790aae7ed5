"""A program of a user. Pyright checks it in strict mode, and ``test_typed_program`` runs it."""

import asyncio
from typing import Any

import numpy as np

import trident
import trident.onnxruntime as ort
from trident.onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument


def run_models(path: str) -> list[str]:
    """Run the digits model by ``trident.Model``; what it found."""
    image = np.zeros((1, 1, 8, 8), np.float32)
    mine = np.empty((1, 10), np.float32)
    with trident.Model(path, threads=trident.threads) as model:
        named: dict[str, Any] = model.run({"image": image}, out={"probabilities": mine})
        later: dict[str, Any] = asyncio.run(model.run_async({"image": image}))
        sizes: tuple[int | str | None, ...] | None = model.inputs[0].shape
        steps: list[str] = [step.op for step in model.inspect({"image": image.shape}).steps]
        slowest: float = max(event.duration for event in model.profile(image).events)
        try:
            model(image[0])
        except trident.ModelError as error:
            operand: str | None = error.operand
            return [*named, *later, str(sizes), steps[0], operand or "", str(slowest > 0)]
    return []


def run_session(path: str) -> list[str]:
    """Run the same model by ONNX Runtime's interface."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    inputs: list[str] = [arg.name for arg in session.get_inputs()]
    feed = {inputs[0]: np.zeros((1, 1, 8, 8), np.float32)}
    (probabilities,) = session.run(None, feed)
    binding = session.io_binding()
    binding.bind_cpu_input(inputs[0], feed[inputs[0]])
    binding.bind_output("probabilities", ort.get_device().lower(), ort.OrtDevice.cpu())
    session.run_with_iobinding(binding)
    value: ort.OrtValue = binding.get_outputs()[0]
    try:
        session.run(["none"], feed)
    except InvalidArgument as error:
        code: int = error.code
        return [str(probabilities.shape), str(value.shape()), str(code)]
    return []


if __name__ == "__main__":
    print(trident.devices()[-1].name, run_models("digits.onnx"), run_session("digits.onnx"))
