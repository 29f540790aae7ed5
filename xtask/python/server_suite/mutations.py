"""JSON documents that are wrong somewhere: values changed in the tree, or spelled badly."""

import copy
import json

VALUES = (
    None, True, False, "", "x", "1", "\0", "é", "a" * 5000, 0, -1, 1, 1.5, -0.0, 1e308, 2**31,
    2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**400, [], {},
    [None], [[]], [1, "x"], {"": 0}, {"a": {"b": []}}, "../../x", "/etc/passwd", "%2e%2e",
    "1" * 400,
)  # fmt: skip
# Texts put in place of a value, most of which are no JSON.
SPELLINGS = (
    b"NaN", b"-NaN", b"Infinity", b"-Infinity", b"nan", b"1e999999", b"1.", b".5", b"01", b"+1",
    b"0x10", b"1e", b"tru", b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\u00"', b'"\\x41"', b'"\xff"',
    b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b"'x'", b'"', b"/* */ 1", b"", b",",
    b"[", b"}", b"\x00", b"[" * 2000, b'{"a":' * 2000, b"[" * 90 + b"]" * 90,
)  # fmt: skip
MARK = "\x01mark\x01"


def mutated(rng, document):
    """The text of a document with one to three changes."""
    document = copy.deepcopy(document)
    for _ in range(rng.randrange(1, 4)):
        document = changed(rng, document)
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5).encode()
    if rng.random() < 0.3:
        text = doubled(rng, text)
    return text.replace(json.dumps(MARK).encode(), rng.choice(SPELLINGS))


def value(rng):
    """A value of its own, which later changes do not share."""
    return copy.deepcopy(rng.choice(VALUES))


def changed(rng, document):
    """A document with one change in its tree."""
    places = list(walk(document)) if isinstance(document, dict | list) else []
    owner, key = rng.choice(places) if places else (None, None)
    if owner is None:
        return value(rng)
    match rng.randrange(6):
        case 0 | 1:
            owner[key] = value(rng)
        case 2:
            owner[key] = MARK
        case 3:
            del owner[key]
        case 4 if isinstance(owner, dict):
            owner[rng.choice(("", "x", str(key).upper(), f"{key}\0", "a" * 300))] = owner.pop(key)
        case _:
            owner[key] = [copy.deepcopy(owner[key]) for _ in range(rng.choice((1, 2, 300)))]
    return document


def walk(value):
    """Places of a tree: (owner, key or position)."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(pairs):
        yield value, key
        if isinstance(inner, dict | list):
            yield from walk(inner)


def doubled(rng, text):
    """A text of which a member is given twice, if it has one."""
    start = text.find(b'"')
    end = text.find(b",", start)
    return text if start < 0 or end < 0 else text[:end] + b"," + text[start:end] + text[end:]
