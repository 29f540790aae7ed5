"""FlatBuffers: reading of tables with checks, and writing of tables front to back."""

import struct
from typing import NamedTuple

#: The alignment of everything that is written, in bytes.
ALIGN = 8


class Table(NamedTuple):
    """A table in a buffer. All methods raise ``ValueError`` for places outside of the buffer."""

    data: memoryview
    at: int

    def integer(self, field: int, form: str = "<i") -> int:
        """The number of a field; 0 if it is absent."""
        place = self._field(field)
        return 0 if place is None else unpacked(form, self.data, place)

    def text(self, field: int) -> str:
        """The text of a field; empty if it is absent."""
        return str(self.vector(field, 1), "utf-8")

    def vector(self, field: int, size: int) -> memoryview:
        """The bytes of a vector of elements of so many bytes; empty if it is absent."""
        place = self._field(field)
        if place is None:
            return memoryview(b"")
        start = _target(self.data, place)
        count = unpacked("<I", self.data, start)
        end = start + 4 + count * size
        if end > len(self.data):
            raise ValueError(f"the vector at byte {start} ends after the file does")
        return self.data[start + 4 : end]

    def tables(self, field: int) -> list["Table"]:
        """The tables of a vector."""
        place = self._field(field)
        if place is None:
            return []
        start = _target(self.data, place) + 4
        count = len(self.vector(field, 4)) // 4
        places = (start + 4 * i for i in range(count))
        return [Table(self.data, _target(self.data, each)) for each in places]

    def _field(self, field: int) -> int | None:
        """The place of a field."""
        fields = self.at - unpacked("<i", self.data, self.at)
        size = unpacked("<H", self.data, fields)
        entry = 4 + 2 * field
        offset = unpacked("<H", self.data, fields + entry) if entry + 2 <= size else 0
        return self.at + offset if offset else None


def unpacked(form: str, data: memoryview, at: int) -> int:
    """A number at a byte. Raises ``ValueError`` if it is not within the data."""
    if not 0 <= at <= len(data) - struct.calcsize(form):
        raise ValueError(f"the number at byte {at} is not within the file's {len(data)} bytes")
    (number,) = struct.unpack_from(form, data, at)
    return int(number)


def root(data: memoryview, mark: bytes) -> Table:
    """The outermost table. Raises ``ValueError`` for data of another kind of file."""
    if bytes(data[4:8]) != mark:
        raise ValueError("its beginning is that of another kind of file")
    return Table(data, _target(data, 0))


def _target(data: memoryview, place: int) -> int:
    """The place that an offset leads to."""
    return place + unpacked("<I", data, place)


class Builder:
    """A buffer that is written from its beginning to its end."""

    def __init__(self, mark: bytes) -> None:
        self._data = bytearray(bytes(4) + mark)

    def table(self, fields: list[int | None], link: int = 0) -> list[int]:
        """Write a table to which the offset at ``link`` leads; the places of its fields.

        A field is a 32-bit number, or ``None`` for an offset that is written later.
        """
        size = 4 + 4 * len(fields)
        offsets = [4 + 4 * i for i in range(len(fields))]
        start = self._end()
        layout = struct.pack(f"<{2 + len(fields)}H", 4 + 2 * len(fields), size, *offsets)
        self._data += layout
        at = self._end(4)
        self._lead(link, at)
        self._data += struct.pack(f"<i{len(fields)}i", at - start, *(each or 0 for each in fields))
        return [at + offset for offset in offsets]

    def vector(self, link: int, data: bytes, count: int) -> int:
        """Write a vector to which the offset at ``link`` leads; the place of its elements."""
        self._data += bytes(-(len(self._data) + 4) % ALIGN)
        self._lead(link, len(self._data))
        self._data += struct.pack("<I", count) + data
        return len(self._data) - len(data)

    def text(self, link: int, text: str) -> None:
        """Write a text."""
        data = text.encode()
        self.vector(link, data + b"\0", len(data))

    def finish(self) -> bytes:
        """The whole buffer."""
        self._end()
        return bytes(self._data)

    def _lead(self, link: int, at: int) -> None:
        struct.pack_into("<I", self._data, link, at - link)

    def _end(self, align: int = ALIGN) -> int:
        self._data += bytes(-len(self._data) % align)
        return len(self._data)
