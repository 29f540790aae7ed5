"""Programs of packages that carry their models, on ONNX Runtime and on `trident.onnxruntime`.

Each file of `programs` is an ordinary program: it imports a package, loads its models and works
through the files of a folder that `samples` made. The programs are the same for both engines.
"""
