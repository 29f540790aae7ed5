"""Exceptions of ONNX Runtime's interface, and how errors of ``trident.Model`` become them.

A message begins with ``[ONNXRuntimeError] : CODE : NAME :``, which programs search for.
"""

import errno
from typing import ClassVar, Self

from trident.errors import ModelError, ModelErrorKind


class _Status(Exception):
    """An exception of one status code."""

    code: ClassVar[int]
    status: ClassVar[str]

    def __init_subclass__(cls, code: int | None = None, status: str = "") -> None:
        if code is not None:
            cls.code, cls.status = code, status

    @classmethod
    def of(cls, text: object) -> Self:
        """The exception with the beginning that every message has."""
        return cls(f"[ONNXRuntimeError] : {cls.code} : {cls.status} : {text}")


class Fail(_Status, code=1, status="FAIL"):
    """A failure without a status of its own."""


class InvalidArgument(_Status, code=2, status="INVALID_ARGUMENT"):
    """An input, an output or an option that does not fit."""


class NoSuchFile(_Status, code=3, status="NO_SUCHFILE"):
    """A model's file that does not exist."""


class NoModel(_Status, code=4, status="NO_MODEL"):
    """A run before a model was loaded."""


class EngineError(_Status, code=5, status="ENGINE_ERROR"):
    """An error of the engine itself."""


class RuntimeException(_Status, code=6, status="RUNTIME_EXCEPTION"):
    """A run that failed."""


class InvalidProtobuf(_Status, code=7, status="INVALID_PROTOBUF"):
    """A file that is not an ONNX file."""


class ModelLoaded(_Status, code=8, status="MODEL_LOADED"):
    """A model loaded twice."""


class NotImplemented(_Status, code=9, status="NOT_IMPLEMENTED"):
    """A model with an operator or a type that is not supported."""


class InvalidGraph(_Status, code=10, status="INVALID_GRAPH"):
    """A model with a node that is not valid."""


class EPFail(_Status, code=11, status="EP_FAIL"):
    """A failure of an execution provider."""


class ModelLoadCanceled(_Status, code=12, status="MODEL_LOAD_CANCELED"):
    """A load that was ended early."""


class ModelRequiresCompilation(_Status, code=13, status="MODEL_REQUIRES_COMPILATION"):
    """A model that must be compiled first."""


class NotFound(_Status, code=14, status="NOT_FOUND"):
    """A thing looked up by name that does not exist."""


class DeviceReset(_Status, code=15, status="DEVICE_RESET"):
    """A device that was reset during a run."""


#: The exceptions of models that cannot be loaded, by ``ModelError.kind``; others are ``Fail``.
_OF_LOAD: dict[ModelErrorKind, type[_Status]] = {
    "empty": InvalidArgument,
    "format": InvalidProtobuf,
    "node": InvalidGraph,
    "undefined": InvalidArgument,
    "unsupported": NotImplemented,
}


def of_load(error: Exception, path: str | None) -> Exception:
    """The exception for a model that ``trident.Model`` could not load."""
    place = f"Load model from {path} failed:" if path is not None else ""
    if isinstance(error, FileNotFoundError):
        return NoSuchFile.of(f"{place}Load model {path} failed. File doesn't exist")
    if isinstance(error, OSError):
        if error.errno == errno.EISDIR:
            return InvalidProtobuf.of(f"{place}{error.strerror}")
        return Fail.of(f"{place}{error.strerror or error}")
    if not isinstance(error, ModelError):
        return error
    kind = _OF_LOAD.get(error.kind, Fail)
    if error.kind == "path":
        return kind.of(f"{place}External data path validation failed: {error}")
    invalid = "This is an invalid model. " if kind is InvalidGraph else ""
    return kind.of(f"{place}{invalid}{error}")


def of_run(error: ModelError, operator: str | None = None) -> Exception:
    """The exception for a run that failed though its inputs fit the model's declaration.

    ``operator`` is that of the node which failed, where known.
    """
    if error.node is None:
        return (InvalidArgument if error.operand is not None else RuntimeException).of(error)
    running = f"{operator} node" if operator else "a node"
    text = f"Non-zero status code returned while running {running}. Name:'{error.node}'"
    return Fail.of(f"{text} Status Message: {error}")
