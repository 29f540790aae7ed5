"""Mutations of serialised protobuf messages, chosen by a seeded random generator.

Half of them work on bytes and mostly damage the encoding; the others parse the message, change
one field and serialise again, so that the damage lies in the meaning: names, shapes, types,
attributes, missing and repeated parts.
"""

from google.protobuf.descriptor import FieldDescriptor

INTEGERS = (0, 1, -1, 2, 7, 255, 2**31 - 1, 2**31, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63))
FLOATS = (0.0, -1.0, 1e38, float("inf"), float("nan"))
INTEGER_TYPES = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
FLOAT_TYPES = (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE)


def mutate(rng, data, other, message_type):
    """A changed copy of the bytes `data`; `other` is a second message of the same type."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if rng.random() < 0.4:
            data = mutate_bytes(rng, data, other)
        else:
            data = mutate_field(rng, data, other, message_type)
    return data


def mutate_bytes(rng, data, other):
    """Flip bits, set bytes, cut, remove, repeat, or join with another file."""
    if not data:
        return other[: rng.randrange(len(other) + 1)]
    changed = bytearray(data)
    start = rng.randrange(len(data))
    end = min(len(data), start + 1 + int(rng.expovariate(1 / 16)))
    match rng.randrange(6):
        case 0:
            for _ in range(rng.choice((1, 1, 2, 8))):
                changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        case 1:
            for _ in range(rng.choice((1, 2, 8))):
                changed[rng.randrange(len(changed))] = rng.choice((0, 1, 127, 128, 255))
        case 2:
            del changed[start:]
        case 3:
            del changed[start:end]
        case 4:
            changed[start:start] = changed[start:end] * rng.choice((1, 2, 50))
        case 5:
            changed[start:] = other[rng.randrange(len(other) + 1) :]
    return bytes(changed)


def mutate_field(rng, data, other, message_type):
    """Change one field somewhere in the message; bytes that do not parse are changed as bytes."""
    try:
        message = message_type.FromString(data)
    except Exception:  # DecodeError, or a RecursionError of deeply nested bytes
        return mutate_bytes(rng, data, other)
    fields = list(walk(message))
    if not fields:
        return mutate_bytes(rng, data, other)
    owner, field = rng.choice(fields)
    if field.is_repeated:
        change_repeated(rng, getattr(owner, field.name), field, fields)
    elif rng.random() < 0.2:
        owner.ClearField(field.name)
    elif field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        change_message(rng, getattr(owner, field.name), field, fields)
    else:
        value = getattr(owner, field.name)
        setattr(owner, field.name, change_scalar(rng, value, field, fields))
    return message.SerializeToString()


def walk(message):
    """All (message, set field) pairs of the tree."""
    for field, value in message.ListFields():
        yield message, field
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            for child in value if field.is_repeated else [value]:
                yield from walk(child)


def change_repeated(rng, values, field, fields):
    """Remove, repeat, swap or change elements of a repeated field, which is not empty."""
    k = rng.randrange(len(values))
    is_message = field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE
    match rng.randrange(4):
        case 0:
            del values[k]
        case 1 if is_message:
            values.add().CopyFrom(values[k])
        case 1:
            values.append(values[k])
        case 2 if is_message:
            values.insert(0, values.pop(k))
        case 2:
            j = rng.randrange(len(values))
            values[k], values[j] = values[j], values[k]
        case 3 if is_message:
            change_message(rng, values[k], field, fields)
        case 3:
            values[k] = change_scalar(rng, values[k], field, fields)


def change_message(rng, message, field, fields):
    """Replace a message by another one of its type from elsewhere in the tree, or empty it."""
    candidates = []
    for owner, other in fields:
        if other.message_type is field.message_type:
            value = getattr(owner, other.name)
            candidates += list(value) if other.is_repeated else [value]
    if rng.random() < 0.2 or not candidates:
        message.Clear()
        return
    copy = type(message)()
    copy.CopyFrom(rng.choice(candidates))
    message.CopyFrom(copy)


def change_scalar(rng, value, field, fields):
    """Another value for a scalar field: an extreme, a neighbour, or one used elsewhere."""
    if field.cpp_type in INTEGER_TYPES:
        low, high = INTEGER_TYPES[field.cpp_type]
        candidates = [*INTEGERS, value + 1, value - 1, -value, value * 1000]
        return rng.choice([c for c in candidates if low <= c <= high])
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        return rng.choice(field.enum_type.values).number
    if field.cpp_type in FLOAT_TYPES:
        return rng.choice((*FLOATS, -value))
    if field.type == FieldDescriptor.TYPE_BYTES:
        return mutate_bytes(rng, value, b"\xff" * 8)
    if field.type == FieldDescriptor.TYPE_STRING:
        return rng.choice((*strings(fields), "", "x"))
    raise TypeError(f"{field.full_name}: no mutation for this type")


def strings(fields):
    """All text values of the tree: the names of values, nodes, ops and attributes."""
    found = set()
    for owner, field in fields:
        if field.type == FieldDescriptor.TYPE_STRING:
            value = getattr(owner, field.name)
            found.update(value if field.is_repeated else [value])
    return sorted(text for text in found if isinstance(text, str))  # bytes: damaged UTF-8
