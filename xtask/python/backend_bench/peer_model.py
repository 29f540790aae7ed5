"""A model of the server's Python backend that runs ONNX Runtime, one batch for all requests."""

import json
import os

import numpy as np
import onnxruntime
import triton_python_backend_utils as pb


class TritonPythonModel:
    """The model class that the Python backend requires."""

    def initialize(self, args):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # more threads spin: more processor time for a request
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        path = os.path.join(args["model_repository"], args["model_version"], "model.onnx")
        providers = ["CPUExecutionProvider"]
        self.session = onnxruntime.InferenceSession(path, options, providers=providers)
        config = json.loads(args["model_config"])
        self.inputs = [entry["name"] for entry in config["input"]]
        self.outputs = [entry["name"] for entry in config["output"]]

    def execute(self, requests):
        given = [
            [pb.get_input_tensor_by_name(request, name).as_numpy() for name in self.inputs]
            for request in requests
        ]
        if len(given) == 1:
            joined = given[0]
        else:
            joined = [np.concatenate(parts) for parts in zip(*given)]
        results = self.session.run(self.outputs, dict(zip(self.inputs, joined)))
        ends = np.cumsum([arrays[0].shape[0] for arrays in given])
        return [
            pb.InferenceResponse(
                [
                    pb.Tensor(name, result[end - arrays[0].shape[0] : end])
                    for name, result in zip(self.outputs, results)
                ]
            )
            for arrays, end in zip(given, ends)
        ]
