"""Protobuf's wire format: the fields of a message, read and written without its schema."""

from collections.abc import Iterator
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

#: The most bytes of a variable-length integer.
LONGEST = 10


class Field(NamedTuple):
    """A field of a message."""

    number: int
    kind: int
    #: An integer, or a view of the bytes of a text, a message or a fixed-size number.
    value: int | memoryview
    #: The whole field as it was read, with its key.
    raw: memoryview

    @property
    def bytes(self) -> memoryview:
        """The bytes of a text or a message. Raises ``ValueError`` for another kind of field."""
        if not isinstance(self.value, memoryview):
            raise ValueError(f"field {self.number} is an integer, and bytes are expected")
        return self.value

    @property
    def text(self) -> str:
        """The bytes as text."""
        return str(self.bytes, "utf-8", "replace")


def fields(message: memoryview) -> Iterator[Field]:
    """The fields of a message in their order. Raises ``ValueError`` for bytes that are none."""
    at, end = 0, len(message)
    while at < end:
        start = at
        key, at = varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = varint(message, at)
            yield Field(number, kind, value, message[start:at])
            continue
        if kind == BYTES:
            size, at = varint(message, at)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise ValueError(f"a field of kind {kind} at byte {start}")
        if number == 0 or at + size > end:
            raise ValueError(f"field {number} at byte {start} ends after the message does")
        at += size
        yield Field(number, kind, message[at - size : at], message[start:at])


def integers(field: Field) -> list[int]:
    """The integers of a field, one or several in a row."""
    if isinstance(field.value, int):
        return [field.value]
    numbers: list[int] = []
    at = 0
    while at < len(field.value):
        number, at = varint(field.value, at)
        numbers.append(number)
    return numbers


def integer(number: int, value: int) -> bytes:
    """A field with an integer."""
    return _encoded(number << 3 | VARINT) + _encoded(value)


def prefix(number: int, size: int) -> bytes:
    """The beginning of a field of so many bytes."""
    return _encoded(number << 3 | BYTES) + _encoded(size)


def data(number: int, value: bytes | str) -> bytes:
    """A field with bytes or a text."""
    value = value.encode() if isinstance(value, str) else value
    return prefix(number, len(value)) + value


def varint(message: memoryview, at: int) -> tuple[int, int]:
    """The integer at a byte, and the byte after it."""
    value = 0
    for index in range(LONGEST):
        if at + index >= len(message):
            break
        byte = message[at + index]
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            return value & (2**64 - 1), at + index + 1
    raise ValueError(f"the integer at byte {at} has no end")


def _encoded(value: int) -> bytes:
    value &= 2**64 - 1
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)
