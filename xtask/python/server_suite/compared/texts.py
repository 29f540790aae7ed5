"""Tensors of strings."""

import struct

from .models import same
from .talk import row, tensor


def empty_texts(t):
    t.serve(same, kind="BYTES")
    t.infer(tensor("INPUT0", "BYTES", [1, 0], []))
    t.infer(tensor("INPUT0", "BYTES", [1, 2], ["", ""]))
    t.rpc_raw(tensor("INPUT0", "BYTES", [1, 0]), data=[b""])
    t.rpc_raw(tensor("INPUT0", "BYTES", [1, 1]), data=[b"\0\0\0\0"])
    t.rpc_infer(tensor("INPUT0", "BYTES", [1, 1], [""]))


def texts_of_all_kinds(t):
    t.serve(same, kind="BYTES")
    t.infer(row("ä", "日本", "😀", "a\tb\nc", 'q"\\/', datatype="BYTES"))
    t.infer(row("\x01\x1f", "\x7f", "\u2028", datatype="BYTES"))
    t.rpc_infer(row("ä", "😀", datatype="BYTES"))


def texts_with_zeros(t):
    t.serve(same, kind="BYTES")
    data = struct.pack("<I", 3) + b"a\0b"
    entry = tensor("INPUT0", "BYTES", [1, 1], binary_data_size=len(data))
    t.binary(entry, data=data)
    t.binary(entry, data=data, parameters={"binary_data_output": True})


def escapes_of_texts(t):
    t.serve(same, kind="BYTES")
    head = '{"inputs":[{"name":"INPUT0","datatype":"BYTES","shape":[1,1],"data":["'
    for text in (r"\u00e4", r"\ud83d\ude00", r"\ud83d", r"\x41", r"\/\b\f", r"\u00", "\t", "\\"):
        t.post(f"/v2/models/{t.name}/infer", f'{head}{text}"]}}]}}')


def text_lengths_that_lie(t):
    t.serve(same, kind="BYTES")
    entry = tensor("INPUT0", "BYTES", [1, 2])
    one, two = struct.pack("<I", 1) + b"a", struct.pack("<I", 2) + b"bc"
    for data in (one, one + two + one, one + b"\2\0\0", b""):
        t.rpc_raw(entry, data=[data])
        t.binary(entry | {"parameters": {"binary_data_size": len(data)}}, data=data)


def text_that_is_cut(t):
    t.serve(same, kind="BYTES")
    data = struct.pack("<I", 3) + b"ab"
    t.rpc_raw(tensor("INPUT0", "BYTES", [1, 1]), data=[data])
    t.binary(tensor("INPUT0", "BYTES", [1, 1], binary_data_size=len(data)), data=data)


def text_that_is_cut_first(t):
    t.serve(same, kind="BYTES")
    t.rpc_raw(tensor("INPUT0", "BYTES", [1, 2]), data=[b"\xff\xff\xff\xff\2\0\0\0bc"])


def texts_that_are_numbers(t):
    t.serve(same, kind="BYTES")
    for value in (1, 1.5, None, True, ["a"], {"a": 1}):
        t.infer(tensor("INPUT0", "BYTES", [1, 1], [value]))
