"""Calls of models from Python, beside the engine alone and beside ONNX Runtime."""

# The ways to run a model.
ENGINE, MODEL, MODEL_RUN = "engine", "model(x)", "model.run"
SESSION, PEER = "session.run", "onnxruntime"
