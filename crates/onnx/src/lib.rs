//! ONNX files to graph functions.
