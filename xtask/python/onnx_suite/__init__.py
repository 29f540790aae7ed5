"""The ONNX backend test suite: generate its cases, run an engine over them, report."""
