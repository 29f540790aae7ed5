"""HTTP/2 by hand: connections whose clients send what they like, broken frames included."""

import contextlib
import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
KINDS = (
    "DATA",
    "HEADERS",
    "PRIORITY",
    "RST_STREAM",
    "SETTINGS",
    "PUSH_PROMISE",
    "PING",
    "GOAWAY",
    "WINDOW_UPDATE",
    "CONTINUATION",
)
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def frame(kind, flags=0, stream=0, payload=b""):
    """A frame of a kind's name."""
    head = struct.pack(">I", len(payload))[1:]
    return head + struct.pack(">BBI", KINDS.index(kind), flags, stream) + payload


def number(value, bits, first):
    """An integer in HPACK's form, whose first byte begins with the bits `first`."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    found, value = [first | most], value - most
    while value >= 128:
        found.append(value % 128 + 128)
        value //= 128
    return bytes([*found, value])


def field(name, value):
    """A header that no table remembers."""
    name, value = name.encode(), value.encode() if isinstance(value, str) else value
    return b"\x10" + number(len(name), 7, 0) + name + number(len(value), 7, 0) + value


def headers(place, method, extra=()):
    """The block of a call's headers."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": f"/inference.GRPCInferenceService/{method}",
        ":authority": place,
        "content-type": "application/grpc",
        "te": "trailers",
        **dict(extra),
    }
    return b"".join(field(*pair) for pair in fields.items())


def prefixed(message, flag=0, length=None):
    """A gRPC message with its prefix, which may lie."""
    return struct.pack(">BI", flag, len(message) if length is None else length) + message


class Connection:
    """A connection that has begun as HTTP/2 asks for. Use it with `with`."""

    def __init__(self, place, limit=20, begin=None):
        self.place = place
        host, _, port = place.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), limit)
        self.buffer, self.stream = b"", -1
        self.socket.sendall(PREFACE + frame("SETTINGS") if begin is None else begin)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def call(self, method, message, extra=()):
        """Send a call with one message; the number of its stream."""
        self.stream += 2
        block = headers(self.place, method, extra)
        head = frame("HEADERS", END_HEADERS, self.stream, block)
        self.send(head + frame("DATA", END_STREAM, self.stream, prefixed(message)))
        return self.stream

    def _take(self, size):
        while len(self.buffer) < size:
            data = self.socket.recv(1 << 16)
            if not data:
                raise EOFError
            self.buffer += data
        found, self.buffer = self.buffer[:size], self.buffer[size:]
        return found

    def receive(self):
        """(kind, flags, stream, payload) of the next frame; EOFError at the end."""
        length, kind, flags, stream = struct.unpack(">IBBI", b"\0" + self._take(9))
        return KINDS[kind], flags, stream & 0x7FFFFFFF, self._take(length)

    def kinds_until_end(self, limit):
        """Kinds of the frames of the last call's stream, until its end or that of the connection.

        Frames about the connection are left out but for GOAWAY.
        """
        self.socket.settimeout(limit)
        found = []
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                kind, flags, stream, _ = self.receive()
                if kind == "SETTINGS" and not flags & ACK:
                    self.send(frame("SETTINGS", ACK))
                if stream == max(self.stream, 1) or kind == "GOAWAY":
                    found.append(kind)
                    ends = kind in ("DATA", "HEADERS") and flags & END_STREAM
                    if ends or kind in ("GOAWAY", "RST_STREAM"):
                        break
        return found
