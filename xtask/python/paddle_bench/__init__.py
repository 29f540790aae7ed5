"""Measures Paddle's models: Trident, Paddle and ONNX Runtime."""

TRIDENT, PADDLE, ONNXRUNTIME = "trident", "paddle", "onnxruntime"
ENGINES = (TRIDENT, PADDLE, ONNXRUNTIME)
