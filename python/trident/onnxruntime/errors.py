"""Exceptions of ONNX Runtime's interface, and how errors of ``trident.Model`` become them.

A message begins with ``[ONNXRuntimeError] : CODE : NAME :``, which programs search for.
"""

import errno
from typing import ClassVar, Self

from trident.errors import ModelError


class _Status(Exception):
    """An exception of one status code."""

    code: ClassVar[int]
    status: ClassVar[str]

    @classmethod
    def of(cls, text: object) -> Self:
        """The exception with the beginning that every message has."""
        return cls(f"[ONNXRuntimeError] : {cls.code} : {cls.status} : {text}")


class Fail(_Status):
    """A failure without a status of its own."""

    code, status = 1, "FAIL"


class InvalidArgument(_Status):
    """An input, an output or an option that does not fit."""

    code, status = 2, "INVALID_ARGUMENT"


class NoSuchFile(_Status):
    """A model's file that does not exist."""

    code, status = 3, "NO_SUCHFILE"


class NoModel(_Status):
    """A run before a model was loaded."""

    code, status = 4, "NO_MODEL"


class EngineError(_Status):
    """An error of the engine itself."""

    code, status = 5, "ENGINE_ERROR"


class RuntimeException(_Status):
    """A run that failed."""

    code, status = 6, "RUNTIME_EXCEPTION"


class InvalidProtobuf(_Status):
    """A file that is not an ONNX file."""

    code, status = 7, "INVALID_PROTOBUF"


class ModelLoaded(_Status):
    """A model loaded twice."""

    code, status = 8, "MODEL_LOADED"


class NotImplemented(_Status):
    """A model with an operator or a type that is not supported."""

    code, status = 9, "NOT_IMPLEMENTED"


class InvalidGraph(_Status):
    """A model with a node that is not valid."""

    code, status = 10, "INVALID_GRAPH"


class EPFail(_Status):
    """A failure of an execution provider."""

    code, status = 11, "EP_FAIL"


class ModelLoadCanceled(_Status):
    """A load that was ended early."""

    code, status = 12, "MODEL_LOAD_CANCELED"


class ModelRequiresCompilation(_Status):
    """A model that must be compiled first."""

    code, status = 13, "MODEL_REQUIRES_COMPILATION"


class NotFound(_Status):
    """A thing looked up by name that does not exist."""

    code, status = 14, "NOT_FOUND"


class DeviceReset(_Status):
    """A device that was reset during a run."""

    code, status = 15, "DEVICE_RESET"


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
    reason = error.reason or str(error)
    kind: type[_Status] = InvalidGraph if error.node is not None else Fail
    if "failed to decode" in reason or "neither" in reason:
        kind = InvalidProtobuf
    elif reason == "it is empty" or "defined nowhere" in reason:
        kind = InvalidArgument
    elif "not supported" in reason or "not implemented" in reason:
        kind = NotImplemented
    invalid = "This is an invalid model. " if kind is InvalidGraph else ""
    return kind.of(f"{place}{invalid}{error}")


def of_run(error: ModelError) -> Exception:
    """The exception for a run that failed though its inputs fit the model's declaration."""
    if error.node is None:
        return (InvalidArgument if error.operand is not None else RuntimeException).of(error)
    text = f"Non-zero status code returned while running node. Name:'{error.node}'"
    return Fail.of(f"{text} Status Message: {error}")
