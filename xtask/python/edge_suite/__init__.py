"""Small generated cases at the edges of the standard, compared with outside references.

A group is a file of this package with a function `run`. The command finds the files, and names each
group after its file:

    def run(suite):
        ...
        suite.check("name of the case", lambda: compare(suite, ...))

`suite` is a `suite.Suite`. A check passes if its function returns; an exception is a failure, whose
text becomes the reason. `suite.wanted(name)` says whether `--filter` selects a case: ask it before
expensive preparations. In a check,

- `suite.trident(model, inputs)` runs an `onnx.ModelProto` by `trident worker` and
- `suite.onnxruntime(model, inputs)` runs it by ONNX Runtime, in a process of its own.

Both take one array for each graph input and return the list of outputs. Both raise
`Refused` where the engine answers with an error; its `stage` is `load`, `plan`, `inputs`, `run` or
`outputs` for `trident`, and `run` for ONNX Runtime. A crash or a hang is another exception, and so
always fails the check.

`suite.py` also has `model(...)`, which builds a model from nodes, and
`same(got, want, tolerance)`, which compares outputs. Random cases come from `suite.random(name)`:
it depends only on `--seed` and the name, so that `--filter` does not change a case.
`suite.options.quick` asks for fewer of them.

A group that needs a package of the large environment imports it by
`torch = suite.package("torch")`, which skips the group where there is none, and is also named in
`NEED_TORCH` of `__main__.py`. The command takes the environment of PyTorch if it has been made
(`cargo xtask env torch`, 5.4 GB), else the one of the ONNX suite, which has no PyTorch.
"""
