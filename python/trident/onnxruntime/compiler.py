"""``ModelCompiler``: models that are checked and written before they are run."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import trident
from trident.errors import ModelError
from trident.onnxruntime import data_files, errors, model_file, prepared, providers
from trident.onnxruntime.absent import refuse
from trident.onnxruntime.enums import GraphOptimizationLevel, OrtCompileApiFlags
from trident.onnxruntime.errors import Fail, InvalidArgument
from trident.onnxruntime.model_file import Tensor
from trident.onnxruntime.options import SessionOptions
from trident.onnxruntime.stored import DataFile, stored
from trident.onnxruntime.values import OrtValue

#: The ending of the names of models that Trident has compiled.
COMPILED = ".mps"


class OrtExternalInitializerInfo(NamedTuple):
    """The place of an initializer in a data file."""

    filepath: str
    file_offset: int
    byte_size: int


Locate = Callable[
    [str, OrtValue, OrtExternalInitializerInfo | None], OrtExternalInitializerInfo | None
]


class ModelCompiler:
    """A model to compile for the providers of some options.

    A file whose name ends in ``.mps`` gets the model after Trident's rewrites. Any other output is
    an ONNX file with the model as it is, which Trident has prepared once, so that it is known to
    run: Trident's rewrites have no form in ONNX.
    """

    def __init__(
        self,
        sess_options: SessionOptions,
        input_model_path_or_bytes: str | os.PathLike[str] | bytes,
        embed_compiled_data_into_model: bool = False,
        external_initializers_file_path: str | os.PathLike[str] | None = None,
        external_initializers_size_threshold: int = 1024,
        flags: int = OrtCompileApiFlags.NONE,
        graph_optimization_level: GraphOptimizationLevel = GraphOptimizationLevel.ORT_DISABLE_ALL,
        get_initializer_location_func: Locate | None = None,
    ) -> None:
        """``get_initializer_location_func`` decides where each initializer is; ``None`` is the
        file itself. ``graph_optimization_level`` and ``embed_compiled_data_into_model`` tune
        ONNX Runtime, and do nothing."""
        if not isinstance(sess_options, SessionOptions):
            raise TypeError(f"sess_options is a SessionOptions, not {sess_options!r}")
        if not isinstance(input_model_path_or_bytes, str | os.PathLike | bytes):
            kind = type(input_model_path_or_bytes)
            raise TypeError(f"Unable to load from type '{kind}': give a path, or bytes")
        self._source: str | bytes
        if isinstance(input_model_path_or_bytes, bytes):
            self._source = input_model_path_or_bytes
        else:
            self._source = os.fspath(input_model_path_or_bytes)
        if not self._source:
            raise ValueError("the path or the bytes of the input model are empty")
        self._data_file = os.fspath(external_initializers_file_path or "")
        if self._data_file and get_initializer_location_func is not None:
            raise ValueError(
                "Cannot initialize ModelCompiler with both `external_initializers_file_path` and "
                "`get_initializer_location_func`"
            )
        if isinstance(self._source, str) and not os.path.exists(self._source):
            raise InvalidArgument.of(f"Input model path does not exist: {self._source}")
        self._options = sess_options
        self._least = int(external_initializers_size_threshold)
        self._flags = int(flags)
        self._locate = get_initializer_location_func

    def compile_to_file(self, output_model_path: str | os.PathLike[str] | None = None) -> None:
        """Write the compiled model. Its default name is the input's, with ``_ctx`` at the end."""
        path = Path(output_model_path or self._default())
        if self._flags & OrtCompileApiFlags.ERROR_IF_OUTPUT_FILE_EXISTS and path.exists():
            raise Fail.of(f"the output model {path} exists already, and flags make it an error")
        try:
            if path.name.endswith(COMPILED):
                self._load().compile(path)
            elif self._data_file:
                with DataFile(path, self._data_file, self._least) as data:
                    path.write_bytes(self._stored(data.place))
            else:
                path.write_bytes(self._stored(self._place))
        except OSError as error:
            raise InvalidArgument.of(f"cannot write {path}: {error.strerror or error}") from error

    def compile_to_bytes(self) -> bytes:
        """The bytes of the compiled model, an ONNX file."""
        if self._data_file:
            raise InvalidArgument.of(
                "external_initializers_file_path is for a model that is written to a file"
            )
        return self._stored(self._place)

    def compile_to_stream(self, write_function: Callable[[bytes], Any]) -> None:
        """Give the bytes of the compiled model, an ONNX file, to a function.

        Raises ``Fail`` with the text of an exception of the function.
        """
        data = self.compile_to_bytes()
        try:
            write_function(data)
        except Exception as error:
            raise Fail.of(f"{type(error).__name__}: {error}") from error

    def set_ep_context_data_write_func(self, write_func: Callable[..., Any]) -> None:
        """Raises ``NotImplementedError``: no data of providers is written beside ONNX files."""
        refuse("ModelCompiler.set_ep_context_data_write_func")

    def _default(self) -> str:
        if isinstance(self._source, bytes):
            raise TypeError("a model that is given by its bytes needs an output_model_path")
        root, ending = os.path.splitext(self._source)
        return f"{root}_ctx{ending}" if ending == ".onnx" else f"{self._source}_ctx.onnx"

    def _load(self) -> trident.Model:
        """The model, prepared for the providers. Raises the exception of a session that fails."""
        chosen = providers.effective(providers.normalize(self._options._providers or None, None))
        source, _ = prepared.prepare(self._source, self._options)
        try:
            return trident.Model(source, **providers.model_options(chosen))
        except (ModelError, OSError) as error:
            path = self._source if isinstance(self._source, str) else None
            raise errors.of_load(error, path) from error

    def _stored(self, place: Callable[[Tensor, bytes | memoryview], bytes | None]) -> bytes:
        """The ONNX file of the model, after a check that it can run."""
        if self._flags & OrtCompileApiFlags.ERROR_IF_NO_NODES_COMPILED:
            raise Fail.of(
                "Unable to compile any nodes: an ONNX file gets the model as it is, and only a "
                f"file that ends in {COMPILED} gets it compiled"
            )
        self._load()
        source, _ = prepared.prepare(self._source, self._options)
        return stored(prepared.read(source), prepared.files_of(source, self._options), place)

    def _place(self, tensor: Tensor, data: bytes | memoryview) -> bytes | None:
        """The message of an initializer where the caller's function puts it."""
        if self._locate is None:
            return None
        entries = tensor.entries
        known = None
        if entries:
            offset = int(entries.get("offset", "0"))
            known = OrtExternalInitializerInfo(entries["location"], offset, len(data))
        try:
            found = self._locate(tensor.name, data_files.value(tensor, data), known)
        except Exception as error:
            raise Fail.of(f"{type(error).__name__}: {error}") from error
        if found is None:
            return None
        if not isinstance(found, OrtExternalInitializerInfo):
            raise Fail.of(
                f"the place of initializer {tensor.name} is an OrtExternalInitializerInfo or None, "
                f"not {found!r}"
            )
        return model_file.external(tensor, *found)
